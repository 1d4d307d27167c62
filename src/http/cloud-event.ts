import { ApiProperty } from '@nestjs/swagger';

/** Media type of a batch of events (CloudEvents JSON format 1.0, section 4). */
export const CLOUD_EVENTS_BATCH = 'application/cloudevents-batch+json';

/** What every event of the log says of itself as a CloudEvent 1.0. The last two are extensions. */
export class CloudEventAttributes {
  @ApiProperty({ enum: ['1.0'] })
  readonly specversion!: '1.0';

  @ApiProperty({ format: 'uuid' })
  readonly id!: string;

  @ApiProperty({ format: 'uri', description: 'The list of this service that the event is from' })
  readonly source!: string;

  @ApiProperty({ description: 'The event type, such as `interaction-proposed`' })
  readonly type!: string;

  @ApiProperty({ format: 'date-time', description: 'When it was recorded' })
  readonly time!: string;

  @ApiProperty({ enum: ['application/json'] })
  readonly datacontenttype!: 'application/json';

  @ApiProperty({ format: 'uri' })
  readonly dataschema!: string;

  @ApiProperty({ type: 'integer', description: 'In its stream, from 0' })
  readonly revision!: number;

  @ApiProperty({ description: 'In the log: a `Position-Token`' })
  readonly position!: string;
}
