import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Equals, IsArray, IsIn, IsInt, IsString, Min } from 'class-validator';
import { IsKeyId, IsMoment, MaxCharacters, MustBe, Nested } from '../../http/dto-checks.js';
import { IfPresent } from '../../http/dto-pipe.js';
import type { AcceptanceMethod } from '../../kernel/federated-interaction.js';
import type { KeyId } from '../../kernel/ids.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import type { AcceptancePolicy } from '../domain/events.js';
import { MAX_CLIENTS, MAX_REASON_LENGTH } from '../domain/limits.js';
import { ACCEPTANCE_METHODS } from '../domain/methods.js';
import { isAcceptancePolicy } from '../domain/policy-shape.js';
import { AcceptancePolicyDocument } from './agent-document.js';
import { IsNameList } from './checks.js';
import { SubmittedKey } from './submitted-key.js';
import {
  HostedMember,
  TransportMember,
  type SubmittedTransport,
  type TransportMembers,
} from './submitted-transport.js';

export class ChangeSignatureMember {
  @ApiProperty({ type: String, description: 'A key of the agent that is valid now' })
  @IsKeyId()
  readonly keyId!: KeyId;

  @ApiProperty({ type: String, format: 'date-time', description: 'Near the clock of the service' })
  @IsMoment()
  readonly signedAt!: Timestamp;

  @ApiProperty({
    description:
      'base64url of the Ed25519 signature over the `agent/change` statement, whose `changeHash` is ' +
      'b64u(SHA-256(JCS(this body without `signature`))): 86 characters',
  })
  @IsString()
  @MaxCharacters(256)
  readonly value!: string;
}

/**
 * What every change of an agent carries. A change says in its body all that matters, so that its
 * signature fits neither another change nor a later state of the agent.
 */
export abstract class ChangeBody {
  @ApiProperty({ type: 'integer', minimum: 0, description: '`revision` of the agent as last read' })
  @IsInt()
  @Min(0)
  readonly expectedRevision!: number;

  @ApiPropertyOptional({
    type: () => ChangeSignatureMember,
    description:
      'Required of an agent that has ever had keys, unless its owner asks with `agents:admin`',
  })
  @IfPresent()
  @Nested(() => ChangeSignatureMember)
  readonly signature?: ChangeSignatureMember;
}

/** The member that says which change this is: a signature for one kind never fits another. */
function ChangeKind(kind: string): PropertyDecorator {
  return (target, property) => {
    ApiProperty({ type: String, enum: [kind] })(target, property);
    Equals(kind)(target, property);
  };
}

/** Why, in the caller's words: sealed in the log, its hash beside it. */
function Reason(): PropertyDecorator {
  return (target, property) => {
    ApiPropertyOptional({ type: String, maxLength: MAX_REASON_LENGTH })(target, property);
    IfPresent()(target, property);
    IsString()(target, property);
    MaxCharacters(MAX_REASON_LENGTH)(target, property);
  };
}

export class AddKeyBody extends ChangeBody {
  @ChangeKind('add-key')
  readonly change!: 'add-key';

  @ApiProperty({ type: () => SubmittedKey })
  @Nested(() => SubmittedKey)
  readonly key!: SubmittedKey;

  @ApiPropertyOptional({
    type: String,
    description: 'The key whose window ends now; absent: the new key stands beside the others',
  })
  @IfPresent()
  @IsKeyId()
  readonly replaces?: KeyId;
}

export class RevokeKeyBody extends ChangeBody {
  @ChangeKind('revoke-key')
  readonly change!: 'revoke-key';

  @ApiProperty({ type: String, description: 'The key of the address, once more: it is signed' })
  @IsKeyId()
  readonly keyId!: KeyId;

  @Reason()
  readonly reason?: string;
}

export class ChangeMethodsBody extends ChangeBody {
  @ChangeKind('change-methods')
  readonly change!: 'change-methods';

  @ApiProperty({ enum: ACCEPTANCE_METHODS, isArray: true })
  @IsArray()
  @IsIn(ACCEPTANCE_METHODS, { each: true })
  readonly methods!: readonly AcceptanceMethod[];
}

export class ChangePolicyBody extends ChangeBody {
  @ChangeKind('change-policy')
  readonly change!: 'change-policy';

  @ApiProperty({
    type: () => AcceptancePolicyDocument,
    nullable: true,
    description: 'null removes the policy',
  })
  @MustBe(
    'null or {taskCategories, allowedActions: 1 to 100 different texts each, maxRetentionDays: 0 to 36500}, ' +
      'of at most 5000 characters',
    (value) => value === null || isAcceptancePolicy(value),
  )
  readonly policy!: AcceptancePolicy | null;
}

export class ChangeClientsBody extends ChangeBody {
  @ChangeKind('change-clients')
  readonly change!: 'change-clients';

  @ApiProperty({ type: [String], maxItems: MAX_CLIENTS })
  @IsNameList(MAX_CLIENTS)
  readonly clients!: readonly string[];
}

export class ChangeTransportBody extends ChangeBody implements TransportMembers {
  @ChangeKind('change-transport')
  readonly change!: 'change-transport';

  @TransportMember()
  readonly transport?: SubmittedTransport;

  @HostedMember()
  readonly hosted?: true;
}

export class RetireBody extends ChangeBody {
  @ChangeKind('retire')
  readonly change!: 'retire';

  @Reason()
  readonly reason?: string;
}
