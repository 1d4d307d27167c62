import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { MustBe } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import { AgentDocument } from './agent-document.js';
import { IsName } from './checks.js';

export const DEFAULT_PAGE = 50;
const MAX_PAGE = 200;

/** Query parameters: texts, as an address has them. All filters that are given must hold. */
export class DirectoryParameters {
  @ApiPropertyOptional({ description: 'Agents of this tenant' })
  @IfPresent()
  @IsName()
  readonly tenant?: string;

  @ApiPropertyOptional({ description: 'Agents of this principal in the caller’s own tenant' })
  @IfPresent()
  @IsName()
  readonly owner?: string;

  @ApiPropertyOptional({ enum: ['true', 'false'] })
  @IfPresent()
  @IsIn(['true', 'false'])
  readonly hosted?: 'true' | 'false';

  @ApiPropertyOptional({ enum: ['active', 'retired'] })
  @IfPresent()
  @IsIn(['active', 'retired'])
  readonly status?: 'active' | 'retired';

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    description: `Entries per page; default ${DEFAULT_PAGE}`,
  })
  @IfPresent()
  @MustBe(
    `a whole number from 1 to ${MAX_PAGE}`,
    (value) =>
      typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) && Number(value) <= MAX_PAGE,
  )
  readonly limit?: string;

  @ApiPropertyOptional({ description: '`nextCursor` of the page before' })
  @IfPresent()
  @IsString()
  readonly cursor?: string;
}

export class DirectoryEntryDocument extends AgentDocument {
  @ApiProperty({
    description: 'False when a later event of the agent waits for an operator: the entry is old',
  })
  readonly reliable!: boolean;
}

export class DirectoryPage {
  @ApiProperty({ type: () => [DirectoryEntryDocument], description: 'In the order of agent ids' })
  readonly items!: readonly DirectoryEntryDocument[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page' })
  readonly nextCursor!: string | null;
}
