import { parseAgentId } from '../../../kernel/ids.js';
import { conclude, failure, gap, type CheckResult, type Flaw } from '../check-result.js';
import { dataFlaw } from './data-flaw.js';
import {
  subjectOf,
  type PlacedEvent,
  type ReplayEntry,
  type ReplayOptions,
  type WithheldPlace,
} from './entry.js';
import { parseEnvelope } from './envelope-shape.js';
import { agentEvent, platformKeyEvent } from './event-data.js';
import { AGENT_SHAPES, PLATFORM_KEY_SHAPES } from './event-shapes.js';
import { EventIds } from './event-id.js';
import { InteractionReplay } from './interaction-replay.js';
import type { Ignorance } from './key-history.js';
import { ReplayedAgent } from './replayed-agent.js';
import type { ReplayedInteraction } from './replayed-interaction.js';
import { ReplayedPlatformKeys } from './replayed-platform-keys.js';
import { StreamTails } from './stream-tails.js';

const PLATFORM_KEYS = 'platform-keys';
const AGENT = 'agent-';
const INTERACTION = 'interaction-';

/**
 * Replays the log and recomputes everything in it: give it the entries in log order, and it answers
 * the results of the checks of each, `verified` ones included, in a stable order. It folds agents,
 * platform keys and interactions by itself and shares nothing with the writer but the kernel.
 *
 * Of every event: `envelope`, `stream-order`; of those of agents, platform keys and interactions:
 * `event-data`, `based-on`, `transition`, and whatever else the type asks for. An entry that cannot be
 * read is judged no further, and what follows in its stream is `not-checkable` from there on.
 *
 * Memory grows with the agents, their keys and changes. With a `restingPlace` it grows with nothing else;
 * without one, of every other stream its last revision and moment is kept in it, and of an
 * interaction, without `documents`, some 1 KiB, 100 bytes for each signed act, and the contract while a
 * proposal is open.
 *
 * Over several threads: give every thread the events of agents and of `platform-keys`, and each the
 * events of its own interactions; `judges` says which streams a thread judges, so that each event is
 * judged once. Other streams go to any thread, always the same.
 */
export class LogReplay {
  readonly #eventIds = new EventIds();
  readonly #tails: StreamTails;
  readonly #agents = new Map<string, ReplayedAgent>();
  readonly #platformKeys = new ReplayedPlatformKeys();
  readonly #interactions: InteractionReplay;
  #lastIndex = -1;

