import type { Json, JsonObject } from '../../kernel/json.js';
import { err, type Result } from '../../kernel/result.js';
import type { Backend, BackendCall, BackendFailure } from '../commands/backends.js';
import { AttemptFault, failureOf, wordFor } from './attempt-fault.js';
import type { BackendTokens } from './backend-tokens.js';
import type { DirectInvokeCall, DirectInvokeImplementation } from './direct-invoke-handler.js';
import { outputOf } from './output.js';

/** A handler in this process. When its time is over it is not waited for. */
export class InProcessBackend implements Backend {
  constructor(
    readonly summary: JsonObject,
    private readonly implementation: DirectInvokeImplementation,
    private readonly tokens: BackendTokens,
  ) {}

  async invoke(call: BackendCall): Promise<Result<Json, BackendFailure>> {
    const { signal } = call;
    if (signal.aborted) return over('not-tried');
    return new Promise((resolve) => {
      const giveUp = (): void => {
        resolve(over('timed-out'));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      void this.#run(call).then((answer) => {
        signal.removeEventListener('abort', giveUp);
        resolve(answer);
      });
    });
  }

  async #run(call: BackendCall): Promise<Result<Json, BackendFailure>> {
    let isOver = false;
    const withToken: DirectInvokeCall = {
      ...call,
      token: async (audience) => {
        if (isOver || call.signal.aborted) throw new AttemptFault('canceled', 'the call is over');
        const token = await this.tokens.issue(call, audience);
        if (!token.ok) throw new AttemptFault('answered', token.error.code);
        return token.value;
      },
    };
    try {
      const output = outputOf(await this.implementation.invoke(withToken));
      return output.ok ? output : failed(output.error);
    } catch (error) {
      // Our own word, if the handler lets it through.
      if (error instanceof AttemptFault) return err(failureOf(error));
      return failed(`the handler threw (${wordFor(error)})`);
    } finally {
      isOver = true;
    }
  }
}

function over(kind: 'not-tried' | 'timed-out'): Result<never, BackendFailure> {
  return err(failureOf(new AttemptFault(kind, 'the handler did not answer in time')));
}

function failed(detail: string): Result<never, BackendFailure> {
  return err(failureOf(new AttemptFault('answered', detail)));
}
