import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Plain } from '../../http/plain.js';
import type { ContractRevision } from '../../kernel/federated-interaction.js';
import type { Interaction } from '../domain/interaction.js';

export class RevisionPage {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'schemas/v0.1/contract-revision.schema.json, in the order of their numbers',
  })
  readonly items!: readonly ContractRevision[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page' })
  readonly nextCursor!: string | null;
}

export class AcceptanceEntry {
  @ApiProperty({ type: 'integer', description: 'The revision that was accepted' })
  readonly revision!: number;

  @ApiProperty()
  readonly agentId!: string;

  @ApiProperty({
    enum: ['ed25519', 'oauth_installation', 'oauth_account', 'policy_auto_accept'],
  })
  readonly method!: string;

  @ApiProperty()
  readonly termsHash!: string;

  @ApiProperty({ format: 'date-time' })
  readonly acceptedAt!: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'algorithm, keyId and value; present exactly for `ed25519`',
  })
  readonly signature?: object;
}

export class AcceptancePage {
  @ApiProperty({ type: () => [AcceptanceEntry], description: 'In the order of the log' })
  readonly items!: readonly AcceptanceEntry[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page' })
  readonly nextCursor!: string | null;
}

/** Who accepted which revision, and when: those of superseded and rejected revisions too. */
export function acceptanceEntries(interaction: Interaction): readonly Plain<AcceptanceEntry>[] {
  return interaction.revisions.flatMap(({ revision, acceptances }) =>
    Array.from(acceptances.values(), (acceptance) => ({ revision, ...acceptance })),
  );
}
