import {
  commandIdentity,
  type CommandEnvelope,
  type RandomBytes,
} from '../event-store/command-execution.js';
import type { Actor } from '../kernel/envelope.js';
import { encodeBase64Url } from '../kernel/base64url.js';
import type { Caller } from '../kernel/caller.js';
import type { Origin } from './commands/invocation-ledger.js';
import type { InvocationCaller } from './domain/events.js';

/** What is recorded. */
interface Entry {
  readonly kind: string;
  readonly target: string;
  readonly body: unknown;
}

const ANONYMOUS: Actor = { principal: 'anonymous', agent: null, tenant: null };

/**
 * The envelope of an entry.
 * @param idempotencyKey under which the same entry is a retry; undefined: its content is the key
 */
export function envelopeOf(
  actor: Actor,
  content: Entry,
  idempotencyKey: string | undefined,
  origin: Origin,
): CommandEnvelope {
  const identity = commandIdentity({ actor, idempotencyKey, content, head: null });
  const { correlationId, traceparent } = origin;
  return { actor, correlationId, causationId: null, traceparent, ...identity };
}

/** Never the same twice: whoever comes second with the same words is no retry, and is told so. */
export function onceEnvelopeOf(
  caller: Caller | null,
  content: Entry,
  random: RandomBytes,
  origin: Origin,
): CommandEnvelope {
  return envelopeOf(actorOf(caller), content, encodeBase64Url(random(16)), origin);
}

function actorOf(caller: Caller | null): Actor {
  if (caller === null) return ANONYMOUS;
  const { principal, agent, tenant } = caller;
  return { principal, agent, tenant };
}

/** What of a caller is kept. */
export function recordedCaller({ principal, client, agent, tenant }: Caller): InvocationCaller {
  return { principal, client, agent, tenant };
}
