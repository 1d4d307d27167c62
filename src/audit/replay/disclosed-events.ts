import { keyScopeOf } from '../../event-store/codec.js';
import type { DataKey, KeyStore } from '../../event-store/key-store.js';
import type { RecordedEnvelope } from '../../event-store/port.js';
import { SealBroken, unseal } from '../../event-store/sealing.js';
import type { Caller } from '../../kernel/caller.js';
import type { RecordedErasures } from '../../interactions/queries/recorded-erasures.js';
import { ERASED, type Erased } from '../../kernel/event.js';
import type { AgentId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';
import type { CurrentAgents } from './current-agents.js';
import {
  agentsBehind,
  disclosureTo,
  isDisclosed,
  mayDisclose,
  type Disclosure,
} from './domain/disclosure.js';
import { concerns, erasedWith, type StreamSubject } from './domain/stream-subject.js';
import { asksFor, type ReplayQuery } from './replay-query.js';
import type { StreamSubjects } from './stream-subjects.js';

/** An event that a reader asked for and may have. */
export interface DisclosedEvent {
  readonly envelope: RecordedEnvelope;
  /**
   * Unsealed; null for an event without. Undefined where they stay sealed: not asked for, not for this
   * reader, erased (as the log or the key store says), or sealed with a key that this service does not
   * have.
   */
  readonly texts: JsonObject | null | undefined;
}

interface Candidate {
  readonly envelope: RecordedEnvelope;
  readonly subject: StreamSubject;
}

type Admitted = Candidate & { readonly disclosure: Disclosure };

/** What one replay tells of events that were read, in their order. */
export type Disclose = (events: readonly RecordedEnvelope[]) => Promise<readonly DisclosedEvent[]>;

/** From what was read to what is told: asked for, permitted, unsealed. */
export class DisclosedEvents {
  /** @param agents of one replay: another one's are as they were before it began */
  constructor(
    private readonly subjects: StreamSubjects,
    private readonly agents: () => CurrentAgents,
    private readonly keys: Pick<KeyStore, 'findAll'>,
    private readonly erasures: Pick<RecordedErasures, 'among'>,
  ) {}

  /** For one replay, from its beginning on. */
  to(caller: Caller, query: ReplayQuery): Disclose {
    const agents = this.agents();
    return (events) => this.#of(events, caller, query, agents);
  }

  async #of(
    events: readonly RecordedEnvelope[],
    caller: Caller,
    query: ReplayQuery,
    agents: CurrentAgents,
  ): Promise<readonly DisclosedEvent[]> {
    const candidates = await this.#candidates(events, caller, query);
    const admitted = await admittedAmong(candidates, caller, agents);
    const keys = query.texts ? await this.#keysOf(admitted) : NO_KEYS;
    return admitted.map(({ envelope, disclosure }) => ({
      envelope,
      texts: textsOf(envelope, disclosure === 'everything' ? keys : NO_KEYS),
    }));
  }

  /** The keys of what may be opened: not of what the log says is erased, though they be there again. */
  async #keysOf(admitted: readonly Admitted[]): Promise<Keys> {
    const sealed = admitted.filter(
      ({ envelope, disclosure }) => disclosure === 'everything' && envelope.sealed !== null,
    );
    const erasable = sealed.flatMap(({ subject }) => erasedWith(subject) ?? []);
    const erased = await this.erasures.among(erasable);
    const scopes = new Set<string>();
    for (const { envelope, subject } of sealed) {
      const interactionId = erasedWith(subject);
      if (interactionId !== undefined && erased.has(interactionId)) continue;
      scopes.add(keyScopeOf(envelope.stream));
    }
    return scopes.size === 0 ? NO_KEYS : await this.keys.findAll([...scopes]);
  }

  async #candidates(
    events: readonly RecordedEnvelope[],
    caller: Caller,
    query: ReplayQuery,
  ): Promise<readonly Candidate[]> {
    const candidates: Candidate[] = [];
    for (const envelope of events) {
      if (!asksFor(query, envelope) || !mayDisclose(caller, envelope.stream)) continue;
      const subject = await this.subjects.of(envelope);
      if (query.agent !== undefined && !concerns(subject, query.agent)) continue;
      candidates.push({ envelope, subject });
    }
    return candidates;
  }
}

async function admittedAmong(
  candidates: readonly Candidate[],
  caller: Caller,
  current: CurrentAgents,
): Promise<readonly Admitted[]> {
  const agentIds = new Set<AgentId>();
  for (const { subject } of candidates) {
    for (const agentId of agentsBehind(caller, subject)) agentIds.add(agentId);
  }
  const agents = await current.of(agentIds, candidates.at(-1)?.envelope.position);
  return candidates.flatMap((candidate) => {
    const disclosure = disclosureTo(caller, candidate.subject, agents);
    return isDisclosed(disclosure, candidate.envelope.type) ? [{ ...candidate, disclosure }] : [];
  });
}

type Keys = ReadonlyMap<string, DataKey | Erased>;

const NO_KEYS: Keys = new Map();

/** A text that does not open keeps no auditor from the event, whose sealed bytes are what counts. */
function textsOf(envelope: RecordedEnvelope, keys: Keys): DisclosedEvent['texts'] {
  if (envelope.sealed === null) return null;
  const key = keys.get(keyScopeOf(envelope.stream));
  if (key === undefined || key === ERASED) return undefined;
  try {
    return unseal(envelope.sealed, key, envelope);
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
}
