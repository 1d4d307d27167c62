import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { RANDOM_BYTES } from '../config/tokens.js';
import type { CommandEnvelope, RandomBytes } from '../event-store/command-execution.js';
import type { EventStore } from '../event-store/port.js';
import { EVENT_STORE } from '../event-store/tokens.js';
import { encodeBase64Url } from '../kernel/base64url.js';
import type { Caller } from '../kernel/caller.js';
import { deriveUuid, type Uuid } from '../kernel/ids.js';
import type { Rejection } from '../kernel/rejection.js';
import { ok, type Result } from '../kernel/result.js';
import { timestampOf } from '../kernel/timestamp.js';
import type { ReadModel } from '../projections/port.js';
import { READ_MODEL } from '../projections/tokens.js';
import { ApprovalDecisions } from './approval-decisions.js';
import { ApprovalPlaces } from './approval-places.js';
import { approvals, STATE_OF_ROW, UNSETTLED } from './approvals.js';
import { ApprovalLedger, type ApprovalPlace, type PlacedCall } from './commands/approval-ledger.js';
import type {
  ApprovalRequest,
  Origin,
  RefusedCall,
  SettledApproval,
} from './commands/invocation-ledger.js';
import type { InvocationCommand } from './domain/decider.js';
import { isInvocation, type Invocation } from './domain/invocation.js';
import { invocationStream } from './domain/stream.js';
import { InvocationExecution } from './invocation-execution.js';
import { recordedCaller, onceEnvelopeOf } from './ledger-envelope.js';
import { RefusalCounts } from './refusal-counts.js';

/** Refusals of one agent that are recorded within a minute; what is more is counted alone. */
const RECORDED_REFUSALS = { points: 30, duration: 60 };

/** Of a row: nobody has decided, and somebody may. */
const UNDECIDED = 'verdict IS NULL AND expires_at > @now';

/** Of a row: it stands behind that of the call `@after`, or there is none. */
const FOLLOWING =
  "position > coalesce((SELECT position FROM approvals WHERE invocation_id = @after), '')";

/** For so long at most a count waits for what was recorded before it. */
const COUNT_WAIT_MS = 1000;

/** Approvals and refusals on the log; who may decide is asked elsewhere (`commands/decide-approval.ts`). */
@Injectable()
export class LoggedApprovals extends ApprovalLedger {
  readonly #recording = new RateLimiterMemory(RECORDED_REFUSALS);
  readonly #places = new ApprovalPlaces();

  constructor(
    private readonly execution: InvocationExecution,
    private readonly decisions: ApprovalDecisions,
    private readonly counts: RefusalCounts,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'head'>,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
  ) {
    super();
  }

  async request(request: ApprovalRequest, context: Origin): Promise<Result<undefined, Rejection>> {
    const { caller, expiresAt, basedOn, entries, ...rest } = request;
    const requested = {
      ...rest,
      caller: recordedCaller(caller),
      expiresAt: timestampOf(expiresAt),
    };
    const { invocationId } = request;
    const content = { kind: 'request', target: invocationId, body: { requested, entries } };
    const envelope = onceEnvelopeOf(caller, content, this.random, context);
    const command: InvocationCommand = { kind: 'request', requested, entries };
    const stored = await this.#store(invocationId, command, envelope, basedOn);
    if (stored.ok && caller.agent !== null) {
      const call = { invocationId, calling: caller.agent, hosted: request.agentId };
      this.#places.requested(call, expiresAt);
    }
    return stored;
  }

  async refuse(refused: RefusedCall, context: Origin): Promise<void> {
    const isRecorded = await this.#record(refused, context).catch(() => false);
    this.counts.count(refused.code, isRecorded);
  }

  count(code: string): void {
    this.counts.count(code, false);
  }

