import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose';

export interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly publicJwk: JWK;
  sign(payload: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

export const OIDC_AUDIENCE = 'https://api.example';

const DISCOVERY_PATH = '/.well-known/openid-configuration';

/** An OpenID provider on 127.0.0.1 that publishes what the test tells it to. */
export class TestIssuer {
  readonly published: JWK[] = [];
  /** Requests for the key set so far. */
  fetches = 0;
  /** Requests for the discovery document so far. */
  discoveries = 0;
  /** When set, the discovery document is not to be had: refused, or not answered at all. */
  discoveryOutage: 'refused' | 'silent' | undefined;
  /** When set, everything is answered so. */
  outage: { status: number; body: string } | undefined;
  /** What the discovery document says, when not the truth. */
  discovery: object | undefined;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      if (request.url === '/jwks') this.fetches++;
      if (request.url === DISCOVERY_PATH) {
        this.discoveries++;
        if (this.discoveryOutage === 'silent') return;
        if (this.discoveryOutage === 'refused') {
          response.writeHead(503).end();
          return;
        }
      }
      const { status, body } = this.outage ?? {
        status: 200,
        body: this.#bodyOf(request.url ?? ''),
      };
      response.writeHead(body === '' ? 404 : status, { 'content-type': 'application/json' });
      response.end(body);
    });
  }

  static async start(): Promise<TestIssuer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TestIssuer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get jwksUri(): string {
    return `${this.url}/jwks`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Makes a key pair and, unless told otherwise, publishes its public half. */
  async addKey(alg: string, kid: string, isPublished = true): Promise<IssuerKey> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
    if (isPublished) this.published.push(publicJwk);
    return {
      kid,
      alg,
      publicJwk,
      sign: async (payload, header = {}) =>
        new SignJWT(payload)
          .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
          .sign(privateKey),
    };
  }

  /** Claims that are good for an hour, changed where the test says so; undefined leaves one out. */
  claims(changes: Readonly<Record<string, unknown>> = {}): JWTPayload {
    const now = Math.floor(Date.now() / 1000);
    const claims: Record<string, unknown> = {
      iss: this.url,
      aud: OIDC_AUDIENCE,
      sub: 'operator',
      tenant: 'tenant',
      scope: 'operator:read',
      iat: now,
      exp: now + 3600,
      ...changes,
    };
    return JSON.parse(JSON.stringify(claims)) as JWTPayload;
  }

  #bodyOf(path: string): string {
    if (path === '/jwks') return JSON.stringify({ keys: this.published });
    if (path === DISCOVERY_PATH) {
      return JSON.stringify(this.discovery ?? { issuer: this.url, jwks_uri: this.jwksUri });
    }
    return '';
  }
}
