import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { IsAgentId, IsTermsHash, MaxCharacters, MustBe } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import { PageParameters } from '../../http/page-parameters.js';
import { parseTermsHash, type AgentId, type TermsHash } from '../../kernel/ids.js';
import { APPROVAL_STATES, type ApprovalDecision, type ApprovalState } from '../domain/approval.js';

const DECISIONS = ['approve', 'deny'] as const satisfies ApprovalDecision[];
const MAX_REASON_LENGTH = 2_000;

/** Which approvals are listed. */
export class ApprovalListParameters extends PageParameters {
  @ApiPropertyOptional({ enum: APPROVAL_STATES, description: 'Default: `pending`' })
  @IfPresent()
  @IsIn(APPROVAL_STATES)
  readonly state?: ApprovalState;

  @ApiPropertyOptional({ description: 'Approvals of calls of this hosted agent' })
  @IfPresent()
  @IsAgentId()
  readonly agentId?: AgentId;
}

/** A decision, and what its maker saw when it was made. */
export class DecisionBody {
  @ApiProperty({ enum: DECISIONS })
  @IsIn(DECISIONS)
  readonly decision!: ApprovalDecision;

  @ApiProperty({ type: String, description: 'Of the approval as last read' })
  @IsTermsHash()
  readonly termsHash!: TermsHash;

  @ApiProperty({ description: 'Of the approval as last read' })
  @MustBe(
    'a digest: base64url of 32 bytes in 43 characters',
    (value) => typeof value === 'string' && parseTermsHash(value) !== undefined,
  )
  readonly argumentsDigest!: string;

  @ApiPropertyOptional({ maxLength: MAX_REASON_LENGTH, description: 'Sealed in the log' })
  @IfPresent()
  @IsString()
  @MaxCharacters(MAX_REASON_LENGTH)
  readonly reason?: string;
}