  async settled(
    now: number,
    limit: number,
    after?: SettledApproval,
  ): Promise<readonly SettledApproval[]> {
    return this.readModel
      .prepare<SettledApproval>(
        `SELECT invocation_id AS invocationId, task_id AS taskId, ${STATE_OF_ROW} AS verdict
         FROM approvals
         WHERE ${UNSETTLED}
           AND (verdict IS NOT NULL OR expires_at <= @now)
           AND ${FOLLOWING} ORDER BY position LIMIT +@limit`,
      )
      .all({ now: timestampOf(now), after: after?.invocationId ?? '', limit });
  }

  async undecided(now: number, limit: number, after?: Uuid): Promise<readonly Uuid[]> {
    return this.readModel
      .prepare<{ readonly invocationId: Uuid }>(
        `SELECT invocation_id AS invocationId FROM approvals
         WHERE ${UNSETTLED} AND ${UNDECIDED}
           AND ${FOLLOWING} ORDER BY position LIMIT +@limit`,
      )
      .all({ now: timestampOf(now), after: after ?? '', limit })
      .map(({ invocationId }) => invocationId);
  }

  async takePlace(call: PlacedCall, most: number, now: number): Promise<ApprovalPlace | undefined> {
    await this.readModel.waitFor(await this.store.head(), COUNT_WAIT_MS, [approvals.name]);
    // From here on nothing waits: nobody takes the same place.
    const shown = this.readModel
      .prepare<{ readonly count: number }>(
        `SELECT count(*) AS count FROM approvals
         WHERE ${UNSETTLED} AND ${UNDECIDED} AND agent_id = @hosted AND caller_agent_id = @calling`,
      )
      .get({ now: timestampOf(now), hosted: call.hosted, calling: call.calling });
    const unshown = this.#places.count(call, now, (ids) => this.#shown(ids));
    const isFree = (shown?.count ?? 0) + unshown < most;
    return isFree || this.#places.has(call) ? this.#places.take(call) : undefined;
  }

  onDecided(listener: (invocationId: Uuid) => void): () => void {
    return this.decisions.subscribe(listener);
  }

  async find(invocationId: Uuid): Promise<Invocation | undefined> {
    const { state } = await this.execution.repository.load(invocationStream(invocationId));
    return isInvocation(state) ? state : undefined;
  }

  /** A refusal has a stream of its own: the call may be made under its id once it is allowed. */
  async #record(refused: RefusedCall, context: Origin): Promise<boolean> {
    const { caller, basedOn, invocationId: plannedId, ...rest } = refused;
    if (!(await this.#mayRecord(caller))) return false;
    const invocationId = deriveUuid(['refusal', plannedId, encodeBase64Url(this.random(16))]);
    const record = { ...rest, invocationId, plannedId, caller: recordedCaller(caller) };
    const content = { kind: 'refuse', target: invocationId, body: record };
    const envelope = onceEnvelopeOf(caller, content, this.random, context);
    const command: InvocationCommand = { kind: 'refuse', refused: record };
    return (await this.#store(invocationId, command, envelope, basedOn)).ok;
  }

  /** Which of some calls the view has. */
  #shown(invocationIds: readonly Uuid[]): ReadonlySet<Uuid> {
    const rows = this.readModel
      .prepare<{ readonly invocationId: Uuid }>(
        `SELECT invocation_id AS invocationId FROM approvals
         WHERE invocation_id IN (SELECT value FROM json_each(@ids))`,
      )
      .all({ ids: JSON.stringify(invocationIds) });
    return new Set(rows.map(({ invocationId }) => invocationId));
  }

  async #mayRecord({ tenant, agent, principal }: Caller): Promise<boolean> {
    const caller = agent === null ? [tenant, principal] : [agent];
    return await this.#recording.consume(JSON.stringify(caller)).then(
      () => true,
      () => false,
    );
  }

  async #store(
    invocationId: Uuid,
    command: InvocationCommand,
    envelope: CommandEnvelope,
    basedOn: Readonly<Record<string, number>>,
  ): Promise<Result<undefined, Rejection>> {
    const { nothing } = this.execution.repository;
    const stored = await this.execution.record(invocationId, command, envelope, basedOn, nothing);
    return stored.ok ? ok(undefined) : stored;
  }
}
