import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { agentDecider } from '../../src/agents/domain/agent-decider.js';
import type { Agent } from '../../src/agents/domain/agent.js';
import type { AgentEvent, ChangeAuthorization } from '../../src/agents/domain/events.js';
import type { AgentState } from '../../src/agents/domain/evolve.js';
import { AGENT_EVENT_TYPES } from '../../src/agents/event-types.js';
import { decodeEvent, keyOf } from '../../src/event-store/codec.js';
import type { EventEnvelope } from '../../src/kernel/envelope.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import { decodeBase64Url } from '../../src/kernel/base64url.js';
import { sha256 } from '../../src/kernel/digest.js';
import { verifyEd25519 } from '../../src/kernel/ed25519.js';
import { ERASED, fold, type Recorded } from '../../src/kernel/event.js';
import { expectSchemasToHold } from '../golden/stored-log.js';

/**
 * Lives as earlier versions wrote them: envelopes, the data key of sealed texts, and what they amount
 * to. Later versions must read these files; they are never written again.
 */
interface Golden {
  readonly audience: string;
  readonly dataKeys: Readonly<Record<string, string>>;
  readonly events: readonly EventEnvelope[];
  /** By agent id; keys as a list. */
  readonly states: Readonly<Record<string, unknown>>;
}

const golden = read('lives.json');
const sealed = read('sealed-policies.json');

function read(file: string): Golden {
  const path = new URL(`../golden/agents/${file}`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Golden;
}

type Keys = Pick<KeyStore, 'find'>;

const withKeys = keysOf(golden);
function keysOf({ dataKeys }: Golden): Keys {
  return { find: async (scope) => decodeBase64Url(dataKeys[scope] ?? '') };
}
const withoutKeys: Keys = { find: async () => ERASED };

async function replay(
  keys: Keys,
  log = golden,
): Promise<{
  readonly events: readonly Recorded<AgentEvent>[];
  readonly states: Readonly<Record<string, unknown>>;
}> {
  const events: Recorded<AgentEvent>[] = [];
  for (const envelope of log.events) {
    const key = await keyOf(envelope.stream, [envelope], keys);
    events.push(decodeEvent<AgentEvent>(envelope, AGENT_EVENT_TYPES, key));
  }
  const ids = new Set(events.map((event) => event.data.agentId));
  const states = Array.from(ids, (id) => {
    const own = events.filter((event) => event.data.agentId === id);
    const agent = fold<AgentState, AgentEvent>((s, e) => agentDecider.evolve(s, e), null, own);
    return [id, agent && withKeyList(agent)] as const;
  });
  return { events, states: Object.fromEntries(states) };
}

const withKeyList = (agent: Agent): object => ({ ...agent, keys: [...agent.keys.values()] });

describe('the log of the first version', () => {
  it('has every event type', () => {
    const types = new Set(golden.events.map(({ type }) => type));
    expect([...types].sort()).toEqual(Object.keys(AGENT_EVENT_TYPES).sort());
  });

  it('matches the schemas of its events', () => {
    expectSchemasToHold(golden, AGENT_EVENT_TYPES);
  });

  it('folds to the agents of that time', async () => {
    expect((await replay(withKeys)).states).toEqual(golden.states);
  });

  it('folds to the same agents when its texts are erased', async () => {
    expect((await replay(withoutKeys)).states).toEqual(golden.states);
  });

  it('still opens its reasons, and their hashes fit', async () => {
    const { events } = await replay(withKeys);
    const reasons = events.flatMap(({ data, texts }) =>
      texts !== null && texts !== ERASED && 'reason' in texts && 'reasonHash' in data
        ? [[texts.reason, data.reasonHash] as const]
        : [],
    );
    expect(reasons.map(([reason]) => reason)).toEqual([
      'Laptop lost — “alpha” 🔑',
      null,
      'Replaced by agent-beta',
    ]);
    for (const [reason, hash] of reasons) expect(hash).toBe(reason && sha256(reason));
  });

  it('shows by itself who entitled every change: proofs and signatures verify', async () => {
    const { events } = await replay(withoutKeys);
    const jwks = new Map<string, Parameters<typeof verifyEd25519>[0]>();
    const verified = { proofs: 0, signatures: 0 };
    for (const { data } of events) {
      const { agentId } = data;
      const common = { protocolVersion: '0.1', audience: golden.audience, agentId };
      const added = 'keys' in data ? data.keys : 'key' in data ? [data.key] : [];
      for (const { keyId, jwk, jwkThumbprint, proof } of added) {
        const statement = canonical({
          ...common,
          statement: 'agent/key-proof',
          jwkThumbprint,
          keyId,
          signedAt: proof.signedAt,
        });
        expect(verifyEd25519(jwk, statement, proof.value)).toBe(true);
        verified.proofs++;
        jwks.set(`${agentId} ${keyId}`, jwk);
      }
      const by: ChangeAuthorization | undefined =
        'authorization' in data ? data.authorization : undefined;
      if (by?.by !== 'signature') continue;
      const jwk = jwks.get(`${agentId} ${by.keyId}`);
      const { signedAt, changeHash } = by;
      const statement = canonical({ ...common, statement: 'agent/change', changeHash, signedAt });
      expect(jwk && verifyEd25519(jwk, statement, by.value)).toBe(true);
      verified.signatures++;
    }
    expect(verified).toEqual({ proofs: 4, signatures: 7 });
  });
});

describe('the log that seals what a policy would take', () => {
  const [id, agent] = Object.entries(sealed.states)[0] as [string, object];

  it('matches the schemas of its events', () => {
    expectSchemasToHold(sealed, AGENT_EVENT_TYPES);
  });

  it('says in the clear that there is a policy, and nothing of its rules', () => {
    const changes = sealed.events.filter(({ type }) => type === 'agent-policy-changed');
    expect(changes.map(({ schemaVersion, data }) => [schemaVersion, data['hasPolicy']])).toEqual([
      [2, true],
      [2, false],
      [2, true],
    ]);
    expect(JSON.stringify(sealed.events)).not.toContain('maxRetentionDays');
  });

  it('folds to the agent of that time', async () => {
    expect((await replay(keysOf(sealed), sealed)).states).toEqual(sealed.states);
  });

  it('folds to an agent that accepts nothing by policy when its texts are erased', async () => {
    const { states } = await replay(withoutKeys, sealed);
    expect(states).toEqual({ [id]: { ...agent, policy: null } });
  });
});

/** The canonical text of a flat object of ASCII texts, spelled out. */
function canonical(statement: Readonly<Record<string, string>>): string {
  const members = Object.keys(statement).sort();
  return `{${members.map((m) => `"${m}":${JSON.stringify(statement[m])}`).join(',')}}`;
}
