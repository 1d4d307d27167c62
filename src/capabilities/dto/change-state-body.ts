import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Equals, IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MustBe } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import { parseSkillId, type SkillId } from '../../kernel/ids.js';
import type { LifecycleState } from '../domain/manifest.js';

const STATES = ['ga', 'deprecated', 'removed'] as const satisfies LifecycleState[];
const MAX_REASON_LENGTH = 2_000;

/** The capability's next state. */
export class ChangeStateBody {
  @ApiProperty({ enum: STATES })
  @IsIn(STATES)
  readonly state!: LifecycleState;

  @ApiPropertyOptional({
    type: String,
    description: 'What to use instead, of a deprecated or removed capability; absent: as before',
  })
  @IfPresent()
  @MustBe(
    'a skill id: [A-Za-z0-9][A-Za-z0-9._:~-]{0,127}',
    (value) => typeof value === 'string' && parseSkillId(value) !== undefined,
  )
  readonly replacement?: SkillId;

  @ApiPropertyOptional({ maxLength: MAX_REASON_LENGTH, description: 'Sealed in the log' })
  @IfPresent()
  @IsString()
  @MaxLength(MAX_REASON_LENGTH)
  readonly reason?: string;

  @ApiPropertyOptional({
    type: Boolean,
    enum: [true],
    description: 'Remove it although it was called within the last 30 days; needs a reason',
  })
  @IfPresent()
  @Equals(true)
  readonly force?: true;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: '`revision` as last read; either this or If-Match',
  })
  @IfPresent()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly expectedRevision?: number;
}

export class RevisionParameters {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    description: '`revision` as last read; either this or If-Match',
  })
  @IfPresent()
  @MustBe(
    'a whole number',
    (value) => typeof value === 'string' && /^(0|[1-9]\d{0,9})$/.test(value),
  )
  readonly expectedRevision?: string;
}
