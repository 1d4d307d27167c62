import { ERASED, fold, type Decider, type DomainEvent, type Recorded } from '../kernel/event.js';
import { canonicalJson } from '../kernel/canonical-json.js';
import { hashJson } from '../kernel/digest.js';
import { deriveUuid } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { Rejection } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';
import { encodeBase64Url } from '../kernel/base64url.js';
import { notBefore, timestampOf, type Clock, type Timestamp } from '../kernel/timestamp.js';
import { keyScopeOf, type EventTypes } from './codec.js';
import type { Actor, EventMetadata, NewEnvelope, Sealed } from '../kernel/envelope.js';
import type { KeyStore } from './key-store.js';
import type { Appended, Basis, EventStore, Position } from './port.js';
import { seal } from './sealing.js';
import {
  StreamRepository,
  type KnownCommand,
  type Loaded,
  type StreamKind,
} from './stream-repository.js';

/** Random bytes, from whoever owns the randomness. */
export type RandomBytes = (size: number) => Uint8Array;

/** What every command carries besides itself; all but the head becomes the metadata of its events. */
export interface CommandEnvelope {
  /** See {@link commandIdentity}. */
  readonly commandId: string;
  readonly requestDigest: string;
  /**
   * The head that the request names, as the stream's kind says it (`headOf`). The digest does not tell
   * it where it is named outside of the body. It need not be recorded, since a command is only ever
   * carried out on the head that it names: that is where the stream stood before its events.
   */
  readonly namedHead?: string;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly traceparent: string | null;
}

/**
 * The identity of a request: the same request gives the same command id, so that a retry finds its
 * own events. With a key, another request under it has another digest, or names another head
 * ({@link CommandEnvelope.namedHead}), and is refused; without one, the id follows from the digest and
 * the head.
 */
export function commandIdentity(request: {
  readonly actor: Actor;
  readonly idempotencyKey: string | undefined;
  /** What kind of command, on which resource, with which body. */
  readonly content: { readonly kind: string; readonly target: string; readonly body: unknown };
  /** The head that it is about in any canonical form, null for commands that create. */
  readonly head: string | null;
}): { commandId: string; requestDigest: string } {
  const { actor, idempotencyKey, head } = request;
  const requestDigest = hashJson(request.content);
  const scope = ['command', actor.tenant, actor.principal, actor.agent];
  const commandId =
    idempotencyKey === undefined
      ? deriveUuid([...scope, 'derived', requestDigest, head])
      : deriveUuid([...scope, 'key', idempotencyKey]);
  return { commandId, requestDigest };
}

/** What a decision needs from elsewhere, and the heads of the streams that it was read from. */
export interface Prepared<Context> {
  readonly context: Context;
  readonly basedOn: Basis;
  /**
   * The heads have to stand until the events are recorded, or else it is decided again. Without it they
   * are only recorded, and whoever reads them looks at what came in between.
   */
  readonly isBasisBinding?: true;
  /**
   * Heads of streams that decided nothing, and would if they had moved: they have to stand likewise, and
   * are not recorded.
   */
  readonly unmoved?: Basis;
  /** When its events are recorded, where that has to be later than the moment that `prepare` asked for. */
  readonly recordedAt?: Timestamp;
}

/**
 * Reads what a decision needs, for a state and the moment at which its events will be recorded.
 *
 * @param now that moment: as of when it is first asked for, which is after everything else has been read.
 * One that was taken earlier would lie before what was read meanwhile.
 */
export type Prepare<State, Context> = (
  state: State,
  now: () => Timestamp,
) => Promise<Result<Prepared<Context>, Rejection>>;

/** A command as it stands in the log. */
export interface Executed<State> {
  /** The stream folded up to the command's last event. */
  readonly state: State;
  /** Stream revision of that event. */
  readonly revision: number;
  readonly position: Position;
  /** True when the command was found in the log: it was not decided again. */
  readonly replayed: boolean;
}

/** Where a command's events end in its stream. */
export interface Stored<State> extends Pick<Executed<State>, 'revision' | 'replayed'> {
  /** Undefined when none were sent: they were there before, or there are none. */
  readonly sent?: Sent<State>;
}

