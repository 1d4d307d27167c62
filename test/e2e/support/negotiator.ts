import { randomUUID } from 'node:crypto';
import type {
  Contract,
  ContractRevision,
  FederatedInteraction,
} from '../../../src/kernel/federated-interaction.js';
import { signEd25519 } from '../../../src/kernel/ed25519.js';
import type { AgentId, InteractionId, TermsHash } from '../../../src/kernel/ids.js';
import type { Scope } from '../../../src/kernel/caller.js';
import type { Head } from '../../../src/kernel/rejection.js';
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
} from '../../../src/kernel/statements.js';
import { termsHash } from '../../../src/kernel/terms.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { testKey, type TestKey } from '../../agents/support/agents.js';
import { now, RestAgent } from '../../agents/support/rest-agent.js';
import type { Answer, TestService, TokenOptions } from '../../support/service.js';

export const HOUR = 3_600_000;

export function inFuture(milliseconds: number): Timestamp {
  return timestampOf(Date.now() + milliseconds);
}

/** Terms between these parties, under a fresh interaction id. */
export function contractOf(
  parties: readonly Negotiator[],
  overrides: Partial<Contract> = {},
): Contract {
  return {
    protocolVersion: '0.1',
    interactionId: randomUUID() as InteractionId,
    purpose: 'Translate a leaflet',
    parties: parties.map(({ agentId }) => agentId),
    taskCategory: 'translation',
    requestedOutcome: 'A German text, naïve “quotes” kept',
    successCriteria: ['All 12 sections present'],
    allowedActions: ['translate'],
    prohibitedActions: ['publish'],
    allowedData: [],
    prohibitedData: [],
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

/** A wire document, as an answer carries it. */
export function documentOf(answer: Answer): FederatedInteraction {
  if (answer.status >= 300) throw new Error(`${String(answer.status)} ${answer.text}`);
  return answer.body as unknown as FederatedInteraction;
}

export function newest(document: FederatedInteraction): ContractRevision {
  const revision = document.contractRevisions.at(-1);
  if (revision === undefined) throw new Error('an interaction has at least one revision');
  return revision;
}

export function headOf(document: FederatedInteraction): Head {
  const { revision, status, termsHash: hash } = newest(document);
  return { revision, status, termsHash: hash };
}

export function pathOf({ interactionId }: { readonly interactionId: string }): string {
  return `/v1/interactions/${interactionId}`;
}

export interface SendOptions {
  readonly token?: TokenOptions;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How agents differ: by default each has a key, a tenant, an owner and a client of its own. */
export interface NegotiatorOptions {
  readonly key?: TestKey | null;
  readonly tenant?: string;
  readonly owner?: string;
  readonly client?: string;
}

let seeds = 0;

/** One registered agent of a service under test, with its key and tokens, over REST. */
export class Negotiator {
  readonly #tokens = new Map<string, string>();

  private constructor(
    private readonly service: TestService,
    readonly agentId: AgentId,
    readonly key: TestKey | null,
    readonly tenant: string,
    readonly owner: string,
    readonly client: string,
  ) {}

  static async register(
    service: TestService,
    name: string,
    options: NegotiatorOptions = {},
  ): Promise<Negotiator> {
    const {
      key = testKey(`${name}-1`, (seeds++ % 250) + 1),
      tenant = `tenant-of-${name}`,
      owner = `owner-of-${name}`,
      client = `client-of-${name}`,
    } = options;
    const negotiator = new Negotiator(service, name as AgentId, key, tenant, owner, client);
    const token = await service.token({ principal: owner, tenant, scopes: ['agents:write'] });
    const answer = await new RestAgent(service, name).register(
      key === null ? [] : [key],
      { clients: [client] },
      token,
    );
    if (answer.status !== 201) throw new Error(answer.text);
    return negotiator;
  }

  /** The same agent, as a client of another node. */
  at(service: TestService): Negotiator {
    const { agentId, key, tenant, owner, client } = this;
    return new Negotiator(service, agentId, key, tenant, owner, client);
  }

  /** What its runtime uses: issued to its client, bound to the agent. */
  get runtimeToken(): TokenOptions {
    const { client, tenant, agentId: agent } = this;
    return { principal: client, client, agent, tenant, scopes: ['interactions:write'] };
  }

  get ownerToken(): TokenOptions {
    const { owner: principal, tenant } = this;
    return { principal, tenant, scopes: ['interactions:write'] };
  }

  /** Somebody of its tenant who only reads. */
  colleague(...scopes: readonly Scope[]): TokenOptions {
    return { principal: 'colleague', tenant: this.tenant, scopes };
  }

  async post(path: string, body: object, options: SendOptions = {}): Promise<Answer> {
    return this.service.call('POST', path, {
      token: await this.#token(options.token ?? this.runtimeToken),
      body,
      headers: options.headers ?? {},
    });
  }

  async get(path: string, options: SendOptions = {}): Promise<Answer> {
    return this.service.call('GET', path, {
      token: await this.#token(options.token ?? this.runtimeToken),
      headers: options.headers ?? {},
    });
  }

  /** Without a key: its owner says it. The header with which a read waits for the change. */
  async changeClients(
    expectedRevision: number,
    clients: readonly string[],
  ): Promise<{ readonly 'position-token': string }> {
    const owner: TokenOptions = {
      principal: this.owner,
      tenant: this.tenant,
      scopes: ['agents:write'],
    };
    const answer = await this.service.call('PUT', `/v1/agents/${this.agentId}/clients`, {
      token: await this.#token(owner),
      body: { change: 'change-clients', expectedRevision, clients },
    });
    if (answer.status !== 200) throw new Error(answer.text);
    return { 'position-token': answer.headers.get('position-token') ?? '' };
  }

  /** One token for each kind of caller, as a client would keep it. */
  async #token(options: TokenOptions): Promise<string> {
    const kind = JSON.stringify(options);
    const token = this.#tokens.get(kind) ?? (await this.service.token(options));
    this.#tokens.set(kind, token);
    return token;
  }

  proposal(terms: Contract, responder: Negotiator, expiresAt = inFuture(HOUR)): object {
    const { interactionId } = terms;
    return {
      interactionId,
      agentId: this.agentId,
      responderAgentId: responder.agentId,
      contract: terms,
      termsHash: termsHash(terms),
      expiresAt,
      ...this.#acceptance(interactionId, 1, null, termsHash(terms), expiresAt),
    };
  }

  revision(document: FederatedInteraction, terms: Contract): object {
    const { interactionId, expiresAt } = document;
    const head = headOf(document);
    const next = head.revision + 1;
    return {
      agentId: this.agentId,
      head,
      contract: terms,
      ...this.#acceptance(interactionId, next, head.termsHash, termsHash(terms), expiresAt),
    };
  }

  consent(document: FederatedInteraction): object {
    const { interactionId, expiresAt } = document;
    const { revision, previousTermsHash = null, termsHash: hash } = newest(document);
    return {
      agentId: this.agentId,
      head: headOf(document),
      ...this.#acceptance(interactionId, revision, previousTermsHash, hash, expiresAt),
    };
  }

  rejection(document: FederatedInteraction, reason?: string): object {
    return this.#closing('federated-interaction/rejection', document, reason);
  }

  withdrawal(document: FederatedInteraction, reason?: string): object {
    return this.#closing('federated-interaction/withdrawal', document, reason);
  }

  cancellation(document: FederatedInteraction, reason?: string): object {
    return {
      agentId: this.agentId,
      head: headOf(document),
      ...(reason !== undefined && { reason }),
      ...this.#signature((signedAt) =>
        makeStatement<CancellationStatement>('federated-interaction/cancellation', {
          audience: this.service.audience,
          agentId: this.agentId,
          interactionId: document.interactionId,
          termsHash: document.termsHash,
          reasonHash: reasonHash(reason),
          signedAt,
        }),
      ),
    };
  }

  completion(document: FederatedInteraction): object {
    const answers = (items: readonly string[]): object[] =>
      items.map((item) => ({ item, verdict: 'met', references: ['sha256:abc'] }));
    const { contract } = document;
    const report = {
      successCriteria: answers(contract.successCriteria),
      completionConditions: answers(contract.completionConditions),
      evidenceRequirements: answers(contract.evidenceRequirements),
    };
    return {
      agentId: this.agentId,
      head: headOf(document),
      report,
      ...this.#signature((signedAt) =>
        makeStatement<CompletionStatement>('federated-interaction/completion', {
          audience: this.service.audience,
          agentId: this.agentId,
          interactionId: document.interactionId,
          termsHash: document.termsHash,
          reportHash: reportHash(report),
          signedAt,
        }),
      ),
    };
  }

  propose(terms: Contract, responder: Negotiator, options?: SendOptions): Promise<Answer> {
    return this.post('/v1/interactions', this.proposal(terms, responder), options);
  }

  revise(document: FederatedInteraction, terms: Contract, options?: SendOptions): Promise<Answer> {
    return this.post(`${pathOf(document)}/revisions`, this.revision(document, terms), options);
  }

  accept(document: FederatedInteraction, options?: SendOptions): Promise<Answer> {
    return this.post(`${pathOf(document)}/acceptances`, this.consent(document), options);
  }

  reject(document: FederatedInteraction, reason?: string): Promise<Answer> {
    return this.post(`${pathOf(document)}/rejections`, this.rejection(document, reason));
  }

  withdraw(document: FederatedInteraction, reason?: string): Promise<Answer> {
    return this.post(`${pathOf(document)}/withdrawal`, this.withdrawal(document, reason));
  }

  cancel(document: FederatedInteraction, reason?: string): Promise<Answer> {
    return this.post(`${pathOf(document)}/cancellation`, this.cancellation(document, reason));
  }

  complete(document: FederatedInteraction): Promise<Answer> {
    return this.post(`${pathOf(document)}/completion`, this.completion(document));
  }

  erasureConsent({ interactionId }: Pick<FederatedInteraction, 'interactionId'>): object {
    return {
      agentId: this.agentId,
      ...this.#signature((signedAt) =>
        makeStatement<ErasureConsentStatement>('federated-interaction/erasure-consent', {
          audience: this.service.audience,
          agentId: this.agentId,
          interactionId,
          signedAt,
        }),
      ),
    };
  }

  consentToErasure(
    document: Pick<FederatedInteraction, 'interactionId'>,
    options?: SendOptions,
  ): Promise<Answer> {
    return this.post(
      `${pathOf(document)}/erasure-consents`,
      this.erasureConsent(document),
      options,
    );
  }

  #acceptance(
    interactionId: InteractionId,
    revision: number,
    previousTermsHash: TermsHash | null,
    hash: TermsHash,
    expiresAt: Timestamp,
  ): object {
    const { key } = this;
    if (key === null) return {};
    const acceptedAt = now();
    const value = sign(
      key,
      makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
        audience: this.service.audience,
        interactionId,
        revision,
        previousTermsHash,
        termsHash: hash,
        expiresAt,
        agentId: this.agentId,
        method: 'ed25519',
        acceptedAt,
      }),
    );
    return { acceptance: { keyId: key.keyId, value, acceptedAt } };
  }

  #closing(
    name: (RejectionStatement | WithdrawalStatement)['statement'],
    document: FederatedInteraction,
    reason: string | undefined,
  ): object {
    const { revision, termsHash: hash } = newest(document);
    return {
      agentId: this.agentId,
      head: headOf(document),
      ...(reason !== undefined && { reason }),
      ...this.#signature((signedAt) =>
        makeStatement<RejectionStatement | WithdrawalStatement>(name, {
          audience: this.service.audience,
          agentId: this.agentId,
          interactionId: document.interactionId,
          revision,
          termsHash: hash,
          reasonHash: reasonHash(reason),
          signedAt,
        }),
      ),
    };
  }

  #signature(statementAt: (signedAt: Timestamp) => Statement): object {
    const { key } = this;
    if (key === null) return {};
    const signedAt = now();
    return { signature: { keyId: key.keyId, value: sign(key, statementAt(signedAt)), signedAt } };
  }
}

function sign(key: TestKey, statement: Statement): string {
  return signEd25519(key.privateKey, statementText(statement));
}
