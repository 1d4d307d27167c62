import { ApprovalPlaces } from '../../../src/invocations/approval-places.js';
import type {
  ApprovalLedger,
  ApprovalPlace,
  PlacedCall,
} from '../../../src/invocations/commands/approval-ledger.js';
import {
  InvocationLedger,
  type Admission,
  type ApprovalRequest,
  type InvocationOutcome,
  type OverdueInvocation,
  type RefusedCall,
  type SettledApproval,
} from '../../../src/invocations/commands/invocation-ledger.js';
import {
  invocationDecider,
  type InvocationCommand,
} from '../../../src/invocations/domain/decider.js';
import type {
  InvocationCaller,
  PlannedInvocation,
} from '../../../src/invocations/domain/events.js';
import {
  isInvocation,
  type Invocation,
  type InvocationState,
} from '../../../src/invocations/domain/invocation.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import type { Rejection } from '../../../src/kernel/rejection.js';
import { ok, type Result } from '../../../src/kernel/result.js';
import { millisecondsOf, timestampOf } from '../../../src/kernel/timestamp.js';

const APPROVER: InvocationCaller = {
  principal: 'someone|finance',
  client: null,
  agent: null,
  tenant: 'finance.example',
};

/** The record of calls in memory, by its own rules; approvals and refusals in it. */
export class MemoryLedger extends InvocationLedger implements ApprovalLedger {
  readonly #states = new Map<Uuid, InvocationState>();
  readonly #places = new ApprovalPlaces();
  readonly #listeners = new Set<(invocationId: Uuid) => void>();
  readonly admissions: Admission[] = [];
  readonly requests: ApprovalRequest[] = [];
  readonly refusals: RefusedCall[] = [];
  readonly counted: string[] = [];
  readonly outcomes = new Map<Uuid, InvocationOutcome>();
  readonly resultDigests = new Map<Uuid, string | null>();
  /** Of the ledger. */
  clock: () => number = Date.now;

  async admit(admission: Admission): Promise<Result<undefined, Rejection>> {
    const { caller, deadline, basedOn: _, ...rest } = admission;
    const invocation = {
      ...rest,
      caller: caller && callerOf(caller),
      deadline: timestampOf(deadline),
    };
    const admitted = this.#decide(admission.invocationId, { kind: 'admit', invocation });
    if (admitted.ok) this.admissions.push(admission);
    return admitted;
  }

  async end(
    invocationId: Uuid,
    outcome: InvocationOutcome,
    _context?: unknown,
    resultDigest: string | null = null,
  ): Promise<void> {
    const ended = this.#decide(invocationId, { kind: 'end', invocationId, outcome, resultDigest });
    if (!ended.ok) throw new Error(`${invocationId} could not be ended: ${ended.error.code}`);
    this.#note(invocationId);
  }

  async giveUp(invocationId: Uuid): Promise<void> {
    this.#decide(invocationId, { kind: 'give-up', invocationId });
    this.#note(invocationId);
  }

  async overdue(): Promise<readonly OverdueInvocation[]> {
    return [];
  }

  async request(request: ApprovalRequest): Promise<Result<undefined, Rejection>> {
    const { caller, expiresAt, basedOn: _, entries, ...rest } = request;
    const requested = { ...rest, caller: callerOf(caller), expiresAt: timestampOf(expiresAt) };
    const decided = this.#decide(request.invocationId, { kind: 'request', requested, entries });
    if (decided.ok) this.requests.push(request);
    return decided;
  }

  async refuse(refused: RefusedCall): Promise<void> {
    this.refusals.push(refused);
  }

  count(code: string): void {
    this.counted.push(code);
  }

  async settled(now: number): Promise<readonly SettledApproval[]> {
    return [...this.#states.values()].filter(isInvocation).flatMap((invocation) => {
      const { approval, admission, ended, call } = invocation;
      if (approval === null || admission !== null || ended !== null) return [];
      const { decision, expiresAt } = approval;
      const isExpired = millisecondsOf(expiresAt) <= now;
      if (decision === null && !isExpired) return [];
      const verdict = isExpired ? 'expired' : (decision?.verdict ?? 'expired');
      return [{ invocationId: call.invocationId, taskId: call.taskId, verdict }];
    });
  }

  async undecided(now: number): Promise<readonly Uuid[]> {
    return this.#undecided(now).map(({ invocationId }) => invocationId);
  }

  async takePlace(call: PlacedCall, most: number, now: number): Promise<ApprovalPlace | undefined> {
    const { calling, hosted } = call;
    const waiting = this.#undecided(now).filter(
      ({ caller, agentId }) => caller?.agent === calling && agentId === hosted,
    );
    const taken = this.#places.count(call, now, (ids) => new Set(ids.filter(this.#isHere)));
    const isFree = waiting.length + taken < most;
    return isFree || this.#places.has(call) ? this.#places.take(call) : undefined;
  }

  readonly #isHere = (invocationId: Uuid): boolean => this.#states.has(invocationId);

  #undecided(now: number): readonly PlannedInvocation[] {
    return [...this.#states.values()]
      .filter(isInvocation)
      .filter(({ approval, admission, ended }) => {
        if (approval === null || admission !== null || ended !== null) return false;
        return approval.decision === null && now < millisecondsOf(approval.expiresAt);
      })
      .map(({ call }) => call);
  }

  onDecided(listener: (invocationId: Uuid) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async find(invocationId: Uuid): Promise<Invocation | undefined> {
    const state = this.#states.get(invocationId) ?? null;
    return isInvocation(state) ? state : undefined;
  }

  /** Somebody of the hosted agent's tenant decides; `isTold`: this process hears of it at once. */
  decide(invocationId: Uuid, decision: 'approve' | 'deny', isTold = false): void {
    const state = this.#states.get(invocationId) ?? null;
    if (!isInvocation(state) || state.call.terms === null) throw new Error('nothing to decide');
    const { terms, argumentsDigest } = state.call;
    const decided = this.#decide(invocationId, {
      kind: 'decide',
      invocationId,
      decision,
      by: APPROVER,
      termsHash: terms.termsHash,
      argumentsDigest: argumentsDigest ?? '',
      reason: null,
    });
    if (!decided.ok) throw new Error(decided.error.code);
    if (isTold) for (const listener of this.#listeners) listener(invocationId);
  }

  /** How the calls ended, in the order of their admission. */
  get ends(): readonly (InvocationOutcome | undefined)[] {
    return this.admissions.map(({ invocationId }) => this.outcomes.get(invocationId));
  }

  #note(invocationId: Uuid): void {
    const state = this.#states.get(invocationId) ?? null;
    if (!isInvocation(state) || state.ended === null) return;
    this.outcomes.set(invocationId, state.ended.outcome);
    this.resultDigests.set(invocationId, state.ended.resultDigest);
  }

  #decide(invocationId: Uuid, command: InvocationCommand): Result<undefined, Rejection> {
    const now = timestampOf(this.clock());
    const callersAgents = [{ owner: 'owner|partner', clients: [] }];
    const deciding = { callersAgents, areTermsInForce: true };
    const state = this.#states.get(invocationId) ?? null;
    const decided = invocationDecider.decide(state, command, { now, deciding });
    if (!decided.ok) return decided;
    const next = decided.value.reduce<InvocationState>(
      (folded, event) =>
        invocationDecider.evolve(folded, { ...event, recordedAt: now, revision: 0 }),
      state,
    );
    this.#states.set(invocationId, next);
    return ok(undefined);
  }
}

function callerOf({ principal, client, agent, tenant }: Caller): InvocationCaller {
  return { principal, client, agent, tenant };
}
