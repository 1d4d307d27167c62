import { generateKeyPairSync } from 'node:crypto';
import { devIssuerKeyFile } from '../../src/config/data-folder.js';
import { loadDevKey, mintDevToken } from '../../src/http/authentication/dev-issuer.js';
import {
  jwkThumbprint,
  privateKeyObject,
  signEd25519,
  type Ed25519PrivateJwk,
} from '../../src/kernel/ed25519.js';
import type { AgentId, KeyId } from '../../src/kernel/ids.js';
import {
  makeStatement,
  statementText,
  type KeyProofStatement,
} from '../../src/kernel/statements.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import type { BenchAgent } from '../negotiation-client.js';

/** The tenant in which an agent is registered. */
export function tenantOf(name: string): string {
  return `${name}.example`;
}

/**
 * Registers an agent of a tenant of its own, with a new key and a token of the local issuer.
 * @param folder of the service's data
 * @param scopes of the token, besides those that it takes to register and to negotiate
 */
export async function registerAgent(
  { port }: { readonly port: number },
  folder: string,
  name: string,
  scopes: readonly string[] = [],
): Promise<BenchAgent> {
  const agentId = name as AgentId;
  const keyId = `${name}-1` as KeyId;
  const audience = `http://127.0.0.1:${String(port)}`;
  const jwk = generateKeyPairSync('ed25519').privateKey.export({
    format: 'jwk',
  }) as unknown as Ed25519PrivateJwk;
  const issuer = await loadDevKey(devIssuerKeyFile(folder));
  if (issuer === undefined) throw new Error('the local issuer has no key');
  const token = await mintDevToken(
    issuer,
    {
      principal: `owner-of-${name}`,
      tenant: tenantOf(name),
      agent: name,
      scopes: ['agents:write', 'interactions:write', ...scopes],
      lifetimeSeconds: 3600,
    },
    Date.now(),
  );
  const signedAt = timestampOf(Date.now());
  const proof = statementText(
    makeStatement<KeyProofStatement>('agent/key-proof', {
      audience,
      agentId,
      jwkThumbprint: jwkThumbprint(jwk),
      keyId,
      signedAt,
    }),
  );
  const response = await fetch(`${audience}/v1/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      agentId,
      keys: [
        {
          keyId,
          jwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x },
          proof: { signedAt, value: signEd25519(privateKeyObject(jwk), proof) },
        },
      ],
      transport: {
        protocol: 'A2A/1.0',
        protocolBinding: 'JSONRPC',
        endpoint: `https://${name}.example/a2a`,
      },
    }),
  });
  if (response.status !== 201) throw new Error(`registering failed: ${await response.text()}`);
  return { agentId, keyId, jwk, token };
}
