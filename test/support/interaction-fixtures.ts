import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Agent, AgentKey } from '../../src/agents/domain/agent.js';
import type { AcceptancePolicy } from '../../src/agents/domain/events.js';
import type { InteractionCommand, Proof } from '../../src/interactions/domain/commands.js';
import type { InteractionContext } from '../../src/interactions/domain/context.js';
import { interactionDecider } from '../../src/interactions/domain/decider.js';
import type { Decision } from '../../src/interactions/domain/decisions/decision.js';
import type { InteractionEvent } from '../../src/interactions/domain/events.js';
import { effectiveAt } from '../../src/interactions/domain/expiry.js';
import { headOf } from '../../src/interactions/domain/head.js';
import type { Interaction } from '../../src/interactions/domain/interaction.js';
import type { OutcomeReport, ItemVerdict } from '../../src/interactions/domain/outcome-report.js';
import { newestRevision, shownRevision } from '../../src/interactions/domain/revisions.js';
import { attestRevision } from '../../src/kernel/attestation.js';
import type { Caller } from '../../src/kernel/caller.js';
import { jwkThumbprint, signEd25519, type Ed25519Jwk } from '../../src/kernel/ed25519.js';
import { ERASED, fold, type Recorded } from '../../src/kernel/event.js';
import type { AcceptanceMethod, Contract } from '../../src/kernel/federated-interaction.js';
import {
  deriveUuid,
  type AgentId,
  type InteractionId,
  type KeyId,
  type TermsHash,
} from '../../src/kernel/ids.js';
import type { Head } from '../../src/kernel/rejection.js';
import {
  makeStatement,
  reasonHash,
  reportHash,
  statementText,
  type AcceptanceStatement,
  type CancellationStatement,
  type CompletionStatement,
  type ErasureConsentStatement,
  type RejectionStatement,
  type Statement,
  type WithdrawalStatement,
} from '../../src/kernel/statements.js';
import { termsHash } from '../../src/kernel/terms.js';
import { timestampOf, type Timestamp } from '../../src/kernel/timestamp.js';

export const AUDIENCE = 'https://countersign.example';
export const LEEWAY_MS = 300_000;
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
export const START_MS = Date.parse('2030-01-01T00:00:00.000Z');
export const EXPIRES_MS = Date.parse('2030-02-01T00:00:00.000Z');
export const EXPIRES_AT = timestampOf(EXPIRES_MS);
export const DEADLINE_MS = Date.parse('2030-01-20T00:00:00.000Z');
const INTERACTION_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7' as InteractionId;

/** A real key pair from a seed of 32 equal bytes: the same signatures in every run. */
export interface SigningKey {
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  readonly privateKey: KeyObject;
}

/** PKCS#8 of an Ed25519 key (RFC 8410) is this prefix and the seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function signingKey(keyId: string, seed: number): SigningKey {
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.alloc(32, seed)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 key has an x');
  return { keyId: keyId as KeyId, jwk: { kty: 'OKP', crv: 'Ed25519', x }, privateKey };
}

export const platformKey = signingKey('platform-vector-key', 9);

/** A key as the directory holds it, valid since the day before the tests begin. */
export function registered(key: SigningKey, window: Partial<AgentKey> = {}): AgentKey {
  return {
    keyId: key.keyId,
    jwk: key.jwk,
    jwkThumbprint: jwkThumbprint(key.jwk),
    proof: { signedAt: timestampOf(START_MS - DAY), value: '' },
    from: timestampOf(START_MS - DAY),
    until: null,
    revokedAt: null,
    ...window,
  };
}

/** An agent, its key and the tokens that speak for it. */
export interface Party {
  readonly agentId: AgentId;
  readonly key: SigningKey | undefined;
  readonly agent: Agent;
  /** Issued to the agent's client and bound to the agent: what its runtime uses every day. */
  readonly token: Caller;
  readonly ownerToken: Caller;
  /** Bound to the agent by the claim alone: neither its client nor its owner. */
  readonly boundToken: Caller;
}

