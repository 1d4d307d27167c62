import {
  InvocationLedger,
  type Admission,
  type InvocationOutcome,
  type OverdueInvocation,
} from '../../../src/invocations/commands/invocation-ledger.js';
import type { Uuid } from '../../../src/kernel/ids.js';
import type { Rejection } from '../../../src/kernel/rejection.js';
import { err, ok, type Result } from '../../../src/kernel/result.js';

/** A ledger in memory. */
export class MemoryLedger extends InvocationLedger {
  readonly admissions: Admission[] = [];
  readonly outcomes = new Map<Uuid, InvocationOutcome>();

  async admit(admission: Admission): Promise<Result<undefined, Rejection>> {
    const isKnown = this.admissions.some(
      ({ invocationId }) => invocationId === admission.invocationId,
    );
    if (isKnown) return err({ code: 'contention' });
    this.admissions.push(admission);
    return ok(undefined);
  }

  async end(invocationId: Uuid, outcome: InvocationOutcome): Promise<void> {
    if (!this.admissions.some((each) => each.invocationId === invocationId)) {
      throw new Error(`${invocationId} was never admitted`);
    }
    if (!this.outcomes.has(invocationId)) this.outcomes.set(invocationId, outcome);
  }

  async overdue(): Promise<readonly OverdueInvocation[]> {
    return [];
  }

  /** How the calls ended, in the order of their admission. */
  get ends(): readonly (InvocationOutcome | undefined)[] {
    return this.admissions.map(({ invocationId }) => this.outcomes.get(invocationId));
  }
}
