import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { IsAgentId, IsMoment, MaxCharacters } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import { PageParameters } from '../../http/page-parameters.js';
import type { InteractionStatus } from '../../kernel/federated-interaction.js';
import type { AgentId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';

const STATUSES = [
  'pending',
  'active',
  'rejected',
  'expired',
  'cancelled',
  'completed',
] as const satisfies readonly InteractionStatus[];

/** No contract is larger than this. */
const MAX_CATEGORY_LENGTH = 256 * 1024;

export class AtParameter {
  @ApiPropertyOptional({
    description:
      'The state at that moment: an RFC 3339 date-time that ends in Z (expiry counts), or a ' +
      '`Position-Token` (what the log held, nothing computed)',
  })
  @IfPresent()
  @IsString()
  readonly at?: string;
}

/** All filters that are given must hold. */
export class ListParameters extends PageParameters {
  @ApiPropertyOptional({ enum: STATUSES })
  @IfPresent()
  @IsIn(STATUSES)
  readonly status?: InteractionStatus;

  @ApiPropertyOptional({ type: String, description: 'An agent that is party' })
  @IfPresent()
  @IsAgentId()
  readonly party?: AgentId;

  @ApiPropertyOptional({ description: 'Exact' })
  @IfPresent()
  @IsString()
  @MaxCharacters(MAX_CATEGORY_LENGTH)
  readonly taskCategory?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'An agent whose move it is: to accept the open proposal, else to report',
  })
  @IfPresent()
  @IsAgentId()
  readonly waitingOn?: AgentId;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Pending or active, and over before this moment',
  })
  @IfPresent()
  @IsMoment()
  readonly expiringBefore?: Timestamp;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'Changed at this moment or later',
  })
  @IfPresent()
  @IsMoment()
  readonly updatedSince?: Timestamp;
}