/** Events that were sent to be appended. */
export interface Sent<State> {
  /** The stream that they were decided on … */
  readonly before: RememberedStream<State>;
  /** … and with them. */
  readonly after: RememberedStream<State>;
  readonly envelopes: readonly NewEnvelope[];
  readonly appended: Appended;
}

/** A stream as somebody remembers it. */
export type RememberedStream<State> = Pick<Loaded<State>, 'state' | 'revision' | 'recordedAt'>;

/** Decisions after lost races before the caller is told to come back. */
const MAX_ATTEMPTS = 24;

/**
 * The one way from a command to the log: load → known command? → decide → seal → append at the
 * exact revision of the decision → answer as it was decided, or is stored.
 *
 * A decision is made again after a lost race; whether the command still fits is the decider's
 * judgement, since every command names the head it was written against.
 */
export class CommandExecution<State, Command, Event extends DomainEvent, Context> {
  readonly repository: StreamRepository<State, Event>;

  constructor(
    private readonly log: EventStore,
    private readonly keys: KeyStore,
    private readonly decider: Decider<State, Command, Event, Context>,
    private readonly types: EventTypes<Event>,
    private readonly clock: Clock,
    private readonly random: RandomBytes,
    reading: Omit<StreamKind<State, Event>, 'types' | 'initial' | 'evolve'> = {},
  ) {
    this.repository = new StreamRepository<State, Event>(log, keys, {
      types,
      initial: decider.initial,
      evolve: (state, event) => decider.evolve(state, event),
      ...reading,
    });
  }

  /**
   * Refuses with the decider's codes, `idempotency-key-reused`, and `contention`.
   *
   * @param prepare reads what must be true now (keys, policies, …) from stream heads; called anew
   * before each decision.
   */
  async execute(
    stream: string,
    command: Command,
    envelope: CommandEnvelope,
    prepare: Prepare<State, Context>,
  ): Promise<Result<Executed<State>, Rejection>> {
    const stored = await this.store(stream, command, envelope, prepare);
    if (!stored.ok) return stored;
    const { revision, sent } = stored.value;
    if (sent?.appended.isNew === true) {
      const { state, position } = this.#remember(stream, sent, envelope);
      return ok({ state, revision, position, replayed: false });
    }
    // Then the answer comes from the log. An engine takes ids that it has for the same events sent
    // again, and they may be another try's, or another request's under the same key.
    const { state, position, written } = await this.repository.advanceTo(stream, revision);
    if (sent !== undefined && written?.requestDigest !== envelope.requestDigest) {
      return err({ code: 'idempotency-key-reused' });
    }
    const replayed =
      stored.value.replayed || (sent !== undefined && written?.salt !== saltOf(sent.envelopes));
    return ok({ state, revision, position, replayed });
  }