export function party(agentId: string, seed: number | undefined, agent?: Partial<Agent>): Party {
  const key = seed === undefined ? undefined : signingKey(`${agentId}#1`, seed);
  const id = agentId as AgentId;
  const tenant = `tenant-of-${agentId}`;
  const client = `client-of-${agentId}`;
  const owner = `owner-of-${agentId}`;
  const none = new Set<never>();
  const token = { principal: client, client, agent: id, tenant, scopes: none, allScopes: none };
  return {
    agentId: id,
    key,
    token,
    ownerToken: { ...token, principal: owner, client: 'console', agent: null },
    boundToken: { ...token, principal: 'somebody', client: 'another-client' },
    agent: {
      agentId: id,
      tenant,
      owner,
      clients: [client],
      keys: new Map(key === undefined ? [] : [[key.keyId, registered(key)]]),
      methods: key === undefined ? ['oauth_installation', 'oauth_account'] : ['ed25519'],
      policy: null,
      transport: {
        protocol: 'A2A/1.0',
        protocolBinding: 'JSONRPC',
        endpoint: `https://${agentId}.example/a2a`,
        managedBy: 'agent',
      },
      registeredAt: timestampOf(START_MS - DAY),
      updatedAt: timestampOf(START_MS - DAY),
      retiredAt: null,
      revision: 0,
      ...agent,
    },
  };
}

/** The same party after a change of its agent. */
export function changed(of: Party, agent: Partial<Agent>): Party {
  return { ...of, agent: { ...of.agent, ...agent } };
}

export function retired(of: Party): Party {
  return changed(of, { retiredAt: timestampOf(START_MS) });
}

export const GENEROUS_POLICY: AcceptancePolicy = {
  taskCategories: ['translation'],
  allowedActions: ['translate', 'proofread'],
  maxRetentionDays: 30,
};

/** An agent that its owner lets accept by policy, beside its key. */
export function withPolicy(of: Party, rules: AcceptancePolicy = GENEROUS_POLICY): Party {
  const methods: AcceptanceMethod[] = ['ed25519', 'policy_auto_accept'];
  return changed(of, { methods, policy: { rules, revision: 7 } });
}

export const alpha = party('agent-alpha', 1);
export const beta = party('agent-beta', 2);
export const gamma = party('agent-gamma', 3);
/** Registered like the others, party of nothing. */
export const stranger = party('agent-stranger', 4);

export function contract(overrides: Partial<Contract> = {}): Contract {
  return {
    protocolVersion: '0.1',
    interactionId: INTERACTION_ID,
    purpose: 'Translate a leaflet',
    parties: [alpha.agentId, beta.agentId],
    taskCategory: 'translation',
    requestedOutcome: 'A German text, naïve “quotes” kept',
    successCriteria: ['All 12 sections present'],
    allowedActions: ['translate'],
    prohibitedActions: ['publish'],
    allowedData: [],
    prohibitedData: [],
    deadline: timestampOf(DEADLINE_MS),
    evidenceRequirements: ['checksum'],
    delegationRules: [],
    humanApprovalRequirements: [],
    factCheckingPolicy: 'important_claims',
    mediationPolicy: 'mutual_consent',
    retentionDays: 30,
    completionConditions: ['delivered'],
    cancellationConditions: ['either_party_before_completion'],
    signatures: {},
    ...overrides,
  };
}

export function reportOn(terms: Contract, verdict: ItemVerdict = 'met'): OutcomeReport {
  const answers = (items: readonly string[]): OutcomeReport['successCriteria'] =>
    items.map((item) => ({ item, verdict, references: [] }));
  return {
    successCriteria: answers(terms.successCriteria),
    completionConditions: answers(terms.completionConditions),
    evidenceRequirements: answers(terms.evidenceRequirements),
  };
}

