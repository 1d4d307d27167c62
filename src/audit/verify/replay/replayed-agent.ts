import { jwkThumbprint } from '../../../kernel/ed25519.js';
import type { AcceptanceMethod } from '../../../kernel/federated-interaction.js';
import type { AgentId } from '../../../kernel/ids.js';
import {
  makeStatement,
  verifyStatement,
  type AgentChangeStatement,
  type KeyProofStatement,
} from '../../../kernel/statements.js';
import { failure, gap, outweighing, type Flaw } from '../check-result.js';
import { AgentCommands } from './agent-commands.js';
import { agentTransitionFlaw } from './agent-transitions.js';
import { isOfRequest } from './change-request.js';
import { subjectOf, type PlacedEvent } from './entry.js';
import type {
  AgentChangeEvent,
  AgentEvent,
  Authorization,
  Policy,
  RegisteredKeyData,
} from './event-data.js';
import { KeyHistory, unsafePoint, type Ignorance } from './key-history.js';
import { policyRules } from './policy-texts.js';
import { isSameCommand } from './same-command.js';
import { signedMomentFits } from './transitions.js';

/** What one check of an agent's event found. */
export interface AgentFinding {
  readonly check: 'key-proof' | 'change' | 'transition' | 'texts';
  /** The key, where the check is about one; of a change that nobody signed, by what it came. */
  readonly about: string | null;
  readonly flaw: Flaw | undefined;
}

/** An agent at the present place in the log. */
export class ReplayedAgent {
  readonly keys = new KeyHistory();
  methods: readonly AcceptanceMethod[] = [];
  /** Null: it has none. Without rules: they are not given. With the revision and the place that set it. */
  policy: {
    readonly rules: Policy | undefined;
    readonly revision: number;
    readonly index: number;
  } | null = null;
  /** Of the last event of its stream. */
  revision = -1;
  isRegistered = false;
  isRetired = false;
  /** From here on, what is not known of the agent. */
  ignorance: Ignorance | null = null;
  /** Its last event, where that gave it its first key by a mere token. */
  #firstKey: PlacedEvent['envelope'] | null = null;
  /** Places of the log from which on it accepts by its policy, or no more, in turn. */
  readonly #policyTurns: { readonly index: number; readonly isOn: boolean }[] = [];
  /** Kept only where its events are judged. */
  readonly #commands = new AgentCommands();

  constructor(
    readonly agentId: AgentId,
    private readonly audience: string,
    private readonly partial: boolean,
  ) {}

  /** What it means that an event of the agent is spoken of which is not there. */
  missing(revision: number): Flaw {
    const event = `agent-${this.agentId}@${revision}`;
    return this.partial ? gap('events-missing', event) : failure('head-unknown', event);
  }

  /** It accepts by its own signature and by no token, and then signs its other acts too. */
  get signsItsActs(): boolean {
    return (
      this.methods.includes('ed25519') &&
      !this.methods.includes('oauth_installation') &&
      !this.methods.includes('oauth_account')
    );
  }

  /** Whether it accepted by its policy, as far as methods go, just before this place in the log. */
  acceptedByPolicyBefore(index: number): boolean {
    return this.#policyTurns.findLast((turn) => turn.index < index)?.isOn ?? false;
  }

  /** Whether the event was allowed; asked once, before it is recorded. */
  judge(event: AgentEvent, placed: PlacedEvent): readonly AgentFinding[] {
    const { envelope } = placed;
    const { recordedAt } = envelope;
    const repeated = this.#commands.take(envelope, this.#firstKey);
    const goesWithFirstKey =
      event.type !== 'agent-registered' && this.#goesWithFirstKey(event, envelope);
    const transition = agentTransitionFlaw(this, event, envelope, goesWithFirstKey);
    const flaw = outweighing(transition, repeated);
    const found: AgentFinding[] = [{ check: 'transition', about: null, flaw }];
    const added =
      event.type === 'agent-registered'
        ? event.data.keys
        : event.type === 'agent-key-added'
          ? [event.data.key]
          : [];
    for (const [nth, key] of added.entries()) {
      const flaw = this.#proofFlaw(key, added.slice(0, nth), recordedAt);
      found.push({ check: 'key-proof', about: key.keyId, flaw });
    }
    if (event.type !== 'agent-registered') {
      const { authorization } = event.data;
      const flaw = this.#changeFlaw(event, placed);
      const about = authorization.by === 'signature' ? null : authorization.by;
      found.push({ check: 'change', about, flaw });
    }
    // Who reads without the texts of agents misses nothing that a signature depends on.
    if (event.type === 'agent-policy-changed' && (placed.texts ?? null) !== null) {
      const rules = policyRules(event, placed);
      found.push({ check: 'texts', about: null, flaw: rules.ok ? undefined : rules.error });
    }
    return found;
  }

