import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CloudEventAttributes } from '../../http/cloud-event.js';
import type { Plain } from '../../http/plain.js';
import { eventSchemaUrl } from '../../http/schema-files.js';
import { ERASED } from '../../kernel/event.js';
import { INTERACTION_EVENT_TYPES } from '../event-types.js';
import type { HistoryEntry } from '../queries/interaction-history.js';

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

/** One event of an interaction in the CloudEvents 1.0 JSON format. */
export class CloudEventDocument extends CloudEventAttributes {
  @ApiProperty({ format: 'uuid', description: 'The interaction' })
  readonly subject!: string;

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
    dataschema: eventSchemaUrl(type, schemaVersion, publicBaseUrl),
    revision,
    position,
    data: { type, schemaVersion, data, ...(texts === ERASED ? {} : { texts }) },
  };
}
