import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Plain } from '../../http/plain.js';
import { ERASED, type Erased } from '../../kernel/event.js';
import type { Json } from '../../kernel/json.js';
import type { Timestamp } from '../../kernel/timestamp.js';
import { APPROVAL_STATES, approvalStateAt, type ApprovalState } from '../domain/approval.js';
import type { InvocationCaller, PlannedInvocation } from '../domain/events.js';
import type { InvocationToApprove } from '../domain/invocation.js';
import type { ListedApproval } from '../queries/list-approvals.js';

class CallerDocument {
  @ApiProperty({ description: '`sub` of the token' })
  readonly principal!: string;

  @ApiProperty({ type: String, nullable: true })
  readonly client!: string | null;

  @ApiProperty({ type: String, nullable: true })
  readonly agent!: string | null;

  @ApiProperty()
  readonly tenant!: string;
}

class ListedApprovalDocument {
  @ApiProperty({ format: 'uuid' })
  readonly invocationId!: string;

  @ApiProperty({ description: 'The hosted agent' })
  readonly agentId!: string;

  @ApiProperty()
  readonly skillId!: string;

  @ApiProperty({ type: () => CallerDocument, nullable: true })
  readonly caller!: CallerDocument | null;

  @ApiProperty({ type: String, nullable: true, format: 'uuid' })
  readonly interactionId!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the contract' })
  readonly revision!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'A decision names it' })
  readonly termsHash!: string | null;

  @ApiProperty({ type: String, nullable: true })
  readonly action!: string | null;

  @ApiProperty({ type: [String] })
  readonly data!: readonly string[];

  @ApiProperty({ type: String, nullable: true, description: 'A decision names it' })
  readonly argumentsDigest!: string | null;

  @ApiProperty({ format: 'uuid' })
  readonly taskId!: string;

  @ApiProperty({ format: 'date-time' })
  readonly requestedAt!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'From then on it can be neither given nor used',
  })
  readonly expiresAt!: string;

  @ApiProperty({
    enum: APPROVAL_STATES,
    description:
      '`void`: the call ended before it ran; `expired`: not decided, or not used, in time',
  })
  readonly state!: ApprovalState;

  @ApiProperty({ type: () => CallerDocument, nullable: true })
  readonly decidedBy!: CallerDocument | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly decidedAt!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the call was admitted with it; null: it was not',
  })
  readonly usedAt!: string | null;
}

/** An approval as the view has it: without texts. */
export class ReliableApprovalDocument extends ListedApprovalDocument {
  @ApiProperty({
    description: 'False when a later event of the call waits for an operator: the entry is old',
  })
  readonly reliable!: boolean;
}

/** A page of approvals in one state. */
export class ApprovalPage {
  @ApiProperty({ type: () => [ReliableApprovalDocument], description: 'The oldest first' })
  readonly items!: readonly ReliableApprovalDocument[];

  @ApiProperty({ type: String, nullable: true, description: 'null on the last page' })
  readonly nextCursor!: string | null;
}

/** An approval at the head of its stream, with texts. */
export class ApprovalDocument extends ListedApprovalDocument {
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Of `humanApprovalRequirements` those that ask for it; null: erased',
  })
  readonly entries!: readonly string[] | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null: none was given, or it is erased',
  })
  readonly reason!: string | null;

  @ApiPropertyOptional({
    description:
      'What the call was sent with: arguments of a direct invoke, or those that a backend gets of a ' +
      'message; of a message that a handler gets {parts, metadata?, extensions?, referenceTaskIds?}. ' +
      'Shown to whoever may decide on it now, as long as the task is kept',
  })
  readonly arguments?: unknown;
}

/** An entry of a page. */
export function listedApproval(listed: ListedApproval): Plain<ReliableApprovalDocument> {
  const { requested, requestedAt, state, decided, usedAt, reliable } = listed;
  const { expiresAt } = requested;
  return {
    ...callDocument(requested),
    requestedAt,
    expiresAt,
    state,
    decidedBy: decided?.by ?? null,
    decidedAt: decided?.at ?? null,
    usedAt,
    reliable,
  };
}

/** @param subject what the call was sent with; undefined for whoever may not decide on it now */
export function approvalDocument(
  invocation: InvocationToApprove,
  now: Timestamp,
  subject: Json | undefined,
): Plain<ApprovalDocument> {
  const { call, approval, admission } = invocation;
  const { requestedAt, expiresAt, entries, decision } = approval;
  return {
    ...callDocument(call),
    requestedAt,
    expiresAt,
    state: approvalStateAt(invocation, now),
    decidedBy: decision?.by ?? null,
    decidedAt: decision?.at ?? null,
    usedAt: admission?.at ?? null,
    entries: orNull(entries),
    reason: orNull(decision?.reason ?? null),
    ...(subject === undefined ? {} : { arguments: subject }),
  };
}

type CallMember =
  | 'invocationId'
  | 'agentId'
  | 'skillId'
  | 'caller'
  | 'interactionId'
  | 'revision'
  | 'termsHash'
  | 'action'
  | 'data'
  | 'argumentsDigest'
  | 'taskId';

function callDocument(call: PlannedInvocation): Pick<Plain<ListedApprovalDocument>, CallMember> {
  const { invocationId, agentId, skillId, terms, action, data, argumentsDigest, taskId } = call;
  return {
    invocationId,
    agentId,
    skillId,
    caller: call.caller satisfies InvocationCaller | null,
    interactionId: terms?.interactionId ?? null,
    revision: terms?.revision ?? null,
    termsHash: terms?.termsHash ?? null,
    action,
    data,
    argumentsDigest,
    taskId,
  };
}

function orNull<T>(value: T | Erased): T | null {
  return value === ERASED ? null : value;
}
