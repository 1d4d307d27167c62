import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { BackendBinding } from '../../../../src/config/hosted-agents.js';
import type { BackendCall } from '../../../../src/invocations/commands/backends.js';
import type { Caller } from '../../../../src/kernel/caller.js';
import type {
  AgentId,
  InteractionId,
  SkillId,
  TermsHash,
  Uuid,
} from '../../../../src/kernel/ids.js';
import type { Json, JsonObject } from '../../../../src/kernel/json.js';

export const HOSTED = 'finance' as AgentId;

export const TERMS = {
  interactionId: '0195c6a0-0000-7000-8000-000000000001' as InteractionId,
  revision: 1,
  termsHash: 'hash-of-the-terms' as TermsHash,
};

export function caller(principal = 'buyer'): Caller {
  return {
    principal,
    client: 'buyer-client',
    agent: 'buyer-agent' as AgentId,
    tenant: 'buyers',
    scopes: new Set(),
    allScopes: new Set(['recon.run', 'payments.approve']),
  };
}

/** What sample backends answer: for whom they were called, and with what. */
export function outputFor({ sub }: JWTPayload, args: Json): JsonObject {
  return { for: sub ?? null, arguments: args };
}

/** A call that has half a minute. */
export function backendCall(changes: Partial<BackendCall> = {}): BackendCall {
  return {
    invocationId: randomUUID() as Uuid,
    agentId: HOSTED,
    skillId: 'reconcile' as SkillId,
    arguments: { invoice: 'INV-1' },
    caller: caller(),
    scopes: ['recon.run'],
    terms: TERMS,
    traceId: 'trace-1',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    deadline: Date.now() + 30_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

export const AUDIENCE = 'https://ledger.example';

export function binding(url: string, changes: Partial<BackendBinding> = {}): BackendBinding {
  return {
    kind: 'http',
    name: 'ledger',
    url,
    audience: AUDIENCE,
    timeoutMs: 5_000,
    isIdempotent: false,
    tool: null,
    ...changes,
  };
}
