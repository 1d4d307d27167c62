import type { AcceptanceMethod } from '../../../kernel/federated-interaction.js';
import { failure, gap, type Flaw } from '../check-result.js';
import { MAX_KEYS } from '../limits.js';
import type { PlacedEvent } from './entry.js';
import { illegal } from './erasure-rules.js';
import type { AgentChangeEvent, AgentEvent } from './event-data.js';
import type { Ignorance, KeyHistory } from './key-history.js';

/** Of one agent, its registration aside. */
const MAX_CHANGES = 10_000;

/** What the rules of an agent's next event depend on. */
interface AgentSoFar {
  readonly keys: KeyHistory;
  readonly isRegistered: boolean;
  readonly isRetired: boolean;
  readonly ignorance: Ignorance | null;
}

/**
 * May this event follow? Who asked for it, and by what right, is looked at elsewhere. What is known to be
 * forbidden is so whatever else is not known of the agent.
 *
 * @param goesWithFirstKey that the event is the second half of the command that gave the agent its first key
 */
export function agentTransitionFlaw(
  agent: AgentSoFar,
  event: AgentEvent,
  { stream, revision }: PlacedEvent['envelope'],
  goesWithFirstKey: boolean,
): Flaw | undefined {
  if (stream !== `agent-${event.data.agentId}`) return failure('entry-misplaced');
  if (event.type === 'agent-registered') {
    if (revision !== 0) return illegal('a registration is the first event');
    return methodsFlaw(event.data.methods, event.data.keys.length > 0);
  }
  const { ignorance } = agent;
  if (!agent.isRegistered) {
    return ignorance === null ? illegal('nothing is registered') : gap(ignorance);
  }
  // Its keys go on signing what is left to do, so each of them can still be taken away.
  if (agent.isRetired && event.type !== 'agent-key-revoked') {
    return illegal(`${event.type} after the agent had retired`);
  }
  const isProtective = event.type === 'agent-key-revoked' || event.type === 'agent-retired';
  // Both halves of a command are asked for at once, when there was one change less.
  if (revision > MAX_CHANGES && !isProtective && !goesWithFirstKey) {
    return illegal(`more than ${MAX_CHANGES} changes`);
  }
  return contentFlaw(agent, event) ?? (ignorance === null ? undefined : gap(ignorance));
}

/** May the agent, as far as it is known, be changed to this? */
function contentFlaw({ keys, ignorance }: AgentSoFar, event: AgentChangeEvent): Flaw | undefined {
  const unknown = (keyId: string): Flaw =>
    ignorance === null ? failure('key-unregistered', keyId) : gap(ignorance, keyId);
  switch (event.type) {
    case 'agent-key-added': {
      if (keys.size >= MAX_KEYS) return illegal(`more than ${MAX_KEYS} keys`);
      const { replaces } = event.data;
      if (replaces === null) return undefined;
      const replaced = keys.find(replaces);
      if (replaced === undefined) return unknown(replaces);
      return replaced.endedAt === null ? undefined : illegal(`${replaces} had ended already`);
    }
    case 'agent-key-revoked': {
      const { keyId } = event.data;
      const key = keys.find(keyId);
      if (key === undefined) return unknown(keyId);
      // A replaced key may still be revoked: that it was stolen can turn out later.
      return key.revoked ? illegal(`${keyId} was revoked before`) : undefined;
    }
    case 'agent-methods-changed':
      return methodsFlaw(event.data.methods, !keys.isEmpty || ignorance !== null);
    case 'agent-policy-changed':
    case 'agent-clients-changed':
    case 'agent-transport-changed':
    case 'agent-retired':
      return undefined;
  }
}

/** Some, each once, and `ed25519` only for an agent that has ever had keys. */
function methodsFlaw(methods: readonly AcceptanceMethod[], mayHaveKeys: boolean): Flaw | undefined {
  if (methods.length === 0) return illegal('no method is left to accept by');
  if (new Set(methods).size !== methods.length) return illegal('a method is named twice');
  return mayHaveKeys || !methods.includes('ed25519') ? undefined : illegal('ed25519 without a key');
}
