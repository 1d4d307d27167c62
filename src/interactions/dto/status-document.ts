import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Plain } from '../../http/plain.js';
import type { Caller } from '../../kernel/caller.js';
import { ERASED } from '../../kernel/event.js';
import type { ParkedEvent } from '../../projections/port.js';
import { erasureDueAt } from '../domain/erasure.js';
import type { Interaction, LastRejection } from '../domain/interaction.js';
import { isErased } from '../domain/revisions.js';
import { interactionStatus } from '../domain/status.js';
import { HeadMember } from './acts.js';
import { ErasureConsentDocument, erasureConsents, ErasureDocument } from './erasure-documents.js';

export class LastRejectionDocument {
  @ApiProperty({ type: 'integer' })
  readonly revision!: number;

  @ApiProperty()
  readonly byAgentId!: string;

  @ApiProperty({ enum: ['rejected', 'withdrawn'] })
  readonly kind!: string;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty({ type: String, nullable: true, description: 'null without one, or once erased' })
  readonly reason!: string | null;
}

export class ParkedEventDocument {
  @ApiProperty({ description: 'The view that could not apply it' })
  readonly projection!: string;

  @ApiProperty()
  readonly type!: string;

  @ApiProperty({ type: 'integer', description: 'In the stream, from 0' })
  readonly revision!: number;

  @ApiProperty({ type: 'integer', description: '0 for an event that waits behind another' })
  readonly attempts!: number;

  @ApiProperty({ description: 'False once it is only tried again at the next start' })
  readonly retrying!: boolean;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'For operators only' })
  readonly error?: string | null;
}

/** What an operator asks of one interaction. */
export class InteractionStatusDocument {
  @ApiProperty({ format: 'uuid' })
  readonly interactionId!: string;

  @ApiProperty()
  readonly status!: string;

  @ApiProperty({ format: 'date-time', description: 'Since when it has this status' })
  readonly since!: string;

  @ApiProperty({
    type: [String],
    description: 'Whose move it is: to accept the open proposal, else to report',
  })
  readonly waitingOn!: readonly string[];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The earliest of expiry and deadlines, even when it has passed; null at the end',
  })
  readonly nextDeadline!: string | null;

  @ApiProperty({ type: () => LastRejectionDocument, nullable: true })
  readonly lastRejection!: LastRejectionDocument | null;

  @ApiProperty({ type: () => HeadMember, description: 'What the next command names' })
  readonly head!: HeadMember;

  @ApiProperty({ type: 'integer', description: 'Number of events, a due expiry included' })
  readonly version!: number;

  @ApiProperty({ description: 'The texts are gone; identifiers, hashes and times remain' })
  readonly erased!: boolean;

  @ApiProperty({
    type: () => ErasureDocument,
    nullable: true,
    description: 'null until it is recorded, which may be a moment after the texts are gone',
  })
  readonly erasure!: ErasureDocument | null;

  @ApiProperty({
    type: () => [ErasureConsentDocument],
    description: 'The parties that let the texts go',
  })
  readonly erasureConsents!: readonly ErasureConsentDocument[];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'From when on the texts are to be erased: the end of their retention, or the consent of the ' +
      'last party. null before the end, if never without that consent, and once they are gone',
  })
  readonly erasureDueAt!: string | null;

  @ApiProperty({ description: 'False while events of this interaction are parked' })
  readonly reliable!: boolean;

  @ApiProperty({ type: () => [ParkedEventDocument] })
  readonly parkedEvents!: readonly ParkedEventDocument[];
}

export function statusDocument(
  interaction: Interaction,
  parked: readonly ParkedEvent[],
  caller: Caller,
): Plain<InteractionStatusDocument> {
  const { lastRejection, ...view } = interactionStatus(interaction);
  const isOperator = caller.scopes.has('operator:read');
  return {
    interactionId: interaction.interactionId,
    ...view,
    lastRejection: lastRejection && lastRejectionDocument(lastRejection),
    version: interaction.version,
    erased: isErased(interaction),
    erasure: interaction.erasure,
    erasureConsents: erasureConsents(interaction),
    erasureDueAt: erasureDueAt(interaction),
    reliable: parked.length === 0,
    parkedEvents: parked.map(({ projection, type, revision, attempts, retrying, error }) => ({
      projection,
      type,
      revision,
      attempts,
      retrying,
      ...(isOperator ? { error } : {}),
    })),
  };
}

function lastRejectionDocument({ reason, ...rest }: LastRejection): LastRejectionDocument {
  return { ...rest, reason: reason === ERASED ? null : reason };
}
