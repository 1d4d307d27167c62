import type { InteractionEvent } from '../../../interactions/domain/events.js';
import type { InvocationEvent } from '../../../invocations/domain/events.js';
import type { EventEnvelope } from '../../../kernel/envelope.js';
import { parseAgentId, type AgentId, type InteractionId } from '../../../kernel/ids.js';
import type { JsonObject } from '../../../kernel/json.js';

/** Whom a stream concerns. It never changes: the stream's name tells it, or its first event. */
export type StreamSubject =
  | { readonly kind: 'platform-keys' }
  /** The agent's own stream, its card's, or that of one of its capabilities. */
  | { readonly kind: 'agent'; readonly agentId: AgentId }
  | {
      readonly kind: 'interaction';
      readonly interactionId: InteractionId;
      readonly parties: readonly AgentId[];
    }
  | {
      readonly kind: 'invocation';
      /** The hosted agent that was called. */
      readonly agentId: AgentId;
      /** As its token said; null without one. */
      readonly caller: { readonly agent: AgentId | null; readonly tenant: string } | null;
      /** Whose entries its texts repeat; null when it has none. */
      readonly contract: InteractionId | null;
    }
  /** Begun in a way that this build does not know. */
  | { readonly kind: 'unknown' };

const OF_AGENT = /^(?:(?:agent|card)-([^/]+)|capability-([^/]+)\/[^/]+)$/;
const OF_MANY = /^(?:interaction|invocation)-/;

/** What the name alone tells; undefined where the stream's first event has to be asked. */
export function subjectOfName(stream: string): StreamSubject | undefined {
  if (stream === 'platform-keys') return { kind: 'platform-keys' };
  if (OF_MANY.test(stream)) return undefined;
  const [, own, offered] = OF_AGENT.exec(stream) ?? [];
  const agentId = parseAgentId(own ?? offered ?? '');
  return agentId === undefined ? { kind: 'unknown' } : { kind: 'agent', agentId };
}

const FIRST_OF_CALLS: ReadonlySet<string> = new Set([
  'approval-requested',
  'invocation-admitted',
  'invocation-refused',
] satisfies readonly InvocationEvent['type'][]);

/** Whoever asks for an approval repeats what asks for it. */
const FIRST_WITH_TEXTS: InvocationEvent['type'] = 'approval-requested';

const FIRST_OF_INTERACTIONS: InteractionEvent['type'] = 'interaction-proposed';

/**
 * What the first event of an interaction's or an invocation's stream tells. Nothing is known of types
 * of other builds, so what they begin is nobody's.
 */
export function subjectOfFirst({
  type,
  data,
}: Pick<EventEnvelope, 'type' | 'data'>): StreamSubject {
  if (FIRST_OF_CALLS.has(type)) return invocation(data, type === FIRST_WITH_TEXTS);
  if (type !== FIRST_OF_INTERACTIONS) return { kind: 'unknown' };
  return {
    kind: 'interaction',
    interactionId: data['interactionId'] as InteractionId,
    parties: data['parties'] as readonly AgentId[],
  };
}

/** The interaction with whose texts those of the stream are erased; undefined when there is none. */
export function erasedWith(subject: StreamSubject): InteractionId | undefined {
  switch (subject.kind) {
    case 'interaction':
      return subject.interactionId;
    case 'invocation':
      return subject.contract ?? undefined;
    case 'agent':
    case 'platform-keys':
    case 'unknown':
      return undefined;
  }
}

function invocation(data: JsonObject, hasTexts: boolean): StreamSubject {
  const caller = data['caller'] as { agent: AgentId | null; tenant: string } | null;
  return {
    kind: 'invocation',
    agentId: data['agentId'] as AgentId,
    caller: caller === null ? null : { agent: caller.agent, tenant: caller.tenant },
    contract: hasTexts ? (data['terms'] as { interactionId: InteractionId }).interactionId : null,
  };
}

/**
 * The filter `agent`: its own streams (of the agent, its card, its capabilities), the interactions
 * that it is party of, the invocations of its capabilities, and those that it called.
 */
export function concerns(subject: StreamSubject, agentId: AgentId): boolean {
  switch (subject.kind) {
    case 'agent':
      return subject.agentId === agentId;
    case 'interaction':
      return subject.parties.includes(agentId);
    case 'invocation':
      return subject.agentId === agentId || subject.caller?.agent === agentId;
    case 'platform-keys':
    case 'unknown':
      return false;
  }
}
