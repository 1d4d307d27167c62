import { copyOfCaller } from '../../kernel/caller.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { ownCopy } from '../../kernel/own-copy.js';
import { err, type Result } from '../../kernel/result.js';
import type { Backend, BackendCall, BackendFailure } from '../commands/backends.js';
import { AttemptFault, backendFailureOf, wordFor } from './attempt-fault.js';
import type { BackendTokens } from './backend-tokens.js';
import type { DirectInvokeCall, DirectInvokeImplementation } from './direct-invoke-handler.js';
import { outputOf } from './output.js';

/**
 * A handler in this process. Whoever called does not wait for it when its time is over, and so is told
 * when it has really ended.
 */
export class InProcessBackend implements Backend {
  constructor(
    readonly summary: JsonObject,
    private readonly implementation: DirectInvokeImplementation,
    private readonly tokens: BackendTokens,
  ) {}

  async invoke(call: BackendCall): Promise<Result<Json, BackendFailure>> {
    if (call.signal.aborted) {
      return err(
        backendFailureOf(new AttemptFault('not-tried', 'its time was over before it began')),
      );
    }
    let isOver = false;
    // All that it may change is its own: the tokens, and what is kept of the call, are not.
    const given: DirectInvokeCall = {
      ...call,
      arguments: ownCopy(call.arguments),
      caller: copyOfCaller(call.caller),
      scopes: [...call.scopes],
      terms: ownCopy(call.terms),
      token: async (audience) => {
        if (isOver || call.signal.aborted) throw new AttemptFault('canceled', 'the call is over');
        const token = await this.tokens.issue(call, audience);
        if (!token.ok) throw new AttemptFault('answered', token.error.code);
        return token.value;
      },
    };
    try {
      const output = outputOf(await this.implementation.invoke(given));
      return output.ok ? output : failed(output.error);
    } catch (error) {
      // Our own word, if the handler lets it through.
      if (error instanceof AttemptFault) return err(backendFailureOf(error));
      return failed(`the handler threw (${wordFor(error)})`);
    } finally {
      isOver = true;
    }
  }
}

function failed(detail: string): Result<never, BackendFailure> {
  return err(backendFailureOf(new AttemptFault('answered', detail)));
}