  /** Records; judges nothing. */
  record(event: AgentEvent, placed: PlacedEvent): void {
    const { envelope, index } = placed;
    const { revision } = envelope;
    this.revision = revision;
    this.#firstKey = null;
    switch (event.type) {
      case 'agent-registered':
        for (const { keyId, jwk } of event.data.keys) this.keys.add(keyId, jwk);
        this.#setMethods(event.data.methods, index);
        this.isRegistered = true;
        return;
      case 'agent-key-added': {
        const { key, replaces, authorization } = event.data;
        if (replaces !== null) this.keys.end(replaces, revision);
        const restsOn = this.#restsOn(authorization, envelope);
        if (authorization.by === 'token' && this.keys.isEmpty) this.#firstKey = envelope;
        this.keys.add(key.keyId, key.jwk, { restsOn });
        return;
      }
      case 'agent-key-revoked':
        this.keys.revoke(event.data.keyId, revision);
        return;
      case 'agent-methods-changed':
        this.#setMethods(event.data.methods, index);
        return;
      case 'agent-policy-changed': {
        const given = policyRules(event, placed);
        const rules = given.ok ? given.value : undefined;
        this.policy = rules === null ? null : { rules, revision, index };
        return;
      }
      case 'agent-retired':
        this.isRetired = true;
        return;
      case 'agent-clients-changed':
      case 'agent-transport-changed':
    }
  }

  #setMethods(methods: readonly AcceptanceMethod[], index: number): void {
    this.methods = methods;
    const isOn = methods.includes('policy_auto_accept');
    if (isOn !== (this.#policyTurns.at(-1)?.isOn ?? false)) this.#policyTurns.push({ index, isOn });
  }

  /**
   * The change without a signature that a key rests on which this change adds. An agent's first key rests
   * on nothing: there was none that could have signed.
   */
  #restsOn(authorization: Authorization, envelope: PlacedEvent['envelope']): string | null {
    switch (authorization.by) {
      case 'signature':
        return this.keys.find(authorization.keyId)?.restsOn ?? null;
      case 'owner-admin':
        return subjectOf(envelope);
      case 'token':
        return this.keys.isEmpty ? null : subjectOf(envelope);
    }
  }

  #proofFlaw(
    { keyId, jwk, jwkThumbprint: thumbprint, proof }: RegisteredKeyData,
    others: readonly RegisteredKeyData[],
    recordedAt: PlacedEvent['envelope']['recordedAt'],
  ): Flaw | undefined {
    if (thumbprint !== jwkThumbprint(jwk)) return failure('thumbprint-mismatch', keyId);
    const isTaken = others.some((other) => other.keyId === keyId || other.jwk.x === jwk.x);
    if (isTaken || this.keys.has(keyId, jwk)) return failure('key-repeated', keyId);
    const unsafe = unsafePoint(jwk);
    if (unsafe !== undefined) return failure(unsafe, keyId);
    if (!signedMomentFits(proof.signedAt, recordedAt, true)) {
      return failure('signed-at-implausible', keyId);
    }
    const statement = makeStatement<KeyProofStatement>('agent/key-proof', {
      audience: this.audience,
      agentId: this.agentId,
      jwkThumbprint: thumbprint,
      keyId,
      signedAt: proof.signedAt,
    });
    return verifyStatement(jwk, statement, proof.value)
      ? undefined
      : failure('signature-invalid', keyId);
  }

  /**
   * A change is signed by a key of the agent's own, or made by a way that is open without one.
   *
   * Whether an owner's administrator made a change, only the platform tells. It counts all the same, and
   * from its place on: one that takes a key, a method or the agent away has to, since whoever lost a key
   * cannot sign its revocation. One that adds a key casts doubt on what is signed with it
   * ({@link KeyHistory.doubt}), and on nothing else.
   */
  #changeFlaw(event: AgentChangeEvent, placed: PlacedEvent): Flaw | undefined {
    const { authorization } = event.data;
    switch (authorization.by) {
      case 'signature':
        return this.#signedChangeFlaw(authorization, event, placed);
      case 'token':
        if (!this.keys.isEmpty && !this.#goesWithFirstKey(event, placed.envelope)) {
          return failure('signature-missing', 'the agent has had keys');
        }
        return this.ignorance === null ? undefined : gap(this.ignorance);
      case 'owner-admin':
        return !this.keys.isEmpty || this.ignorance !== null
          ? undefined
          : failure('illegal-transition', 'the agent never had keys');
    }
  }

  /** What is wrong with a signed change outweighs what is not known of its key. */
  #signedChangeFlaw(
    { keyId, signedAt, changeHash, value }: Extract<Authorization, { by: 'signature' }>,
    event: AgentChangeEvent,
    placed: PlacedEvent,
  ): Flaw | undefined {
    const repeated = this.#commands.takeRequest(changeHash);
    if (!signedMomentFits(signedAt, placed.envelope.recordedAt, true)) {
      return failure('signed-at-implausible', keyId);
    }
    const statement = makeStatement<AgentChangeStatement>('agent/change', {
      audience: this.audience,
      agentId: this.agentId,
      changeHash,
      signedAt,
    });
    const isSignedBy = (jwk: RegisteredKeyData['jwk']): boolean =>
      verifyStatement(jwk, statement, value);
    const flaw = this.keys.signatureFlaw(keyId, isSignedBy, this.ignorance);
    if (flaw?.result === 'failed') return flaw;
    if (isOfRequest(changeHash, event, placed) === false) {
      return failure('change-hash-mismatch', keyId);
    }
    return repeated ?? flaw;
  }

  /** With its first key, and by the same command, an agent accepts by that alone. */
  #goesWithFirstKey(event: AgentChangeEvent, envelope: PlacedEvent['envelope']): boolean {
    return (
      this.#firstKey !== null &&
      isSameCommand(this.#firstKey, envelope) &&
      event.type === 'agent-methods-changed' &&
      event.data.methods.length === 1 &&
      event.data.methods[0] === 'ed25519'
    );
  }
}
