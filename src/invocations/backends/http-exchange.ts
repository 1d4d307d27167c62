import type { Exchange } from './exchange.js';

/**
 * Posts `{skillId, arguments, invocationId, traceId?}`; the answer's document is the output. A backend
 * that sees an `Idempotency-Key` again sees a repetition.
 */
export const httpExchange: Exchange = (call, guard) => {
  const { skillId, arguments: args, invocationId, traceId } = call;
  return guard.post(
    { skillId, arguments: args, invocationId, ...(traceId === null ? {} : { traceId }) },
    { 'idempotency-key': invocationId },
  );
};