/** A log, the directory and the clock: where the next command is given. Immutable. */
export class Scene {
  static readonly empty = new Scene(
    [],
    new Map([alpha, beta, gamma, stranger].map(({ agentId, agent }) => [agentId, agent])),
    START_MS,
  );

  private constructor(
    readonly log: readonly Recorded<InteractionEvent>[],
    readonly agents: ReadonlyMap<AgentId, Agent>,
    readonly nowMs: number,
    /** The fold of the log: as recorded; an expiry that is due is not computed. */
    readonly state: Interaction | undefined = foldInteraction(log),
  ) {}

  /** As it stands now. Throws before the proposal. */
  get interaction(): Interaction {
    const { state } = this;
    if (state === undefined) throw new Error('nothing was proposed');
    return effectiveAt(state, this.now);
  }

  get now(): Timestamp {
    return timestampOf(this.nowMs);
  }

  get context(): InteractionContext {
    return {
      now: this.now,
      leewayMs: LEEWAY_MS,
      audience: AUDIENCE,
      caller: undefined,
      agents: this.agents,
      newId: () => deriveUuid(['test', 'revision', this.log.length]),
      attest: (revision) => attestRevision(revision, platformKey.keyId, platformKey.privateKey),
    };
  }

  at(nowMs: number): Scene {
    return new Scene(this.log, this.agents, nowMs, this.state);
  }

  later(ms: number): Scene {
    return this.at(this.nowMs + ms);
  }

  /** With these parties in the directory, as they are now. */
  with(...parties: readonly Party[]): Scene {
    const agents = new Map(this.agents);
    for (const { agentId, agent } of parties) agents.set(agentId, agent);
    return new Scene(this.log, agents, this.nowMs, this.state);
  }

  without(...parties: readonly Party[]): Scene {
    const agents = new Map(this.agents);
    for (const { agentId } of parties) agents.delete(agentId);
    return new Scene(this.log, agents, this.nowMs, this.state);
  }

  /** With every text gone, as after the destruction of the key. */
  erased(): Scene {
    return new Scene(this.log.map(withoutTexts), this.agents, this.nowMs);
  }

  decide(act: Act): Decision {
    const { command, caller } = act(this);
    return interactionDecider.decide(this.state, command, { ...this.context, caller });
  }

  /** Records what was decided, now. */
  record(events: readonly InteractionEvent[]): Scene {
    const recorded = events.map((event, index) => ({
      ...event,
      recordedAt: this.now,
      revision: this.log.length + index,
    }));
    const state = foldInteraction(recorded, this.state);
    return new Scene([...this.log, ...recorded], this.agents, this.nowMs, state);
  }

  /** Gives commands that must succeed, one minute apart. */
  perform(...acts: readonly Act[]): Scene {
    return acts.reduce<Scene>((scene, act) => {
      const decision = scene.decide(act);
      if (!decision.ok) throw new Error(`the story breaks: ${JSON.stringify(decision.error)}`);
      return scene.record(decision.value).later(MINUTE);
    }, this);
  }
}

export function foldInteraction(
  log: readonly Recorded<InteractionEvent>[],
  from?: Interaction,
): Interaction | undefined {
  return fold<Interaction | undefined, InteractionEvent>(interactionDecider.evolve, from, log);
}

function withoutTexts(event: Recorded<InteractionEvent>): Recorded<InteractionEvent> {
  return event.texts === null ? event : { ...event, texts: ERASED };
}

/** A command that is made when it is given: its head and its signature depend on the scene. */
export type Act = (scene: Scene) => {
  readonly command: InteractionCommand;
  readonly caller: Caller | undefined;
};

/** How an act differs from the honest one. */
export interface Twist {
  readonly token?: Caller;
  /** `none`: unsigned. Otherwise what is sent in place of the honest proof. */
  readonly proof?: 'none' | ((honest: Proof) => Proof);
  /** Signs in place of the party's own key, under that key's id. */
  readonly signer?: SigningKey;
  readonly signedAt?: Timestamp;
  /** What is signed differs in these members from what the command amounts to. */
  readonly statement?: Readonly<Record<string, unknown>>;
  readonly head?: Head;
}

