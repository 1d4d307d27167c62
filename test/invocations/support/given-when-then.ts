import type { CallersAgent, Decide } from '../../../src/invocations/domain/approving.js';
import {
  invocationDecider,
  type InvocationCommand,
  type InvocationContext,
} from '../../../src/invocations/domain/decider.js';
import type {
  InvocationCaller,
  InvocationEvent,
  RequestedApproval,
} from '../../../src/invocations/domain/events.js';
import type { InvocationState } from '../../../src/invocations/domain/invocation.js';
import type { InvocationOutcome } from '../../../src/invocations/domain/outcome.js';
import { fold, type Recorded } from '../../../src/kernel/event.js';
import type { AgentId, InteractionId, SkillId, TermsHash, Uuid } from '../../../src/kernel/ids.js';
import type { RejectionCode } from '../../../src/kernel/rejection.js';
import { millisecondsOf, timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';

const START_OF_CALL = '2030-03-01T12:00:00.000Z' as Timestamp;
const ID = '99fa5a81-658f-42ec-a551-be56b28e3726' as Uuid;

/** So many seconds after the call was first heard of. */
export function after(seconds: number): Timestamp {
  return timestampOf(millisecondsOf(START_OF_CALL) + seconds * 1000);
}

/** Approvals of these calls expire after a minute, admissions are overdue after two. */
export const EXPIRY = after(60);
export const DEADLINE = after(120);

export const CALLER: InvocationCaller = {
  principal: 'client|partner',
  client: 'partner-client',
  agent: 'partner-agent' as AgentId,
  tenant: 'partner',
};
export const CALLERS_AGENT: CallersAgent = { owner: 'partner-owner', clients: ['partner-client'] };
export const DECIDING: NonNullable<InvocationContext['deciding']> = {
  callersAgents: [CALLERS_AGENT],
  areTermsInForce: true,
};
export const APPROVER: InvocationCaller = {
  principal: 'approver',
  client: 'console',
  agent: null,
  tenant: 'finance-tenant',
};

const terms = {
  interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' as InteractionId,
  revision: 2,
  termsHash: `${'T'.repeat(42)}A` as TermsHash,
};

const call = {
  invocationId: ID,
  agentId: 'finance-agent' as AgentId,
  skillId: 'pay-invoice' as SkillId,
  handler: 'pay.v1',
  caller: CALLER,
  taskId: '4c07961f-8a16-4e51-bdc3-856cefcb08d3' as Uuid,
  routing: { layer: 'direct-invoke', confidence: 1 },
  terms,
  action: 'pay',
  data: ['invoices', 'accounts'],
  argumentsDigest: `${'D'.repeat(42)}A`,
};

type Admitted = Extract<InvocationCommand, { kind: 'admit' }>['invocation'];

export function request(changes: Partial<RequestedApproval> = {}): InvocationCommand {
  const requested = { ...call, scopes: ['pay'], expiresAt: EXPIRY, ...changes };
  return { kind: 'request', requested, entries: ['pay'] };
}

/** By somebody who does not run it. */
export const giveUp: InvocationCommand = { kind: 'give-up', invocationId: ID };

export function decide(
  decision: Decide['decision'],
  changes: Partial<Decide> = {},
): InvocationCommand {
  return {
    kind: 'decide',
    invocationId: ID,
    decision,
    by: APPROVER,
    termsHash: terms.termsHash,
    argumentsDigest: call.argumentsDigest,
    reason: null,
    ...changes,
  };
}

export function admit(changes: Partial<Admitted> = {}): InvocationCommand {
  const invocation = { ...call, rule: 'allowed-action', deadline: DEADLINE, ...changes } as const;
  return { kind: 'admit', invocation };
}

export function end(outcome: InvocationOutcome): InvocationCommand {
  return { kind: 'end', invocationId: ID, outcome, resultDigest: null };
}

export function refuse(): InvocationCommand {
  const { agentId, skillId, argumentsDigest } = call;
  const subject = { agentId, skillId, caller: CALLER, argumentsDigest };
  const code = 'action-not-allowed';
  return { kind: 'refuse', refused: { invocationId: ID, plannedId: ID, ...subject, code, terms } };
}

export type Outcome = readonly InvocationEvent['type'][] | RejectionCode;
type More = Partial<InvocationContext>;

export interface Scene {
  readonly state: InvocationState;
  when(command: InvocationCommand, more?: More): Outcome;
  events(command: InvocationCommand, more?: More): readonly InvocationEvent[];
}

/** `given(request(), [decide('approve'), { now: after(1) }]).when(admit())`; all must succeed. */
export function given(
  ...commands: readonly (InvocationCommand | readonly [InvocationCommand, More])[]
): Scene {
  const log: Recorded<InvocationEvent>[] = [];
  const stateOf = (): InvocationState =>
    fold<InvocationState, InvocationEvent>(
      (state, event) => invocationDecider.evolve(state, event),
      null,
      log,
    );
  const contextOf = (more: More): InvocationContext => ({
    now: START_OF_CALL,
    deciding: DECIDING,
    ...more,
  });
  const decided = (command: InvocationCommand, more: More) =>
    invocationDecider.decide(stateOf(), command, contextOf(more));
  const events = (command: InvocationCommand, more: More = {}) => {
    const decision = decided(command, more);
    if (!decision.ok) throw new Error(`refused: ${decision.error.code}`);
    return decision.value;
  };
  for (const each of commands) {
    const [command, more] = 'kind' in each ? [each, {}] : each;
    for (const event of events(command, more)) {
      const at = { recordedAt: contextOf(more).now, revision: log.length };
      log.push({ ...event, ...at });
    }
  }
  return {
    state: stateOf(),
    events,
    when: (command, more = {}) => {
      const decision = decided(command, more);
      return decision.ok ? decision.value.map(({ type }) => type) : decision.error.code;
    },
  };
}
