import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { agentDecider } from '../../../src/agents/domain/agent-decider.js';
import type { Agent } from '../../../src/agents/domain/agent.js';
import type {
  AgentChange,
  AgentCommand,
  ChangeSignature,
  RegisterAgent,
} from '../../../src/agents/domain/commands.js';
import type { AgentContext } from '../../../src/agents/domain/context.js';
import type { AgentEvent } from '../../../src/agents/domain/events.js';
import type { AgentState } from '../../../src/agents/domain/evolve.js';
import type { KeySubmission } from '../../../src/agents/domain/key-registration.js';
import type { Caller, Scope } from '../../../src/kernel/caller.js';
import { hashJson } from '../../../src/kernel/digest.js';
import { jwkThumbprint, signEd25519, type Ed25519Jwk } from '../../../src/kernel/ed25519.js';
import { fold, type Recorded } from '../../../src/kernel/event.js';
import type { AgentId, KeyId } from '../../../src/kernel/ids.js';
import {
  makeStatement,
  statementText,
  type AgentChangeStatement,
  type KeyProofStatement,
} from '../../../src/kernel/statements.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';

export const AUDIENCE = 'https://countersign.example';
const LEEWAY_MS = 300_000;
const START_MS = Date.parse('2030-01-01T00:00:00.000Z');
export const ALPHA = 'agent-alpha' as AgentId;
export const OWNER = 'owner@alpha.example';
export const TENANT = 'tenant-alpha';
export const CLIENT = 'client-alpha';

/** The moment so many seconds after the tests' beginning. */
export function at(seconds: number): Timestamp {
  return timestampOf(START_MS + seconds * 1000);
}

/** A real key pair: deterministic, so that a failure can be seen again. */
export interface TestKey {
  readonly keyId: KeyId;
  readonly jwk: Ed25519Jwk;
  readonly spki: string;
  readonly privateKey: KeyObject;
}

/** PKCS#8 of an Ed25519 key (RFC 8410) is this prefix and the seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function testKey(name: string, seed: number): TestKey {
  const der = Buffer.concat([PKCS8_PREFIX, Buffer.alloc(32, seed)]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const x = spki.subarray(12).toString('base64url');
  return {
    keyId: name as KeyId,
    jwk: { kty: 'OKP', crv: 'Ed25519', x },
    spki: spki.toString('base64url'),
    privateKey,
  };
}

export function proofOf(
  key: TestKey,
  signedAt: Timestamp,
  overrides: Partial<Omit<KeyProofStatement, 'statement' | 'protocolVersion'>> = {},
): KeySubmission['proof'] {
  const statement = makeStatement<KeyProofStatement>('agent/key-proof', {
    audience: AUDIENCE,
    agentId: ALPHA,
    jwkThumbprint: jwkThumbprint(key.jwk),
    keyId: key.keyId,
    signedAt,
    ...overrides,
  });
  return { signedAt, value: signEd25519(key.privateKey, statementText(statement)) };
}

export function submission(key: TestKey, signedAt: Timestamp = at(0)): KeySubmission {
  return {
    keyId: key.keyId,
    material: { form: 'jwk', ...key.jwk },
    proof: proofOf(key, signedAt),
  };
}

export function signatureOf(
  key: TestKey,
  changeHash: string,
  signedAt: Timestamp,
  overrides: Partial<Omit<AgentChangeStatement, 'statement' | 'protocolVersion'>> = {},
): ChangeSignature {
  const statement = makeStatement<AgentChangeStatement>('agent/change', {
    audience: AUDIENCE,
    agentId: ALPHA,
    changeHash,
    signedAt,
    ...overrides,
  });
  return {
    keyId: key.keyId,
    signedAt,
    value: signEd25519(key.privateKey, statementText(statement)),
  };
}

type Unsigned<C> = C extends unknown
  ? Omit<C, 'agentId' | 'expectedRevision' | 'changeHash' | 'signature'>
  : never;

/** A change as the edge makes it from a body: the hash covers all that the body says. */
export function change(
  content: Unsigned<AgentChange>,
  expectedRevision: number,
  signer?: { readonly key: TestKey; readonly at: Timestamp },
): AgentChange {
  const changeHash = hashJson({ ...content, expectedRevision });
  const signature =
    signer === undefined ? undefined : signatureOf(signer.key, changeHash, signer.at);
  return { ...content, agentId: ALPHA, expectedRevision, changeHash, signature };
}

