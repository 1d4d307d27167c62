import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AgentEvent } from '../../src/agents/domain/events.js';
import type { PlatformKeyEvent } from '../../src/attestation/domain/events.js';
import { jwkThumbprint, signEd25519, type Ed25519Jwk } from '../../src/kernel/ed25519.js';
import type { Signature } from '../../src/kernel/federated-interaction.js';
import type { AgentId, KeyId } from '../../src/kernel/ids.js';
import {
  changeHash,
  makeStatement,
  statementText,
  type AgentChangeStatement,
  type KeyProofStatement,
  type Statement,
} from '../../src/kernel/statements.js';
import type { Timestamp } from '../../src/kernel/timestamp.js';

export const AUDIT_AUDIENCE = 'https://countersign.example';

/** A key pair, and what was signed with it. */
export class SigningKey {
  readonly jwk: Ed25519Jwk;
  readonly privateKey: KeyObject;

  constructor(readonly keyId: KeyId) {
    const pair = generateKeyPairSync('ed25519');
    const { x = '' } = pair.publicKey.export({ format: 'jwk' });
    this.jwk = { kty: 'OKP', crv: 'Ed25519', x };
    this.privateKey = pair.privateKey;
  }

  sign(statement: Statement): Signature {
    const value = signEd25519(this.privateKey, statementText(statement));
    return { algorithm: 'Ed25519', keyId: this.keyId, value };
  }
}

/** An agent that has replaced its first key. */
export class LoggedAgent {
  readonly #first: SigningKey;
  /** What it signs with, from then on. */
  readonly key: SigningKey;

  constructor(readonly agentId: AgentId) {
    this.#first = new SigningKey(`${agentId}#1` as KeyId);
    this.key = new SigningKey(`${agentId}#2` as KeyId);
  }

  /** How it came to be, and changed its key. */
  story(at: Timestamp): readonly AgentEvent[] {
    const { agentId } = this;
    const replaces = this.#first.keyId;
    const key = this.#registered(this.key, at);
    const { jwkThumbprint: _, ...submitted } = key;
    const request = { change: 'add-key', expectedRevision: 0, key: submitted, replaces };
    const statement = makeStatement<AgentChangeStatement>('agent/change', {
      audience: AUDIT_AUDIENCE,
      agentId,
      changeHash: changeHash(request),
      signedAt: at,
    });
    const { keyId, value } = this.#first.sign(statement);
    const authorization = {
      by: 'signature',
      keyId,
      signedAt: at,
      changeHash: statement.changeHash,
      value,
    } as const;
    return [
      {
        type: 'agent-registered',
        data: {
          agentId,
          tenant: `tenant-${agentId.slice(-10)}`,
          owner: `owner-of-${agentId}`,
          clients: [`client-of-${agentId}`],
          keys: [this.#registered(this.#first, at)],
          methods: ['ed25519'],
          transport: {
            protocol: 'A2A/1.0',
            protocolBinding: 'JSONRPC',
            endpoint: `https://gateway.example/a2a/${agentId}`,
            managedBy: 'agent',
          },
        },
        texts: null,
      },
      {
        type: 'agent-key-added',
        data: { agentId, authorization, key, replaces },
        texts: null,
      },
    ];
  }

  #registered(key: SigningKey, signedAt: Timestamp) {
    const thumbprint = jwkThumbprint(key.jwk);
    const proof = makeStatement<KeyProofStatement>('agent/key-proof', {
      audience: AUDIT_AUDIENCE,
      agentId: this.agentId,
      jwkThumbprint: thumbprint,
      keyId: key.keyId,
      signedAt,
    });
    const { value } = key.sign(proof);
    return {
      keyId: key.keyId,
      jwk: key.jwk,
      jwkThumbprint: thumbprint,
      proof: { signedAt, value },
    };
  }
}

export function platformKeyAdded(
  key: SigningKey,
  purpose: 'attestation' | 'checkpoint',
): PlatformKeyEvent {
  const { keyId, jwk } = key;
  const data = { keyId, purpose, jwk, jwkThumbprint: jwkThumbprint(jwk) };
  return { type: 'platform-key-added', data, texts: null };
}
