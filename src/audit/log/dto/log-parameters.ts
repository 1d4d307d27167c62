import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Matches } from 'class-validator';
import { MaxCharacters } from '../../../http/dto-checks.js';
import { IfPresent } from '../../../http/dto-pipe.js';

/** A whole number that is counted exactly. */
const COUNT = /^(?:0|[1-9]\d{0,14})$/;
const NOT_A_COUNT = '$property must be a whole number';
const HASH = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

export class InclusionParameters {
  @ApiPropertyOptional({ description: 'Of the leaf, from 0; this or `leafHash`' })
  @IfPresent()
  @Matches(COUNT, { message: NOT_A_COUNT })
  readonly index?: string;

  @ApiPropertyOptional({ description: 'base64url of 32 bytes; this or `index`' })
  @IfPresent()
  @Matches(HASH, { message: 'leafHash must be the base64url of 32 bytes' })
  readonly leafHash?: string;

  @ApiPropertyOptional({ description: 'Of the tree; default: of the newest checkpoint' })
  @IfPresent()
  @Matches(COUNT, { message: NOT_A_COUNT })
  readonly size?: string;
}

export class ConsistencyParameters {
  @ApiProperty({ description: 'Size of the earlier tree' })
  @Matches(COUNT, { message: NOT_A_COUNT })
  readonly from!: string;

  @ApiPropertyOptional({ description: 'Size of the later tree; default: of the newest checkpoint' })
  @IfPresent()
  @Matches(COUNT, { message: NOT_A_COUNT })
  readonly to?: string;
}

export class CheckpointPageParameters {
  @ApiPropertyOptional({ description: 'Checkpoints per page, 1 to 500; default 100' })
  @IfPresent()
  @Matches(/^(?:[1-9]\d?|[1-4]\d\d|500)$/, { message: 'limit must be a number from 1 to 500' })
  readonly limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @IfPresent()
  @IsString()
  readonly cursor?: string;
}

export class CosignaturesBody {
  @ApiProperty({
    maxLength: 16_384,
    description:
      'A signed note: the text of a published checkpoint, an empty line, and signature lines of witnesses',
  })
  @IsString()
  @MaxCharacters(16_384)
  readonly note!: string;
}
