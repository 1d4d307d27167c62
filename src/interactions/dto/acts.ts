import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import {
  IsAgentId,
  IsKeyId,
  IsMoment,
  IsTermsHash,
  MaxCharacters,
  Nested,
} from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import type { RevisionStatus } from '../../kernel/federated-interaction.js';
import type { AgentId, KeyId, TermsHash } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';

/** Far longer than a canonical signature of 86 characters: which spelling it has is judged later. */
const MAX_SIGNATURE_LENGTH = 256;
const MAX_REASON_LENGTH = 2_000;
const REVISION_STATUSES = ['proposed', 'accepted', 'rejected', 'superseded'] as const;

const SIGNATURE = 'base64url of the Ed25519 signature over the statement: 86 characters';
const NEAR = 'Near the clock of the service';

/** The signature that makes an acceptance `ed25519`. */
export class AcceptanceMember {
  @ApiProperty({ type: String, description: 'A key of the agent that is valid now' })
  @IsKeyId()
  readonly keyId!: KeyId;

  @ApiProperty({ description: `${SIGNATURE} \`federated-interaction/acceptance\`` })
  @IsString()
  @MaxCharacters(MAX_SIGNATURE_LENGTH)
  readonly value!: string;

  @ApiProperty({ type: String, format: 'date-time', description: NEAR })
  @IsMoment()
  readonly acceptedAt!: Timestamp;
}

/** The signature of any other act. */
export class SignatureMember {
  @ApiProperty({ type: String, description: 'A key of the agent that is valid now' })
  @IsKeyId()
  readonly keyId!: KeyId;

  @ApiProperty({ description: SIGNATURE })
  @IsString()
  @MaxCharacters(MAX_SIGNATURE_LENGTH)
  readonly value!: string;

  @ApiProperty({ type: String, format: 'date-time', description: NEAR })
  @IsMoment()
  readonly signedAt!: Timestamp;
}

/** Where the interaction stood when the command was written: its newest revision. */
export class HeadMember {
  @ApiProperty({ type: 'integer', minimum: 1 })
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly revision!: number;

  @ApiProperty({ enum: REVISION_STATUSES })
  @IsIn(REVISION_STATUSES)
  readonly status!: RevisionStatus;

  @ApiProperty({ type: String, description: 'Of the newest revision' })
  @IsTermsHash()
  readonly termsHash!: TermsHash;
}

/** Who acts: what every command carries. */
export abstract class ActBody {
  @ApiProperty({ type: String, description: 'The agent that acts; the token must speak for it' })
  @IsAgentId()
  readonly agentId!: AgentId;
}

export abstract class ActOnExistingBody extends ActBody {
  @ApiPropertyOptional({
    type: () => HeadMember,
    description: 'What the command was written against; or name it by `If-Match`',
  })
  @IfPresent()
  @Nested(() => HeadMember)
  readonly head?: HeadMember;
}

/** A member `acceptance`: the agent's own consent to the terms. */
export function OptionalAcceptance(): PropertyDecorator {
  return (target, property) => {
    ApiPropertyOptional({
      type: () => AcceptanceMember,
      description:
        'Signs the acceptance. Without it the method follows from the token: `oauth_installation` ' +
        'for one of the agent’s clients, `oauth_account` for its owner; of a token that is both, the ' +
        'first that the agent permits',
    })(target, property);
    IfPresent()(target, property);
    Nested(() => AcceptanceMember)(target, property);
  };
}

/** A member `signature`: required of agents that accept by signature and by no token. */
export function OptionalSignature(statement: string): PropertyDecorator {
  return (target, property) => {
    ApiPropertyOptional({
      type: () => SignatureMember,
      description:
        `Over the statement \`${statement}\`; required of agents that accept by \`ed25519\` and by ` +
        'neither `oauth_installation` nor `oauth_account`',
    })(target, property);
    IfPresent()(target, property);
    Nested(() => SignatureMember)(target, property);
  };
}

/** A member `reason`: in the caller's words, sealed in the log, its hash beside it. */
export function OptionalReason(): PropertyDecorator {
  return (target, property) => {
    ApiPropertyOptional({ type: String, maxLength: MAX_REASON_LENGTH })(target, property);
    IfPresent()(target, property);
    IsString()(target, property);
    MaxCharacters(MAX_REASON_LENGTH)(target, property);
  };
}
