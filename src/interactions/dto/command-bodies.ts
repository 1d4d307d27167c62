import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsAgentId, IsMoment, IsTermsHash, MustBe } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import type { AgentId, TermsHash } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import {
  ActBody,
  ActOnExistingBody,
  OptionalAcceptance,
  OptionalReason,
  OptionalSignature,
  type AcceptanceMember,
  type SignatureMember,
} from './acts.js';
import { OutcomeReportDocument } from './outcome-report-document.js';

/** Handed on as parsed, by reference: its hash is over the value that was sent. */
function ContractMember(): PropertyDecorator {
  return (target, property) => {
    ApiProperty({
      type: 'object',
      additionalProperties: true,
      description:
        'A v0.1 contract, judged by its JSON Schema: `contract-invalid` points at each fault. ' +
        '`signatures` is `{}`: consent lives in acceptances',
    })(target, property);
    MustBe('an object', isObject)(target, property);
  };
}

function OptionalTermsHash(): PropertyDecorator {
  return (target, property) => {
    ApiPropertyOptional({ type: String, description: 'Compared with the recomputed one' })(
      target,
      property,
    );
    IfPresent()(target, property);
    IsTermsHash()(target, property);
  };
}

export class ProposeBody extends ActBody {
  @ApiProperty({
    format: 'uuid',
    description: 'A new UUID, lower case; the contract names the same one',
  })
  @IsString()
  readonly interactionId!: string;

  @ApiProperty({ type: String })
  @IsAgentId()
  readonly responderAgentId!: AgentId;

  @ContractMember()
  readonly contract!: object;

  @OptionalTermsHash()
  readonly termsHash?: TermsHash;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the interaction ends by itself, at most 366 days ahead; never changes',
  })
  @IsMoment()
  readonly expiresAt!: Timestamp;

  @OptionalAcceptance()
  readonly acceptance?: AcceptanceMember;
}

export class ReviseBody extends ActOnExistingBody {
  @ContractMember()
  readonly contract!: object;

  @OptionalTermsHash()
  readonly termsHash?: TermsHash;

  @OptionalAcceptance()
  readonly acceptance?: AcceptanceMember;
}

export class AcceptBody extends ActOnExistingBody {
  @OptionalAcceptance()
  readonly acceptance?: AcceptanceMember;
}

export class RejectBody extends ActOnExistingBody {
  @OptionalReason()
  readonly reason?: string;

  @OptionalSignature('federated-interaction/rejection')
  readonly signature?: SignatureMember;
}

export class WithdrawBody extends ActOnExistingBody {
  @OptionalReason()
  readonly reason?: string;

  @OptionalSignature('federated-interaction/withdrawal')
  readonly signature?: SignatureMember;
}

export class CancelBody extends ActOnExistingBody {
  @OptionalReason()
  readonly reason?: string;

  @OptionalSignature('federated-interaction/cancellation')
  readonly signature?: SignatureMember;
}

export class CompleteBody extends ActOnExistingBody {
  @ApiProperty({ type: () => OutcomeReportDocument })
  @MustBe('an object', isObject)
  readonly report!: object;

  @OptionalSignature('federated-interaction/completion')
  readonly signature?: SignatureMember;
}

export class ConsentToErasureBody extends ActOnExistingBody {
  @OptionalSignature('federated-interaction/erasure-consent')
  readonly signature?: SignatureMember;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
