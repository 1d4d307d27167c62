import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { IfPresent } from '../../http/dto-pipe.js';
import { PageParameters } from '../../http/page-parameters.js';
import { AgentDocument } from './agent-document.js';
import { IsName } from './checks.js';

/** All filters that are given must hold. */
export class DirectoryParameters extends PageParameters {
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
