import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { MustBe } from './dto-checks.js';
import { IfPresent } from './dto-pipe.js';

const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;

/** Query parameters of every list: texts, as an address has them. */
export class PageParameters {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    description: `Items per page; default ${String(DEFAULT_PAGE)}`,
  })
  @IfPresent()
  @MustBe(
    `a whole number from 1 to ${String(MAX_PAGE)}`,
    (value) =>
      typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) && Number(value) <= MAX_PAGE,
  )
  readonly limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @IfPresent()
  @IsString()
  readonly cursor?: string;
}

/** How many items a page may hold: as asked for, which the parameters' own checks have bounded. */
export function limitOf({ limit }: PageParameters): number {
  return limit === undefined ? DEFAULT_PAGE : Number(limit);
}