export function register(overrides: Partial<Omit<RegisterAgent, 'kind'>> = {}): RegisterAgent {
  return {
    kind: 'register',
    agentId: ALPHA,
    owner: undefined,
    clients: [CLIENT],
    keys: [],
    methods: undefined,
    transport: {
      hosted: false,
      protocolBinding: 'JSONRPC',
      endpoint: 'https://alpha.example/a2a',
    },
    ...overrides,
  };
}

/** The owner's own token, with `agents:write`, unless told otherwise. */
export function caller(
  overrides: Partial<Omit<Caller, 'scopes' | 'allScopes'>> & {
    readonly scopes?: readonly Scope[];
  } = {},
): Caller {
  const scopes = new Set(overrides.scopes ?? (['agents:write'] as const));
  return {
    principal: OWNER,
    client: 'console',
    agent: null,
    tenant: TENANT,
    ...overrides,
    scopes,
    allScopes: scopes,
  };
}

export const owner = caller();
export const ownerAdmin = caller({ scopes: ['agents:admin'] });
export const otherAdmin = caller({ principal: 'admin@alpha.example', scopes: ['agents:admin'] });
/** What leaks when an agent's machine is read out: a token of its client, bound to the agent. */
export const stolen = caller({ principal: CLIENT, client: CLIENT, agent: ALPHA });
export const foreigner = caller({ tenant: 'tenant-beta', scopes: ['agents:admin'] });

export function context(
  now: Timestamp,
  by: Caller = owner,
  hostTenant: string | null = null,
): AgentContext {
  return { now, leewayMs: LEEWAY_MS, audience: AUDIENCE, caller: by, hostTenant };
}

export interface Act {
  readonly command: AgentCommand;
  readonly by?: Caller;
  /** For which the agent is hosted; null unless said otherwise. */
  readonly hostTenant?: string;
  /** Seconds after the tests' beginning. */
  readonly second?: number;
}

export function record(
  events: readonly AgentEvent[],
  from: number,
  recordedAt: Timestamp,
): Recorded<AgentEvent>[] {
  return events.map((event, index) => ({ ...event, recordedAt, revision: from + index }));
}

/** The log of acts that must all succeed. */
function history(...acts: readonly Act[]): readonly Recorded<AgentEvent>[] {
  const log: Recorded<AgentEvent>[] = [];
  for (const { command, by, hostTenant, second } of acts) {
    const now = at(second ?? 0);
    const decision = agentDecider.decide(foldAgent(log), command, context(now, by, hostTenant));
    if (!decision.ok) throw new Error(`history refused: ${decision.error.code}`);
    log.push(...record(decision.value, log.length, now));
  }
  return log;
}

export function foldAgent(
  events: readonly Recorded<AgentEvent>[],
  state: AgentState = agentDecider.initial,
): AgentState {
  return fold<AgentState, AgentEvent>((s, e) => agentDecider.evolve(s, e), state, events);
}

export function agentAfter(...acts: readonly Act[]): Agent {
  const agent = foldAgent(history(...acts));
  if (agent === null) throw new Error('no agent');
  return agent;
}

/** given(…).when(…): the events decided, or the code of the refusal. */
export function given(...acts: readonly Act[]): {
  when(act: Act): readonly AgentEvent[] | string;
  then(act: Act): Agent;
} {
  const log = history(...acts);
  const decide = ({
    command,
    by,
    hostTenant,
    second,
  }: Act): ReturnType<typeof agentDecider.decide> =>
    agentDecider.decide(foldAgent(log), command, context(at(second ?? 0), by, hostTenant));
  return {
    when: (act) => {
      const decision = decide(act);
      return decision.ok ? decision.value : decision.error.code;
    },
    then: (act) => {
      const decision = decide(act);
      if (!decision.ok) throw new Error(`refused: ${decision.error.code}`);
      const events = record(decision.value, log.length, at(act.second ?? 0));
      const agent = foldAgent(events, foldAgent(log));
      if (agent === null) throw new Error('no agent');
      return agent;
    },
  };
}
