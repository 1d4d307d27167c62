import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CloudEventAttributes } from '../../../http/cloud-event.js';
import type { Plain } from '../../../http/plain.js';
import { eventSchemaUrl } from '../../../http/schema-files.js';
import type { DisclosedEvent } from '../disclosed-events.js';

/** The event as the log stores it: nothing is brought up to date, so that its leaf can be made. */
export class ReplayedDataDocument {
  @ApiProperty()
  readonly type!: string;

  @ApiProperty({ type: 'integer', description: 'Of the stored form' })
  readonly schemaVersion!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Identifiers, hashes, statuses and signatures',
  })
  readonly data!: object;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The sealed texts, base64url(nonce ‖ ciphertext ‖ tag); null for types without',
  })
  readonly sealed!: string | null;

  @ApiProperty({ description: 'base64url of 16 random bytes' })
  readonly salt!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Which command, by whom, in which exchange, based on what',
  })
  readonly metadata!: object;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'The texts, unsealed; null for types without. Absent with `texts=false`, for readers who may not ' +
      'have them, once they are erased, and where the service cannot open them',
  })
  readonly texts?: object | null;
}

/**
 * One event of the log in the CloudEvents 1.0 JSON format. Its envelope is `{id, type, stream: subject,
 * revision, recordedAt: time, ...schemaVersion, data, sealed, salt, metadata of data}`.
 */
export class ReplayedEventDocument extends CloudEventAttributes {
  @ApiProperty({ description: 'The stream' })
  readonly subject!: string;

  @ApiProperty({ type: () => ReplayedDataDocument, description: 'As `dataschema` says' })
  readonly data!: ReplayedDataDocument;
}

export function replayedEvent(
  { envelope, texts }: DisclosedEvent,
  publicBaseUrl: string,
): Plain<ReplayedEventDocument> {
  const { id, type, stream, revision, recordedAt, position } = envelope;
  const { schemaVersion, data, sealed, salt, metadata } = envelope;
  return {
    specversion: '1.0',
    id,
    source: `${publicBaseUrl}/v1/events`,
    type,
    subject: stream,
    time: recordedAt,
    datacontenttype: 'application/json',
    dataschema: eventSchemaUrl(type, schemaVersion, publicBaseUrl),
    revision,
    position,
    data: {
      type,
      schemaVersion,
      data,
      sealed,
      salt,
      metadata,
      ...(texts === undefined ? {} : { texts }),
    },
  };
}
