import { commandIdentity, type CommandEnvelope } from '../event-store/command-execution.js';
import type { RequestContext } from './request-context.js';

/** What is asked, as it counts for telling a retry from another request. */
export interface RequestedCommand {
  /** Which command. */
  readonly kind: string;
  /** The id of the resource that it is about. */
  readonly target: string;
  /** The request body as parsed. */
  readonly body: unknown;
  /**
   * The head that it is about: as the stream's kind says it where the request names it, else in any
   * canonical form. Null for commands that create.
   */
  readonly head: string | null;
  /** The request says so itself, perhaps outside of its body: a retry has to name it, too. */
  readonly isHeadNamed?: true;
}

/** Everything but the command itself that its events will say of a request. */
export function commandEnvelopeOf(
  request: RequestContext,
  { kind, target, body, head, isHeadNamed }: RequestedCommand,
): CommandEnvelope {
  const { principal, agent, tenant } = request.caller;
  const actor = { principal, agent, tenant };
  const identity = commandIdentity({
    actor,
    idempotencyKey: request.idempotencyKey ?? undefined,
    content: { kind, target, body },
    head,
  });
  return {
    actor,
    correlationId: request.correlationId,
    causationId: null,
    traceparent: request.traceparent,
    ...identity,
    ...(head !== null && isHeadNamed && { namedHead: head }),
  };
}