const NO_HEAD: Head = { revision: 1, status: 'proposed', termsHash: termsHash({}) };

/** Adds a proof to a command; distributes over the union of commands. */
type Unproved<C> = C extends { readonly proof: Proof | undefined } ? Omit<C, 'proof'> : never;

function act(
  who: Party,
  twist: Twist,
  make: (scene: Scene, head: Head) => Unproved<InteractionCommand>,
): Act {
  return (scene) => {
    const head = twist.head ?? (scene.state === undefined ? NO_HEAD : headOf(scene.interaction));
    const command = make(scene, head);
    const proof = proofOf(scene, who, command, twist);
    return {
      command: { ...command, proof },
      caller: twist.token ?? who.token,
    };
  };
}

function proofOf(
  scene: Scene,
  who: Party,
  command: Unproved<InteractionCommand>,
  twist: Twist,
): Proof | undefined {
  const signer = twist.signer ?? who.key;
  if (twist.proof === 'none' || signer === undefined) return undefined;
  const at = twist.signedAt ?? scene.now;
  const statement = { ...statementOf(scene, command, at), ...twist.statement } as Statement;
  const value = signEd25519(signer.privateKey, statementText(statement));
  const honest = { keyId: signer.keyId, value, at };
  return twist.proof === undefined ? honest : twist.proof(honest);
}

/** What an honest client signs for a command, from the document that it reads. */
export function statementOf(
  scene: Scene,
  command: Unproved<InteractionCommand>,
  at: Timestamp,
): Statement {
  const { agentId } = command;
  const consent = { audience: AUDIENCE, agentId, method: 'ed25519', acceptedAt: at } as const;
  const acceptance = 'federated-interaction/acceptance';
  if (command.kind === 'propose') {
    return makeStatement<AcceptanceStatement>(acceptance, {
      ...consent,
      interactionId: command.interactionId,
      revision: 1,
      previousTermsHash: null,
      termsHash: termsHash(command.contract),
      expiresAt: command.expiresAt,
    });
  }
  const interaction = scene.state === undefined ? undefined : scene.interaction;
  // Before the proposal there is nothing to sign about; some text must be signed all the same.
  if (interaction === undefined) return { ...consent, statement: acceptance } as never;

  const { interactionId, expiresAt } = interaction;
  const newest = newestRevision(interaction);
  const standing = shownRevision(interaction).termsHash;
  const signed = { audience: AUDIENCE, agentId, interactionId, signedAt: at };
  const { revision } = newest;
  switch (command.kind) {
    case 'revise':
      return makeStatement<AcceptanceStatement>(acceptance, {
        ...consent,
        interactionId,
        revision: revision + 1,
        previousTermsHash: newest.termsHash,
        termsHash: termsHash(command.contract),
        expiresAt,
      });
    case 'accept':
      return makeStatement<AcceptanceStatement>(acceptance, {
        ...consent,
        interactionId,
        revision,
        previousTermsHash: newest.previousTermsHash,
        termsHash: newest.termsHash,
        expiresAt,
      });
    case 'reject':
      return makeStatement<RejectionStatement>('federated-interaction/rejection', {
        ...signed,
        revision,
        termsHash: newest.termsHash,
        reasonHash: reasonHash(command.reason),
      });
    case 'withdraw':
      return makeStatement<WithdrawalStatement>('federated-interaction/withdrawal', {
        ...signed,
        revision,
        termsHash: newest.termsHash,
        reasonHash: reasonHash(command.reason),
      });
    case 'cancel':
      return makeStatement<CancellationStatement>('federated-interaction/cancellation', {
        ...signed,
        termsHash: standing,
        reasonHash: reasonHash(command.reason),
      });
    case 'complete':
      return makeStatement<CompletionStatement>('federated-interaction/completion', {
        ...signed,
        termsHash: standing,
        reportHash: reportHash(command.report),
      });
    case 'consent-to-erasure':
      return makeStatement<ErasureConsentStatement>(
        'federated-interaction/erasure-consent',
        signed,
      );
  }
}