  /** What was surely written now is as it was decided: to read it back costs as much as to write it. */
  #remember(
    stream: string,
    { before, after, envelopes, appended }: Sent<State>,
    { commandId, requestDigest }: CommandEnvelope,
  ): Pick<Loaded<State>, 'state' | 'position'> {
    const written = { salt: saltOf(envelopes), requestDigest };
    const loaded = { ...after, position: appended.position, written };
    this.repository.remember(stream, before, loaded, { commandId, envelopes });
    return loaded;
  }

  /**
   * Like `execute`, for whoever wants no answer: nothing is ever read back.
   *
   * @param guess what the caller knows of the stream, which may have moved on: it is read once nothing could
   * be appended to that. No refusal follows from it alone, and no key is made.
   */
  async store(
    stream: string,
    command: Command,
    envelope: CommandEnvelope,
    prepare: Prepare<State, Context>,
    guess?: RememberedStream<State>,
  ): Promise<Result<Stored<State>, Rejection>> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const isGuess = attempt === 0 && guess !== undefined;
      const { loaded, known } = isGuess
        ? { loaded: guess, known: undefined }
        : await this.repository.loadWithCommand(stream, envelope.commandId);
      if (known !== undefined) {
        if (!isOf(envelope, known)) return err({ code: 'idempotency-key-reused' });
        return ok({ revision: known.lastRevision, replayed: true });
      }
      let asked: Timestamp | undefined;
      const now = (): Timestamp =>
        (asked ??= notBefore(timestampOf(this.clock()), loaded.recordedAt));
      const prepared = await prepare(loaded.state, now);
      if (!prepared.ok) {
        if (isGuess) continue;
        return prepared;
      }
      const decision = this.decider.decide(loaded.state, command, prepared.value.context);
      if (isGuess && !(decision.ok && decision.value.length > 0)) continue;
      if (!decision.ok) return decision;
      // It changes nothing, so nothing is recorded of it, and a retry is decided anew.
      if (decision.value.length === 0) return ok({ revision: loaded.revision, replayed: false });
      const { basedOn, isBasisBinding, unmoved, recordedAt = now() } = prepared.value;
      const { namedHead: _named, ...recorded } = envelope;
      const metadata: EventMetadata = { basedOn, ...recorded };
      if (isGuess && !(await this.#hasKeyFor(decision.value, stream))) continue;
      const sealed = await this.#seal(stream, decision.value, recordedAt, metadata);
      if (!sealed.ok) {
        if (isGuess) continue;
        return sealed;
      }
      const expected = loaded.revision === -1 ? 'no-stream' : loaded.revision;
      const basis = { ...(isBasisBinding ? basedOn : {}), ...unmoved };
      const { envelopes, events } = sealed.value;
      const appended = await this.log.append(stream, expected, envelopes, basis);
      if (!appended.ok) continue;
      const { revision } = appended.value;
      const after = this.#with(loaded, events, recordedAt, revision);
      const sent = { before: loaded, after, envelopes, appended: appended.value };
      return ok({ revision, replayed: false, sent });
    }
    return err({ code: 'contention' });
  }

  #with(
    { state, revision: after }: RememberedStream<State>,
    events: readonly Event[],
    recordedAt: Timestamp,
    revision: number,
  ): RememberedStream<State> {
    const recorded = events.map(
      (event, index) =>
        ({ recordedAt, revision: after + 1 + index, ...event }) as unknown as Recorded<Event>,
    );
    const evolve = (on: State, event: Recorded<Event>): State => this.decider.evolve(on, event);
    return { state: fold(evolve, state, recorded), revision, recordedAt };
  }

  async #hasKeyFor(events: readonly Event[], stream: string): Promise<boolean> {
    if (events.every(({ texts }) => texts === null)) return true;
    const key = await this.keys.find(keyScopeOf(stream));
    return key !== undefined && key !== ERASED;
  }

  /** The envelopes of what was decided, and the events as they are read from these. */
  async #seal(
    stream: string,
    decided: readonly Event[],
    recordedAt: Timestamp,
    metadata: EventMetadata,
  ): Promise<Result<{ envelopes: NewEnvelope[]; events: Event[] }, Rejection>> {
    const envelopes: NewEnvelope[] = [];
    const events: Event[] = [];
    for (const [index, event] of decided.entries()) {
      // With the stream: one Idempotency-Key may serve commands on several.
      const id = deriveUuid(['event', stream, metadata.commandId, index]);
      const type: Event['type'] = event.type;
      let sealed: Sealed | null = null;
      if (event.texts === null) events.push(event);
      else {
        const key = await this.keys.obtain(keyScopeOf(stream));
        if (key === ERASED) return err({ code: 'interaction-erased' });
        const text = canonicalJson(event.texts);
        sealed = seal(text, key, this.random(12), { stream, id, type });
        // The order of their members is that of the text, and shows in answers.
        events.push({ ...event, texts: JSON.parse(text) as Event['texts'] });
      }
      envelopes.push({
        id,
        type,
        recordedAt,
        schemaVersion: this.types[type].schemaVersion,
        data: event.data as JsonObject,
        sealed,
        salt: encodeBase64Url(this.random(16)),
        metadata,
      });
    }
    return ok({ envelopes, events });
  }
}

/** Whether a request is the one that a known command was made by. */
function isOf({ requestDigest, namedHead }: CommandEnvelope, known: KnownCommand): boolean {
  return (
    requestDigest === known.requestDigest && (namedHead === undefined || namedHead === known.head)
  );
}

/** Of the last one: which of several tries of one request has written them. */
function saltOf(envelopes: readonly NewEnvelope[]): string {
  return envelopes.at(-1)?.salt ?? '';
}
