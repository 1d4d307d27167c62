import { actingAs } from '../../../agents/domain/acting.js';
import type { Agent } from '../../../agents/domain/agent.js';
import { INTERACTION_STREAM_PREFIX } from '../../../interactions/domain/stream.js';
import type { InvocationEvent } from '../../../invocations/domain/events.js';
import type { Caller } from '../../../kernel/caller.js';
import type { AgentId } from '../../../kernel/ids.js';
import type { StreamSubject } from './stream-subject.js';

/**
 * What a reader gets of a stream: `nothing` (it is not there), of a call what its `caller` knows, its
 * texts sealed (see {@link isDisclosed}), or `everything`.
 */
export type Disclosure = 'nothing' | 'as-caller' | 'everything';

/** That a call was admitted, how it ended, that it was refused. */
const KNOWN_TO_CALLERS: ReadonlySet<string> = new Set([
  'invocation-admitted',
  'invocation-ended',
  'invocation-refused',
] satisfies readonly InvocationEvent['type'][]);

/** Approvals are the called agent's tenant's own business, so its caller is told of no event of theirs. */
export function isDisclosed(disclosure: Disclosure, type: string): boolean {
  return disclosure === 'everything' || (disclosure === 'as-caller' && KNOWN_TO_CALLERS.has(type));
}

/** How far a reader sees: every stream, what concerns its tenant, or the interactions of its agents. */
type ReplaySight = 'everything' | 'tenant' | 'as-party';

function sightOf({ scopes }: Caller): ReplaySight {
  if (scopes.has('audit:read-all')) return 'everything';
  return scopes.has('audit:read') ? 'tenant' : 'as-party';
}

/** False: nobody need look whom the stream concerns, since the reader sees nothing of its kind. */
export function mayDisclose(caller: Caller, stream: string): boolean {
  return sightOf(caller) !== 'as-party' || stream.startsWith(INTERACTION_STREAM_PREFIX);
}

/** The agents whose heads {@link disclosureTo} asks for: none where the answer needs none. */
export function agentsBehind(caller: Caller, subject: StreamSubject): readonly AgentId[] {
  const sight = sightOf(caller);
  if (sight === 'everything') return [];
  if (subject.kind === 'interaction') return subject.parties;
  if (sight === 'as-party') return [];
  if (subject.kind === 'agent' || subject.kind === 'invocation') return [subject.agentId];
  return [];
}

/**
 * Who may replay what. `audit:read-all`: everything. `audit:read`: what concerns the reader's
 * tenant, platform keys included; of a call that its tenant made of another one's agent not what an
 * approver did. Without either: the interactions of which
 * the token acts for a party, and nothing else. Other scopes open nothing here.
 *
 * @param agents those of {@link agentsBehind} as they are now; unknown ones are absent
 */
export function disclosureTo(
  caller: Caller,
  subject: StreamSubject,
  agents: ReadonlyMap<AgentId, Agent>,
): Disclosure {
  const sight = sightOf(caller);
  if (sight === 'everything') return 'everything';
  const isOwn = (agentId: AgentId): boolean => agents.get(agentId)?.tenant === caller.tenant;
  switch (subject.kind) {
    case 'interaction':
      return subject.parties.some(sight === 'tenant' ? isOwn : mayAct(caller, agents))
        ? 'everything'
        : 'nothing';
    case 'agent':
      return sight === 'tenant' && isOwn(subject.agentId) ? 'everything' : 'nothing';
    case 'invocation':
      if (sight !== 'tenant') return 'nothing';
      if (isOwn(subject.agentId)) return 'everything';
      return subject.caller?.tenant === caller.tenant ? 'as-caller' : 'nothing';
    case 'platform-keys':
      return sight === 'tenant' ? 'everything' : 'nothing';
    case 'unknown':
      return 'nothing';
  }
}

function mayAct(
  caller: Caller,
  agents: ReadonlyMap<AgentId, Agent>,
): (agentId: AgentId) => boolean {
  return (agentId) => {
    const agent = agents.get(agentId);
    return agent !== undefined && actingAs(caller, agent) !== undefined;
  };
}