/** What a proposal says besides who makes it; the honest one is between alpha and beta. */
export interface ProposalTwist extends Twist {
  readonly contract?: Contract;
  readonly responder?: AgentId;
  readonly interactionId?: InteractionId;
  readonly expiresAt?: Timestamp;
  readonly termsHash?: string;
}

export function propose(who: Party, twist: ProposalTwist = {}): Act {
  const terms = twist.contract ?? contract();
  return act(who, twist, () => ({
    kind: 'propose',
    agentId: who.agentId,
    interactionId: twist.interactionId ?? INTERACTION_ID,
    responderAgentId:
      twist.responder ?? terms.parties.find((id) => id !== who.agentId) ?? who.agentId,
    contract: terms,
    termsHash: twist.termsHash as never,
    expiresAt: twist.expiresAt ?? EXPIRES_AT,
  }));
}

export function revise(
  who: Party,
  terms: Contract,
  twist: Twist & { readonly termsHash?: string } = {},
): Act {
  return act(who, twist, (_, head) => ({
    kind: 'revise',
    agentId: who.agentId,
    head,
    contract: terms,
    termsHash: twist.termsHash as never,
  }));
}

export function accept(who: Party, twist: Twist = {}): Act {
  return act(who, twist, (_, head) => ({ kind: 'accept', agentId: who.agentId, head }));
}

type ReasonTwist = Twist & { readonly reason?: string };

export function reject(who: Party, twist: ReasonTwist = {}): Act {
  const { reason } = twist;
  return act(who, twist, (_, head) => ({ kind: 'reject', agentId: who.agentId, head, reason }));
}

export function withdraw(who: Party, twist: ReasonTwist = {}): Act {
  const { reason } = twist;
  return act(who, twist, (_, head) => ({ kind: 'withdraw', agentId: who.agentId, head, reason }));
}

export function cancel(who: Party, twist: ReasonTwist = {}): Act {
  const { reason } = twist;
  return act(who, twist, (_, head) => ({ kind: 'cancel', agentId: who.agentId, head, reason }));
}

/** Without a report: every entry of the shown terms was met. */
export function complete(who: Party, twist: Twist & { readonly report?: OutcomeReport } = {}): Act {
  return act(who, twist, (scene, head) => {
    const shown = scene.state === undefined ? undefined : shownRevision(scene.interaction);
    const terms = shown === undefined || shown.contract === ERASED ? contract() : shown.contract;
    return {
      kind: 'complete',
      agentId: who.agentId,
      head,
      report: twist.report ?? reportOn(terms),
    };
  });
}

export function autoAccept(
  who: Party,
  named: {
    readonly revision?: number;
    readonly termsHash?: TermsHash;
    readonly policyRevision?: number;
  } = {},
): Act {
  return (scene) => {
    const head = scene.state === undefined ? NO_HEAD : headOf(scene.interaction);
    return {
      caller: undefined,
      command: {
        kind: 'auto-accept',
        agentId: who.agentId,
        revision: named.revision ?? head.revision,
        termsHash: named.termsHash ?? head.termsHash,
        policyRevision:
          named.policyRevision ?? scene.agents.get(who.agentId)?.policy?.revision ?? 0,
      },
    };
  };
}

export function expire(): Act {
  return () => ({ command: { kind: 'expire' }, caller: undefined });
}

export function consentToErasure(who: Party, twist: Twist = {}): Act {
  return act(who, twist, (_, head) => ({
    kind: 'consent-to-erasure',
    agentId: who.agentId,
    head,
  }));
}

/** @param retentionDays what was read of the texts before they were gone */
export function erase(retentionDays: number | null = null): Act {
  return () => ({ command: { kind: 'erase', retentionDays }, caller: undefined });
}
