import { ok, err, type Result } from '../../kernel/result.js';
import type { Uuid } from '../../kernel/ids.js';
import { directFailure } from '../direct-invoke/direct-failure.js';
import { isRunning } from '../tasks/domain/task-fold.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { TaskEvent, Tasks } from '../tasks/port.js';
import { withHistoryLength } from '../wire/history.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { SendMessageRequest, SendMessageResponse } from '../wire/types.js';
import { MessageExecution, type A2aRequest } from './agent-operations.js';
import { invalidAgentResponse } from './execution-refusals.js';
import type { MessageIntake } from './message-intake.js';
import type { RunningTurns } from './running-turns.js';
import type { TakenMessage } from './turn-starter.js';
import type { Turn, TurnEnd } from './turn.js';

/** How long a stream waits for the handler's first word, which may be a message instead of a task. */
const OPENING_MS = 150;

/** Lets messages in and tells their senders how the turn goes. Whether they listen changes nothing. */
export class AgentMessages extends MessageExecution {
  constructor(
    private readonly intake: MessageIntake,
    private readonly tasks: Tasks,
    private readonly turns: Pick<RunningTurns, 'of'>,
    /** Null: not served. */
    private readonly directInvokeExtensionUri: string | null,
  ) {
    super();
  }

  async send(
    request: A2aRequest,
    params: SendMessageRequest,
  ): Promise<Result<SendMessageResponse, A2aRefusal>> {
    const taken = await this.#take(request, params);
    if (!taken.ok) return taken;
    const { historyLength, returnImmediately = false } = params.configuration ?? {};
    const shownNow = returnImmediately ? await this.#show(taken.value) : undefined;
    const end =
      shownNow === undefined
        ? await this.#endOf(taken.value, request.signal)
        : { stored: shownNow, isBroken: false };
    const failure = this.#failure(request, end);
    return failure === undefined ? ok(shown(end.stored, historyLength)) : err(failure);
  }

  /** What is no answer but an error: of a direct invoke that failed, of a handler that makes no sense. */
  #failure({ extensions }: A2aRequest, { stored, isBroken }: TurnEnd): A2aRefusal | undefined {
    const uri = this.directInvokeExtensionUri;
    const isDirect = uri !== null && extensions.has(uri);
    const failure = isDirect ? directFailure(stored, uri) : undefined;
    return failure ?? (isBroken ? invalidAgentResponse(stored.task.id) : undefined);
  }

  async stream(
    request: A2aRequest,
    params: SendMessageRequest,
  ): Promise<Result<AsyncIterable<TaskEvent>, A2aRefusal>> {
    const taken = await this.#take(request, params);
    if (!taken.ok) return taken;
    return ok(this.#events(taken.value, request.signal, params.configuration?.historyLength));
  }

  async *#events(
    taken: TakenMessage,
    signal: AbortSignal,
    historyLength: number | undefined,
  ): AsyncGenerator<TaskEvent, undefined> {
    const { turn } = taken;
    const isTask = turn === null || (await opening(turn)) === 'task';
    const shownFirst = isTask ? await this.#show(taken) : undefined;
    const first = shownFirst ?? (await this.#endOf(taken, signal)).stored;
    yield { id: String(first.revision), response: shown(first, historyLength) };
    if (!isRunning(first)) return;
    yield* this.tasks.watch(first.task.id as Uuid, first.revision, signal);
  }

  /** A message that was sent again waits for its turn, if that is here, as the one that began it. */
  async #take(
    request: A2aRequest,
    params: SendMessageRequest,
  ): Promise<Result<TakenMessage, A2aRefusal>> {
    const taken = await this.intake.take(request, params);
    if (!taken.ok || taken.value.turn !== null) return taken;
    const { stored } = taken.value;
    return ok({ stored, turn: this.turns.of(stored.task.id as Uuid) ?? null });
  }

  /** Undefined: it is too late, and there will be a message instead. */
  async #show({ stored, turn }: TakenMessage): Promise<StoredTask | undefined> {
    if (turn === null) return await this.tasks.show(stored);
    return turn.show() ? stored : undefined;
  }

  /** Of the turn here, or of one that another request or another process began. */
  async #endOf({ stored, turn }: TakenMessage, signal: AbortSignal): Promise<TurnEnd> {
    if (turn !== null) return await turn.ended;
    if (!isRunning(stored)) return { stored, isBroken: false };
    const id = stored.task.id as Uuid;
    // Ends with the turn, or when the client is gone.
    for await (const _ of this.tasks.watch(id, stored.revision, signal));
    return { stored: (await this.tasks.load(id)) ?? stored, isBroken: false };
  }
}

function shown(
  { task, answer }: StoredTask,
  historyLength: number | undefined,
): SendMessageResponse {
  return answer === null ? { task: withHistoryLength(task, historyLength) } : { message: answer };
}

/** A handler that says nothing for a while works on a task. */
async function opening(turn: Turn): Promise<'message' | 'task'> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<'task'>((resolve) => {
    timer = setTimeout(resolve, OPENING_MS, 'task');
  });
  const how = await Promise.race([turn.opened, patience]);
  clearTimeout(timer);
  return how;
}
