import type { HostedAgent } from '../../config/hosted-agents.js';
import type { InvocationToApprove } from '../../invocations/domain/invocation.js';
import { SCOPES, type Caller } from '../../kernel/caller.js';
import type { Uuid } from '../../kernel/ids.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { failureMetadata, failureOfTurn } from '../direct-invoke/direct-failure.js';
import type { DirectPlanner } from '../direct-invoke/direct-planner.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { asHandled, heldDirectCall, heldMessage } from './held-message.js';
import type { ReceivedMessage } from './received-message.js';
import type { DirectTurn, PlannedCall } from './turn-plan.js';
import type { TurnPlanner } from './turn-planner.js';

/** What held calls are planned anew by. */
export interface HeldCallParts {
  readonly agents: readonly HostedAgent[];
  readonly planner: Pick<TurnPlanner, 'call'>;
  readonly directPlanner: Pick<DirectPlanner, 'plan'>;
  /** Null: not served. */
  readonly directInvokeExtensionUri: string | null;
}

/** A call that waited, as it could be made now. */
export interface ReplannedCall {
  readonly received: ReceivedMessage;
  readonly plan: PlannedCall;
}

/** `void`: it cannot be made any more; `later`: not here, or not now. */
export type NotReplanned = 'void' | 'later';

/** Refusals that say nothing about the call. */
const PASSING: ReadonlySet<string> = new Set(['Unavailable', 'RateLimited']);
/** Nor do those with these codes: this node has no handler, or cannot read a contract at the moment. */
const PASSING_CODES: ReadonlySet<string> = new Set(['handler-absent', 'contract-unreadable']);

/** Makes calls that waited for an approval again what they were, and plans them anew. */
export class HeldCalls {
  constructor(private readonly parts: HeldCallParts) {}

  /**
   * As the caller of then: with the scopes that were recorded of its token, under the terms that were
   * in force, with the message that the task holds.
   */
  async plan(
    stored: StoredTask,
    invocation: InvocationToApprove,
  ): Promise<Result<ReplannedCall, NotReplanned>> {
    const { agents } = this.parts;
    const agent = agents.find(({ agentId }) => agentId === stored.agentId);
    if (agent === undefined) return err('later');
    const message = heldMessage(stored.task);
    const { terms } = invocation.call;
    const caller = callerOfThen(invocation);
    const digest = message && stored.messages.get(message.messageId);
    if (message === undefined || digest === undefined || caller === null || terms === null) {
      return err('void');
    }
    const { directInvokeExtensionUri: uri } = this.parts;
    const acceptedOutputModes = stored.hold?.outputModes ?? [];
    const received: ReceivedMessage = {
      request: {
        agent,
        caller,
        extensions: new Set(uri === null ? [] : [uri]),
        correlationId: invocation.call.invocationId,
        traceparent: null,
        receivedAt: performance.now(),
        signal: new AbortController().signal,
      },
      owner: stored.owner,
      params: { message, configuration: { acceptedOutputModes } },
      digest,
      contract: { interactionId: terms.interactionId, termsHash: terms.termsHash },
    };
    const plan = await this.#plan(received, stored);
    if (!plan.ok) return err(isPassing(plan.error) ? 'later' : 'void');
    if (plan.value.direct !== null && plan.value.direct.refusedLast !== null) return err('later');
    return ok({ received, plan: plan.value });
  }

  /** What the last status of the task says of a direct invoke that was never made; null for others. */
  direct(stored: StoredTask): Pick<DirectTurn, 'failure'> | null {
    const { directInvokeExtensionUri: uri } = this.parts;
    const call = heldDirectCall(stored, uri);
    if (uri === null || call === null) return null;
    return { failure: (why) => failureMetadata(uri, call, failureOfTurn(why)) };
  }

  async #plan(
    received: ReceivedMessage,
    stored: StoredTask,
  ): Promise<Result<PlannedCall, A2aRefusal>> {
    const { planner, directPlanner, directInvokeExtensionUri } = this.parts;
    const { task, binding, routing } = stored;
    const taskId = task.id as Uuid;
    if (binding === null || routing === null) throw new TypeError('a held task is bound');
    const call = heldDirectCall(stored, directInvokeExtensionUri);
    if (call !== null) return await directPlanner.plan(received, call, taskId);
    const { message, configuration } = received.params;
    return await planner.call(received, taskId, {
      skillId: binding.skillId,
      // A first message goes to whom the manifest names by now.
      handler: routing.layer === 'continuing-task' ? binding.handler : null,
      routing,
      message: asHandled(stored, message),
      accepted: configuration?.acceptedOutputModes,
    });
  }
}

function callerOfThen({ call, approval }: InvocationToApprove): Caller | null {
  if (call.caller === null) return null;
  const allScopes = new Set(approval.scopes);
  const scopes = new Set(SCOPES.filter((scope) => allScopes.has(scope)));
  return { ...call.caller, scopes, allScopes };
}

/** A direct invoke's refusal has the code in its metadata. */
function isPassing({ error, code = '', metadata }: A2aRefusal): boolean {
  const inner = metadata?.['refusal'] ?? '';
  return PASSING.has(error) || PASSING_CODES.has(code) || PASSING_CODES.has(inner);
}
