import type { Scope } from '../../../src/kernel/caller.js';
import { changeHash } from '../../../src/kernel/statements.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import type { Answer, TestService, TokenOptions } from '../../support/service.js';
import { proofOf, signatureOf, type TestKey } from './agents.js';

/** The moment by this machine's clock, which a service under test shares. */
export const now = (): Timestamp => timestampOf(Date.now());

/** A key as the API takes it, with its proof of possession. */
export function keyMember(
  key: TestKey,
  agentId: string,
  service: TestService,
  signedAt: Timestamp = now(),
): object {
  const { audience } = service;
  const proof = proofOf(key, signedAt, { audience, agentId: agentId as AgentId });
  return { keyId: key.keyId, jwk: key.jwk, proof };
}

/** A body with its signature over everything that it says. */
export function signedBody(
  body: object,
  agentId: string,
  key: TestKey,
  service: TestService,
  signedAt: Timestamp = now(),
): object {
  const { audience } = service;
  const members = { audience, agentId: agentId as AgentId };
  return { ...body, signature: signatureOf(key, changeHash(body), signedAt, members) };
}

export const OWN_ENDPOINT = {
  protocol: 'A2A/1.0',
  protocolBinding: 'JSONRPC',
  endpoint: 'https://alpha.example/a2a',
} as const;

/** One agent of a service under test, driven over REST. */
export class RestAgent {
  readonly path: string;

  constructor(
    private readonly service: TestService,
    readonly agentId: string,
  ) {
    this.path = `/v1/agents/${encodeURIComponent(agentId)}`;
  }

  async register(keys: readonly TestKey[], more: object = {}, token?: string): Promise<Answer> {
    return this.service.call('POST', '/v1/agents', {
      token: token ?? (await this.service.token()),
      body: {
        agentId: this.agentId,
        keys: keys.map((key) => keyMember(key, this.agentId, this.service)),
        transport: OWN_ENDPOINT,
        ...more,
      },
    });
  }

  async get(subPath = '', options: TokenOptions = {}): Promise<Answer> {
    return this.service.call('GET', `${this.path}${subPath}`, {
      token: await this.service.token(options),
    });
  }

  /** A change by the owner's token, signed when a key is given. */
  async change(
    method: 'POST' | 'PUT',
    subPath: string,
    body: object,
    key?: TestKey,
    options: TokenOptions = {},
  ): Promise<Answer> {
    return this.service.call(method, `${this.path}${subPath}`, {
      token: await this.service.token(options),
      body: key === undefined ? body : signedBody(body, this.agentId, key, this.service),
    });
  }
}

export const ADMIN: { readonly scopes: readonly Scope[] } = { scopes: ['agents:admin'] };
