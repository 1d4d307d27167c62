import type { AcceptanceMethod } from '../../../kernel/federated-interaction.js';
import type { AgentId } from '../../../kernel/ids.js';
import { failure, gap, outweighing, type Flaw } from '../check-result.js';
import { AgentCommands } from './agent-commands.js';
import { agentTransitionFlaw } from './agent-transitions.js';
import { authorizationFlaw } from './change-authorization.js';
import { subjectOf, type PlacedEvent } from './entry.js';
import type { AgentChangeEvent, AgentEvent, Authorization, Policy } from './event-data.js';
import { KeyHistory, type Ignorance } from './key-history.js';
import { keyProofFlaw, keysAdded } from './key-proof.js';
import { policyRules } from './policy-texts.js';
import { isSameCommand } from './same-command.js';

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
    readonly audience: string,
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
    const added = keysAdded(event);
    for (const [nth, key] of added.entries()) {
      const flaw = keyProofFlaw(this, key, added.slice(0, nth), recordedAt);
      found.push({ check: 'key-proof', about: key.keyId, flaw });
    }
    if (event.type !== 'agent-registered') {
      const { by } = event.data.authorization;
      const flaw = authorizationFlaw(this, event, placed, this.#commands, goesWithFirstKey);
      found.push({ check: 'change', about: by === 'signature' ? null : by, flaw });
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
    const { revision, recordedAt } = envelope;
    this.revision = revision;
    this.#firstKey = null;
    switch (event.type) {
      case 'agent-registered':
        for (const { keyId, jwk } of event.data.keys) this.keys.add(keyId, jwk, recordedAt);
        this.#setMethods(event.data.methods, index);
        this.isRegistered = true;
        return;
      case 'agent-key-added': {
        const { key, replaces, authorization } = event.data;
        if (replaces !== null) this.keys.end(replaces, revision);
        const restsOn = this.#restsOn(authorization, envelope);
        if (authorization.by === 'token' && this.keys.isEmpty) this.#firstKey = envelope;
        this.keys.add(key.keyId, key.jwk, recordedAt, { restsOn });
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
