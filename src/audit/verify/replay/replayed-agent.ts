import { jwkThumbprint } from '../../../kernel/ed25519.js';
import type { AcceptanceMethod } from '../../../kernel/federated-interaction.js';
import type { AgentId } from '../../../kernel/ids.js';
import {
  makeStatement,
  verifyStatement,
  type AgentChangeStatement,
  type KeyProofStatement,
} from '../../../kernel/statements.js';
import { failure, gap, type Flaw } from '../check-result.js';
import { subjectOf, type PlacedEvent } from './entry.js';
import type { AgentEvent, Authorization, Policy, RegisteredKeyData } from './event-data.js';
import { causeOf, KeyHistory, unsafePoint, type Ignorance } from './key-history.js';
import { policyRules } from './policy-texts.js';
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
  /** Null: it has none. Without rules: they are not given. */
  policy: { readonly rules: Policy | undefined; readonly revision: number } | null = null;
  /** Of the last event of its stream. */
  revision = -1;
  isRegistered = false;
  isRetired = false;
  /** From here on, what is not known of the agent. */
  ignorance: Ignorance | null = null;

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

  /** It accepts by its own signature alone, and then signs its other acts too. */
  get signsItsActs(): boolean {
    return this.methods.length === 1 && this.methods[0] === 'ed25519';
  }

  /** Whether the event was allowed; asked before it is recorded. */
  judge(event: AgentEvent, placed: PlacedEvent): readonly AgentFinding[] {
    const { envelope } = placed;
    const found: AgentFinding[] = [
      { check: 'transition', about: null, flaw: this.#transitionFlaw(event, envelope) },
    ];
    const { recordedAt, metadata } = envelope;
    const added =
      event.type === 'agent-registered'
        ? event.data.keys
        : event.type === 'agent-key-added'
          ? [event.data.key]
          : [];
    for (const key of added) {
      found.push({ check: 'key-proof', about: key.keyId, flaw: this.#proofFlaw(key, recordedAt) });
    }
    if (event.type !== 'agent-registered') {
      const { authorization } = event.data;
      const flaw = this.#changeFlaw(authorization, recordedAt, metadata.commandId);
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
    const { envelope } = placed;
    const { commandId } = envelope.metadata;
    this.revision = envelope.revision;
    switch (event.type) {
      case 'agent-registered':
        for (const { keyId, jwk } of event.data.keys) this.keys.add(keyId, jwk, commandId);
        this.methods = event.data.methods;
        this.isRegistered = true;
        return;
      case 'agent-key-added': {
        const { key, replaces, authorization } = event.data;
        if (replaces !== null) this.keys.end(replaces, causeOf(envelope));
        const restsOn = this.#restsOn(authorization, envelope);
        this.keys.add(key.keyId, key.jwk, commandId, { restsOn });
        return;
      }
      case 'agent-key-revoked':
        this.keys.revoke(event.data.keyId, causeOf(envelope));
        return;
      case 'agent-methods-changed':
        this.methods = event.data.methods;
        return;
      case 'agent-policy-changed': {
        const given = policyRules(event, placed);
        const rules = given.ok ? given.value : undefined;
        this.policy = rules === null ? null : { rules, revision: envelope.revision };
        return;
      }
      case 'agent-retired':
        this.isRetired = true;
        return;
      case 'agent-clients-changed':
      case 'agent-transport-changed':
    }
  }

  /**
   * The change without a signature that a key rests on which this change adds. An agent's first keys rest
   * on nothing: there was none that could have signed.
   */
  #restsOn(authorization: Authorization, envelope: PlacedEvent['envelope']): string | null {
    switch (authorization.by) {
      case 'signature':
        return this.keys.find(authorization.keyId)?.restsOn ?? null;
      case 'owner-admin':
        return subjectOf(envelope);
      case 'token':
        return null;
    }
  }

  #transitionFlaw(event: AgentEvent, envelope: PlacedEvent['envelope']): Flaw | undefined {
    if (envelope.stream !== `agent-${event.data.agentId}`) return failure('entry-misplaced');
    if (event.type === 'agent-registered') {
      return envelope.revision === 0
        ? undefined
        : failure('illegal-transition', 'a registration is the first event');
    }
    if (!this.isRegistered) {
      return this.ignorance === null
        ? failure('illegal-transition', 'nothing is registered')
        : gap(this.ignorance);
    }
    if (event.type === 'agent-key-revoked' && this.keys.find(event.data.keyId) === undefined) {
      return this.ignorance === null
        ? failure('key-unregistered', event.data.keyId)
        : gap(this.ignorance, event.data.keyId);
    }
    return undefined;
  }

  #proofFlaw(
    { keyId, jwk, jwkThumbprint: thumbprint, proof }: RegisteredKeyData,
    recordedAt: PlacedEvent['envelope']['recordedAt'],
  ): Flaw | undefined {
    if (thumbprint !== jwkThumbprint(jwk)) return failure('thumbprint-mismatch', keyId);
    if (this.keys.has(keyId, jwk)) return failure('key-repeated', keyId);
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
   * A change is signed by a key of the agent's own, or made by a way that is open without one. That
   * the signed hash is the hash of the request that asked for this very change, the log does not tell.
   *
   * Whether an owner's administrator made a change, only the platform tells. It counts all the same, and
   * from its place on: one that takes a key, a method or the agent away has to, since whoever lost a key
   * cannot sign its revocation. One that adds a key casts doubt on what is signed with it
   * ({@link KeyHistory.doubt}), and on nothing else.
   */
  #changeFlaw(
    authorization: Authorization,
    recordedAt: PlacedEvent['envelope']['recordedAt'],
    commandId: string,
  ): Flaw | undefined {
    if (authorization.by === 'signature') {
      const { keyId, signedAt, changeHash, value } = authorization;
      if (!signedMomentFits(signedAt, recordedAt, true)) {
        return failure('signed-at-implausible', keyId);
      }
      const statement = makeStatement<AgentChangeStatement>('agent/change', {
        audience: this.audience,
        agentId: this.agentId,
        changeHash,
        signedAt,
      });
      return this.keys.signatureFlaw(
        keyId,
        (jwk) => verifyStatement(jwk, statement, value),
        this.ignorance,
        commandId,
      );
    }
    const hadKeys = this.keys.hadKeysBefore(commandId);
    if (authorization.by === 'token') {
      if (hadKeys) return failure('signature-missing', 'the agent has had keys');
      return this.ignorance === null ? undefined : gap(this.ignorance);
    }
    return hadKeys || this.ignorance !== null
      ? undefined
      : failure('illegal-transition', 'the agent never had keys');
  }
}
