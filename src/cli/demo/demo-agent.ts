import { generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  jwkThumbprint,
  privateKeyObject,
  signEd25519,
  type Ed25519PrivateJwk,
} from '../../kernel/ed25519.js';
import type { Contract, FederatedInteraction } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId, KeyId, TermsHash } from '../../kernel/ids.js';
import {
  makeStatement,
  reportHash,
  statementText,
  type AcceptanceStatement,
  type CompletionStatement,
  type ErasureConsentStatement,
  type KeyProofStatement,
  type Statement,
} from '../../kernel/statements.js';
import { termsHash } from '../../kernel/terms.js';
import { timestampOf, type Timestamp } from '../../kernel/timestamp.js';
import type { Answer, DemoClient } from './demo-client.js';

/** A head as the API takes it: the newest revision of an interaction. */
export interface DemoHead {
  readonly revision: number;
  readonly status: string;
  readonly termsHash: TermsHash;
}

/** One party: its key never leaves this object, its token is what a thief could steal. */
export class DemoAgent {
  readonly keyId: KeyId;
  readonly #jwk: Ed25519PrivateJwk;

  constructor(
    readonly agentId: AgentId,
    private readonly client: DemoClient,
    private readonly token: string,
  ) {
    this.keyId = `${agentId}-1` as KeyId;
    this.#jwk = generateKeyPairSync('ed25519').privateKey.export({
      format: 'jwk',
    }) as unknown as Ed25519PrivateJwk;
  }

  /** Registers the agent, its public key and the proof that it holds the private half. */
  register(): Promise<Answer> {
    return this.#registerAt({
      transport: {
        protocol: 'A2A/1.0',
        protocolBinding: 'JSONRPC',
        endpoint: `https://${this.agentId}.example/a2a`,
      },
    });
  }

  /** The same for an agent whose endpoint the service serves. */
  registerHosted(): Promise<Answer> {
    return this.#registerAt({ hosted: true });
  }

  #registerAt(endpoint: object): Promise<Answer> {
    const { kty, crv, x } = this.#jwk;
    const signedAt = this.#now();
    const proof = this.#sign(
      makeStatement<KeyProofStatement>('agent/key-proof', {
        audience: this.client.audience,
        agentId: this.agentId,
        jwkThumbprint: jwkThumbprint(this.#jwk),
        keyId: this.keyId,
        signedAt,
      }),
    );
    return this.post('/v1/agents', {
      agentId: this.agentId,
      keys: [{ keyId: this.keyId, jwk: { kty, crv, x }, proof: { signedAt, value: proof } }],
      ...endpoint,
    });
  }

  propose(contract: Contract, responder: AgentId, expiresAt: Timestamp): Promise<Answer> {
    return this.post('/v1/interactions', {
      interactionId: contract.interactionId,
      agentId: this.agentId,
      responderAgentId: responder,
      contract,
      expiresAt,
      acceptance: this.#acceptance(contract, 1, null, expiresAt),
    });
  }

  /** A counter-proposal while pending, an amendment while active. */
  revise(head: DemoHead, contract: Contract, expiresAt: Timestamp): Promise<Answer> {
    return this.post(`${interactionPath(contract)}/revisions`, {
      agentId: this.agentId,
      head,
      contract,
      acceptance: this.#acceptance(contract, head.revision + 1, head.termsHash, expiresAt),
    });
  }

  accept(document: FederatedInteraction): Promise<Answer> {
    const newest = newestRevision(document);
    return this.post(`${interactionPath(document)}/acceptances`, {
      agentId: this.agentId,
      head: headOf(document),
      acceptance: this.#acceptance(
        newest.contract,
        newest.revision,
        newest.previousTermsHash ?? null,
        document.expiresAt,
      ),
    });
  }

  /** Whoever stole this agent's token: speaks as the agent, but has a key of its own at best. */
  thief(): DemoAgent {
    return new DemoAgent(this.agentId, this.client, this.token);
  }

  /** What a token alone amounts to. */
  acceptWithoutKey(document: FederatedInteraction): Promise<Answer> {
    return this.post(`${interactionPath(document)}/acceptances`, {
      agentId: this.agentId,
      head: headOf(document),
    });
  }

  complete(document: FederatedInteraction): Promise<Answer> {
    const { contract } = document;
    const answer = (item: string): object => ({ item, verdict: 'met', references: [] });
    const report = {
      successCriteria: contract.successCriteria.map(answer),
      completionConditions: contract.completionConditions.map(answer),
      evidenceRequirements: contract.evidenceRequirements.map(answer),
    };
    const signedAt = this.#now();
    const value = this.#sign(
      makeStatement<CompletionStatement>('federated-interaction/completion', {
        audience: this.client.audience,
        agentId: this.agentId,
        interactionId: document.interactionId,
        termsHash: document.termsHash,
        reportHash: reportHash(report),
        signedAt,
      }),
    );
    return this.post(`${interactionPath(document)}/completion`, {
      agentId: this.agentId,
      head: headOf(document),
      report,
      signature: { keyId: this.keyId, signedAt, value },
    });
  }

  /** Lets the texts of an ended interaction go; they are erased once every party has. */
  consentToErasure(interactionId: InteractionId): Promise<Answer> {
    const signedAt = this.#now();
    const value = this.#sign(
      makeStatement<ErasureConsentStatement>('federated-interaction/erasure-consent', {
        audience: this.client.audience,
        agentId: this.agentId,
        interactionId,
        signedAt,
      }),
    );
    return this.post(`${interactionPath({ interactionId })}/erasure-consents`, {
      agentId: this.agentId,
      signature: { keyId: this.keyId, signedAt, value },
    });
  }

  get(path: string): Promise<Answer> {
    return this.client.request('GET', path, this.token);
  }

  #acceptance(
    contract: Contract,
    revision: number,
    previousTermsHash: TermsHash | null,
    expiresAt: Timestamp,
  ): object {
    const acceptedAt = this.#now();
    const value = this.#sign(
      makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
        audience: this.client.audience,
        interactionId: contract.interactionId,
        revision,
        previousTermsHash,
        termsHash: termsHash(contract),
        expiresAt,
        agentId: this.agentId,
        method: 'ed25519',
        acceptedAt,
      }),
    );
    return { keyId: this.keyId, value, acceptedAt };
  }

  post(path: string, body: object): Promise<Answer> {
    return this.client.request('POST', path, this.token, body, randomUUID());
  }

  #sign(statement: Statement): string {
    return signEd25519(privateKeyObject(this.#jwk), statementText(statement));
  }

  #now(): Timestamp {
    return timestampOf(Date.now());
  }
}

function interactionPath({ interactionId }: { readonly interactionId: string }): string {
  return `/v1/interactions/${interactionId}`;
}

function newestRevision(
  document: FederatedInteraction,
): FederatedInteraction['contractRevisions'][number] {
  const newest = document.contractRevisions.at(-1);
  if (newest === undefined) throw new Error('an interaction has at least one revision');
  return newest;
}

export function headOf(document: FederatedInteraction): DemoHead {
  const { revision, status, termsHash } = newestRevision(document);
  return { revision, status, termsHash };
}
