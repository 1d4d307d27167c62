import type { HostedAgent } from '../../config/hosted-agents.js';
import type { Caller } from '../../kernel/caller.js';
import type { Result } from '../../kernel/result.js';
import type { TaskEvent } from '../tasks/port.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { SendMessageRequest, SendMessageResponse } from '../wire/types.js';

/** A request as both bindings hand it over: negotiated, parsed, its caller known. */
export interface A2aRequest {
  readonly agent: HostedAgent;
  /** Null: no token, and the deployment lets anonymous callers in. */
  readonly caller: Caller | null;
  /** Extensions that were activated, exact URIs. */
  readonly extensions: ReadonlySet<string>;
  readonly correlationId: string;
  readonly traceparent: string | null;
  /** When the server had its head: milliseconds of `performance.now()`. */
  readonly receivedAt: number;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/**
 * SendMessage and SendStreamingMessage, by `AgentMessages`; the other operations ask `Tasks` and
 * `PushConfigs` directly.
 */
export abstract class MessageExecution {
  /**
   * Routes, admits, runs. Answers when the turn has ended (terminal or interrupted), or at once with
   * `returnImmediately`. `historyLength` is applied.
   */
  abstract send(
    request: A2aRequest,
    params: SendMessageRequest,
  ): Promise<Result<SendMessageResponse, A2aRefusal>>;

  /** The same as a stream: the task first, then its events as they become durable. */
  abstract stream(
    request: A2aRequest,
    params: SendMessageRequest,
  ): Promise<Result<AsyncIterable<TaskEvent>, A2aRefusal>>;
}
