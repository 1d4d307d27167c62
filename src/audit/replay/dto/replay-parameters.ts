import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { IsAgentId, IsMoment, MustBe } from '../../../http/dto-checks.js';
import { IfPresent } from '../../../http/dto-pipe.js';
import type { AgentId } from '../../../kernel/ids.js';
import type { Timestamp } from '../../../kernel/timestamp.js';
import { isAudited } from '../replay-query.js';

const MAX_PAGE = 1_000;
const DEFAULT_PAGE = 100;

/** `agent-<id>` to `capability-<id>/<id>`, each id of at most 128 characters. */
const MAX_STREAM_LENGTH = 300;
const MAX_TYPES = 32;
const EVENT_TYPE = /^(?=.{1,64}$)[a-z]+(?:-[a-z]+)+$/;

/** What is replayed: all that are given must hold. Texts, as an address has them. */
export class ReplayParameters {
  @ApiPropertyOptional({
    description:
      'Begin after this position of the log: `position` of an event, a `Position-Token`. From the ' +
      'first event when not given',
  })
  @IfPresent()
  @IsString()
  readonly after?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    description: `Events per page at most; default ${String(DEFAULT_PAGE)}. Streams know no pages`,
  })
  @IfPresent()
  @MustBe(
    `a whole number from 1 to ${String(MAX_PAGE)}`,
    (value) =>
      typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) && Number(value) <= MAX_PAGE,
  )
  readonly limit?: string;

  @ApiPropertyOptional({
    description: 'Of this stream: `subject` of an event, such as `interaction-<id>`',
  })
  @IfPresent()
  @MustBe(
    'the name of an audited stream',
    (value) => typeof value === 'string' && value.length <= MAX_STREAM_LENGTH && isAudited(value),
  )
  readonly stream?: string;

  @ApiPropertyOptional({
    type: [String],
    description: `Of this type; may be repeated, up to ${String(MAX_TYPES)} times, for any of several`,
  })
  @IfPresent()
  @MustBe(
    `a type of events, or up to ${String(MAX_TYPES)} of them`,
    (value) =>
      [value].flat().every((type) => typeof type === 'string' && EVENT_TYPE.test(type)) &&
      [value].flat().length <= MAX_TYPES,
  )
  readonly type?: string | readonly string[];

  @ApiPropertyOptional({
    type: String,
    description:
      'Of the streams of this agent, its card and its capabilities, of interactions that it is party ' +
      'of, of calls of its capabilities and of calls that it made',
  })
  @IfPresent()
  @IsAgentId()
  readonly agent?: AgentId;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description:
      'Recorded at this moment or later. `time` never goes back within a stream; between streams, ' +
      'by the difference of the clocks of nodes, it may',
  })
  @IfPresent()
  @IsMoment()
  readonly since?: Timestamp;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Recorded before this moment. Ends no stream: later events may be earlier ones',
  })
  @IfPresent()
  @IsMoment()
  readonly until?: Timestamp;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    description: 'False leaves texts sealed. Default true',
  })
  @IfPresent()
  @IsIn(['true', 'false'])
  readonly texts?: 'true' | 'false';
}

/** How many events a page may hold: as asked for, which the parameters' own checks have bounded. */
export function replayLimitOf({ limit }: ReplayParameters): number {
  return limit === undefined ? DEFAULT_PAGE : Number(limit);
}
