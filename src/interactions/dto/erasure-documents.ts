import { ApiProperty } from '@nestjs/swagger';
import type { Plain } from '../../http/plain.js';
import { erasureWaitsFor } from '../domain/erasure.js';
import type { Interaction } from '../domain/interaction.js';

export class ErasureConsentDocument {
  @ApiProperty()
  readonly agentId!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was recorded' })
  readonly consentedAt!: string;
}

export class ErasureDocument {
  @ApiProperty({
    enum: ['retention', 'consent'],
    description: 'Their retention ran out, or every party consented',
  })
  readonly ground!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was recorded' })
  readonly at!: string;
}

/**
 * Who let the texts of an ended interaction go. It holds no texts, and nothing that follows from them,
 * so that it says the same before and after they are erased.
 */
export class ErasureConsentsDocument {
  @ApiProperty({ format: 'uuid' })
  readonly interactionId!: string;

  @ApiProperty({ type: () => [ErasureConsentDocument], description: 'In the order of the log' })
  readonly consents!: readonly ErasureConsentDocument[];

  @ApiProperty({ type: [String], description: 'The parties that have not consented' })
  readonly waitingOn!: readonly string[];
}

export function erasureConsentsDocument(interaction: Interaction): Plain<ErasureConsentsDocument> {
  return {
    interactionId: interaction.interactionId,
    consents: erasureConsents(interaction),
    waitingOn: erasureWaitsFor(interaction),
  };
}

export function erasureConsents({
  erasureConsents: consents,
}: Interaction): readonly Plain<ErasureConsentDocument>[] {
  return Array.from(consents, ([agentId, consentedAt]) => ({ agentId, consentedAt }));
}
