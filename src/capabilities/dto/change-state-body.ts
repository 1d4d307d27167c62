import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Equals, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { MaxCharacters, MustBe } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import { ID_FORM, parseSkillId, type SkillId } from '../../kernel/ids.js';
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
    nullable: true,
    pattern: `^${ID_FORM}$`,
    description:
      'What to use instead, of a deprecated or removed capability. Absent: as before, whatever has ' +
      'become of it since; null: nothing (any more)',
  })
  @IfPresent()
  @MustBe(
    `null, or a skill id: ${ID_FORM}`,
    (value) => value === null || (typeof value === 'string' && parseSkillId(value) !== undefined),
  )
  readonly replacement?: SkillId | null;

  @ApiPropertyOptional({ maxLength: MAX_REASON_LENGTH, description: 'Sealed in the log' })
  @IfPresent()
  @IsString()
  @MaxCharacters(MAX_REASON_LENGTH)
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
