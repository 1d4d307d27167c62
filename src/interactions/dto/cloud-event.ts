import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Plain } from '../../http/plain.js';
import { ERASED } from '../../kernel/event.js';
import { INTERACTION_EVENT_TYPES } from '../event-types.js';
import type { HistoryEntry } from '../queries/interaction-history.js';

/** Media type of a batch of events (CloudEvents JSON format 1.0, section 4). */
export const CLOUD_EVENTS = 'application/cloudevents-batch+json; charset=utf-8';

/** The event as the log holds it, its texts unsealed. */
export class CloudEventDataDocument {
  @ApiProperty()
  readonly type!: string;

  @ApiProperty({ type: 'integer' })
  readonly schemaVersion!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Identifiers, hashes, statuses and signatures',
  })
  readonly data!: object;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Contract, reason or report; null for types without, absent once erased',
  })
  readonly texts?: object | null;
}

/** One event in the CloudEvents 1.0 JSON format. `revision` and `position` are extensions. */
export class CloudEventDocument {
  @ApiProperty({ enum: ['1.0'] })
  readonly specversion!: '1.0';

  @ApiProperty({ format: 'uuid' })
  readonly id!: string;

  @ApiProperty({ format: 'uri', description: 'The interactions of this service' })
  readonly source!: string;

  @ApiProperty({ description: 'The event type, such as `interaction-proposed`' })
  readonly type!: string;

  @ApiProperty({ format: 'uuid', description: 'The interaction' })
  readonly subject!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was recorded' })
  readonly time!: string;

  @ApiProperty({ enum: ['application/json'] })
  readonly datacontenttype!: 'application/json';

  @ApiProperty({ format: 'uri' })
  readonly dataschema!: string;

  @ApiProperty({ type: 'integer', description: 'In the stream of the interaction, from 0' })
  readonly revision!: number;

  @ApiProperty({ description: 'In the log: a `Position-Token`' })
  readonly position!: string;

  @ApiProperty({ type: () => CloudEventDataDocument, description: 'As `dataschema` says' })
  readonly data!: CloudEventDataDocument;
}

export function cloudEvent(
  { id, position, event }: HistoryEntry,
  publicBaseUrl: string,
): Plain<CloudEventDocument> {
  const { type, data, texts, recordedAt, revision } = event;
  const { schemaVersion } = INTERACTION_EVENT_TYPES[type];
  return {
    specversion: '1.0',
    id,
    source: `${publicBaseUrl}/v1/interactions`,
    type,
    subject: data.interactionId,
    time: recordedAt,
    datacontenttype: 'application/json',
    dataschema: `${publicBaseUrl}/schemas/events/${type}.schema.json`,
    revision,
    position,
    data: { type, schemaVersion, data, ...(texts === ERASED ? {} : { texts }) },
  };
}