  constructor(private readonly options: ReplayOptions) {
    const place = options.restingPlace?.('tails');
    this.#tails = new StreamTails(options.partial ?? false, isEverywhere, place);
    this.#interactions = new InteractionReplay(options, {
      partyNamed: (agentId) => this.#partyNamed(agentId),
      platformKeys: this.#platformKeys,
    });
  }

  /** Takes the next entry of the log. Never throws, whatever the entry is. */
  add({ index, envelope: given, texts }: ReplayEntry): readonly CheckResult[] {
    const parsed = parseEnvelope(given);
    if (!parsed.ok) {
      const flaw = failure('envelope-malformed', parsed.error);
      return [conclude('envelope', `entry ${index}`, flaw)];
    }
    const envelope = parsed.value;
    const placed = { index, envelope, texts };
    const isJudged = this.options.judges?.(envelope.stream) ?? true;
    const results: CheckResult[] = [];
    const say = (check: CheckResult['check'], flaw: Flaw | undefined): void => {
      if (isJudged) results.push(conclude(check, subjectOf(envelope), flaw));
    };
    if (isJudged) say('envelope', this.#eventIds.flaw(envelope));
    const order = this.#orderFlaw(placed);
    say('stream-order', order);
    if (order !== undefined) this.#loseTrack(envelope.stream, 'events-missing');
    if (!isReplayed(envelope.stream)) return results;

    if (isJudged) say('based-on', this.#basedOnFlaw(placed));
    if (envelope.stream.startsWith(INTERACTION)) {
      // An interaction is folded only where it is judged: nothing else needs it.
      const isFirst = order === undefined && envelope.revision === 0;
      if (isJudged) results.push(...this.#interactions.add(placed, isFirst));
      return results;
    }
    const shapes = envelope.stream === PLATFORM_KEYS ? PLATFORM_KEY_SHAPES : AGENT_SHAPES;
    const data = dataFlaw(shapes, placed);
    say('event-data', data);
    if (data !== undefined) this.#loseTrack(envelope.stream, 'events-missing');
    else results.push(...this.#addKeyEvent(placed, isJudged));
    return results;
  }

  /** Takes an entry of which only the place is told; only of agents there are such. */
  withhold(place: WithheldPlace): readonly CheckResult[] {
    const { index, stream, revision } = place;
    const order = this.#indexFlaw(index) ?? this.#tails.withhold(place);
    const isAgent = agentOf(stream) !== undefined;
    this.#loseTrack(stream, order === undefined ? 'events-withheld' : 'events-missing');
    const flaw = isAgent ? order : failure('withheld-unexpected');
    return [conclude('stream-order', subjectOf({ stream, revision }), flaw)];
  }

  /** What the log leads to so far, to be looked at only; undefined when nothing was proposed. */
  interaction(interactionId: string): ReplayedInteraction | undefined {
    return this.#interactions.find(interactionId);
  }

  /**
   * Ids of the interactions of which an event stands at `index` or later, in their order, behind `after`.
   * Nothing may be added meanwhile.
   */
  *interactionsSince(index: number, after = ''): Generator<string, void> {
    for (const stream of this.#tails.since(index, INTERACTION + after)) {
      if (!stream.startsWith(INTERACTION)) return;
      const id = stream.slice(INTERACTION.length);
      if (this.interaction(id) !== undefined) yield id;
    }
  }

  /** What is still owed at the end of the log: a command that recorded half of its events. */
  finish(): readonly CheckResult[] {
    return this.#interactions.finish();
  }

  /**
   * Forgets the revisions of an ended interaction: its status remains, and an erasure can still be
   * judged. Nothing when it has not ended.
   */
  release(interactionId: string): void {
    this.#interactions.release(interactionId);
  }

  /** Puts all states to rest that can be: nothing comes for a while. */
  rest(): void {
    this.#tails.rest();
    this.#interactions.rest();
  }

  #addKeyEvent(placed: PlacedEvent, isJudged: boolean): readonly CheckResult[] {
    const { envelope } = placed;
    const subject = subjectOf(envelope);
    if (envelope.stream === PLATFORM_KEYS) {
      const event = platformKeyEvent(envelope);
      const flaw = isJudged ? this.#platformKeys.judge(event) : undefined;
      this.#platformKeys.record(event, placed);
      return isJudged ? [conclude('platform-key', subject, flaw)] : [];
    }
    const event = agentEvent(envelope);
    const agent = this.#agent(envelope.stream);
    if (agent === undefined) return [];
    const found = isJudged ? agent.judge(event, placed) : [];
    agent.record(event, placed);
    return found.map(({ check, about, flaw }) =>
      conclude(check, about === null ? subject : `${subject}, ${about}`, flaw),
    );
  }

  #agent(stream: string): ReplayedAgent | undefined {
    const agentId = agentOf(stream);
    if (agentId === undefined) return undefined;
    let agent = this.#agents.get(agentId);
    if (agent === undefined) {
      agent = new ReplayedAgent(agentId, this.options.audience, this.options.partial ?? false);
      this.#agents.set(agentId, agent);
    }
    return agent;
  }

  #partyNamed(agentId: string): ReplayedAgent | Ignorance | undefined {
    const agent = this.#agents.get(agentId);
    if (agent?.isRegistered === true) return agent;
    return agent?.ignorance ?? (this.options.partial === true ? 'events-missing' : undefined);
  }

  /** From here on, what the stream held is not known. */
  #loseTrack(stream: string, why: Ignorance): void {
    if (stream === PLATFORM_KEYS) this.#platformKeys.ignorance ??= why;
    else if (stream.startsWith(INTERACTION)) this.#interactions.loseTrack(stream);
    else {
      const agent = this.#agent(stream);
      if (agent !== undefined) agent.ignorance ??= why;
    }
  }

  #orderFlaw(placed: PlacedEvent): Flaw | undefined {
    return this.#indexFlaw(placed.index) ?? this.#tails.advance(placed);
  }

  #indexFlaw(index: number): Flaw | undefined {
    if (index <= this.#lastIndex) return failure('index-not-growing', `${index}`);
    this.#lastIndex = index;
    return undefined;
  }

  /**
   * A decision rests on heads that were in the log before it. Where the log is whole, what is not in it
   * is not: a mistaken event says nothing of another stream, least of all only to the thread that
   * judges it.
   */
  #basedOnFlaw({ envelope }: PlacedEvent): Flaw | undefined {
    const missing: string[] = [];
    for (const [stream, revision] of Object.entries(envelope.metadata.basedOn)) {
      if (!isEverywhere(stream)) continue;
      const last = this.#tails.head(stream) ?? -1;
      if (revision <= last) continue;
      missing.push(`${stream}@${last + 1}`);
      if (this.options.partial === true) this.#loseTrack(stream, 'events-missing');
    }
    if (missing.length === 0) return undefined;
    return this.options.partial === true
      ? gap('events-missing', missing.join(', '))
      : failure('head-unknown', missing.join(', '));
  }
}

/** Other streams are in order, with the ids that their commands lead to: that is all that is judged of them. */
function isReplayed(stream: string): boolean {
  return isEverywhere(stream) || stream.startsWith(INTERACTION);
}

/** What every thread is given. */
function isEverywhere(stream: string): boolean {
  return stream === PLATFORM_KEYS || stream.startsWith(AGENT);
}

function agentOf(stream: string): ReturnType<typeof parseAgentId> {
  return stream.startsWith(AGENT) ? parseAgentId(stream.slice(AGENT.length)) : undefined;
}
