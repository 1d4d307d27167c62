import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../src/agents/domain/agent.js';
import { agentDecider } from '../../../src/agents/domain/agent-decider.js';
import type { AgentChange } from '../../../src/agents/domain/commands.js';
import type { AcceptanceMethod } from '../../../src/kernel/federated-interaction.js';
import type { KeyId } from '../../../src/kernel/ids.js';
import { sha256 } from '../../../src/kernel/digest.js';
import {
  agentAfter,
  ALPHA,
  at,
  change,
  context,
  given,
  otherAdmin,
  owner,
  ownerAdmin,
  proofOf,
  register,
  submission,
  testKey,
  type Act,
} from '../support/agents.js';
import { HOSTILE_POINTS } from './hostile-keys.js';

const k1 = testKey('k1', 1);
const k2 = testKey('k2', 2);
const k3 = testKey('k3', 3);

const keyless: Act = { command: register() };
const keyed: Act = { command: register({ keys: [submission(k1)] }) };
const policy = {
  taskCategories: ['translation'],
  allowedActions: ['translate'],
  maxRetentionDays: 30,
};

type Content = Parameters<typeof change>[0];

/** A change signed by k1 at the second at which it is sent. */
const signed = (content: Content, revision: number, second: number, key = k1): Act => ({
  command: change(content, revision, { key, at: at(second) }),
  second,
});

const everyChange: readonly Content[] = [
  { kind: 'add-key', key: submission(k2), replaces: null },
  { kind: 'revoke-key', keyId: k1.keyId, reason: undefined },
  { kind: 'change-methods', methods: ['oauth_account'] },
  { kind: 'change-policy', policy },
  { kind: 'change-clients', clients: [] },
  { kind: 'change-transport', transport: { hosted: true } },
  { kind: 'retire', reason: undefined },
];

describe('adding a key', () => {
  const add = (key = k2, second = 10, replaces: KeyId | null = null): Content => ({
    kind: 'add-key',
    key: submission(key, at(second)),
    replaces,
  });

  it('lets both keys stand', () => {
    const { keys } = given(keyed).then(signed(add(), 0, 10));
    expect([...keys.values()].map((key) => [key.keyId, key.from, key.until])).toEqual([
      ['k1', at(0), null],
      ['k2', at(10), null],
    ]);
  });

  it('as a rotation ends the old window at the moment at which the new one begins', () => {
    const { keys } = given(keyed).then(signed(add(k2, 10, k1.keyId), 0, 10));
    expect(
      [...keys.values()].map((key) => [key.keyId, key.from, key.until, key.revokedAt]),
    ).toEqual([
      ['k1', at(0), at(10), null],
      ['k2', at(10), null, null],
    ]);
  });

  it('refuses to replace what is not there or has ended', () => {
    const rotated = given(keyed, signed(add(k2, 10, k1.keyId), 0, 10));
    expect(rotated.when(signed(add(k3, 20, 'k9' as KeyId), 1, 20, k2))).toBe('key-not-found');
    expect(rotated.when(signed(add(k3, 20, k1.keyId), 1, 20, k2))).toBe('key-not-valid');
  });

  it('never takes an id or a key again that the agent once had', () => {
    const revoked = given(
      keyed,
      signed(add(), 0, 10),
      signed({ kind: 'revoke-key', keyId: k2.keyId, reason: undefined }, 1, 11),
    );
    expect(revoked.when(signed(add(k2, 12), 2, 12))).toBe('key-id-taken');
    expect(revoked.when(signed(add({ ...k3, keyId: k2.keyId }, 12), 2, 12))).toBe('key-id-taken');
    expect(revoked.when(signed(add({ ...k2, keyId: k3.keyId }, 12), 2, 12))).toBe('key-exists');
  });

  it('counts past keys among the 64', () => {
    const keys = Array.from({ length: 64 }, (_, i) => testKey(`key-${String(i)}`, i + 10));
    const [first = k1] = keys;
    const full: Act = { command: register({ keys: keys.map((key) => submission(key)) }) };
    const revoke: Content = {
      kind: 'revoke-key',
      keyId: keys[5]?.keyId ?? k1.keyId,
      reason: 'old',
    };
    const agent = given(full, signed(revoke, 0, 5, first));
    expect(agent.when(signed(add(), 1, 10, first))).toBe('too-many-keys');
  });

  it('needs the proof of the new key, however well the change is signed', () => {
    const proof = proofOf(k3, at(10));
    const stolen: Content = { kind: 'add-key', key: { ...submission(k2), proof }, replaces: null };
    expect(given(keyed).when(signed(stolen, 0, 10))).toBe('key-proof-invalid');
  });

  it.each(HOSTILE_POINTS)('refuses $name', ({ x }) => {
    const material = { form: 'jwk', kty: 'OKP', crv: 'Ed25519', x } as const;
    const hostile: Content = {
      kind: 'add-key',
      key: { ...submission(k2), material },
      replaces: null,
    };
    expect(given(keyed).when(signed(hostile, 0, 0))).toBe('key-unsafe-point');
  });

  it('for the first time makes the agent accept by signature alone', () => {
    const first: Act = { command: change(add(k1, 10), 0), by: owner, second: 10 };
    const by = { agentId: ALPHA, authorization: { by: 'token' } };
    expect(given(keyless).when(first)).toMatchObject([
      { type: 'agent-key-added', data: { ...by, key: { keyId: 'k1' }, replaces: null } },
      { type: 'agent-methods-changed', data: { ...by, methods: ['ed25519'] } },
    ]);
    expect(given(keyless).then(first)).toMatchObject({ methods: ['ed25519'], revision: 2 });
  });

  it('for the second time leaves the methods as they were chosen', () => {
    const optedOut: Act = {
      command: register({ keys: [submission(k1)], methods: ['ed25519', 'oauth_account'] }),
    };
    expect(given(optedOut).then(signed(add(), 0, 10)).methods).toEqual([
      'ed25519',
      'oauth_account',
    ]);
  });
});

describe('revoking a key', () => {
  const revoke = (keyId: KeyId, reason?: string): Content => ({
    kind: 'revoke-key',
    keyId,
    reason,
  });

  it('records the moment, the reason and its hash', () => {
    const act = signed(revoke(k1.keyId, 'laptop lost'), 0, 10);
    expect(given(keyed).when(act)).toMatchObject([
      {
        type: 'agent-key-revoked',
        data: { agentId: ALPHA, keyId: 'k1', reasonHash: sha256('laptop lost') },
        texts: { reason: 'laptop lost' },
      },
    ]);
    expect(given(keyed).then(act).keys.get(k1.keyId)).toMatchObject({
      until: at(10),
      revokedAt: at(10),
    });
  });

  it('without a reason says so', () => {
    expect(given(keyed).when(signed(revoke(k1.keyId), 0, 10))).toMatchObject([
      { data: { reasonHash: null }, texts: { reason: null } },
    ]);
  });

  it('of a replaced key leaves the end of its window where it was', () => {
    const rotated = given(
      keyed,
      signed({ kind: 'add-key', key: submission(k2, at(10)), replaces: k1.keyId }, 0, 10),
    );
    const { keys } = rotated.then(signed(revoke(k1.keyId, 'it leaked before'), 1, 20, k2));
    expect(keys.get(k1.keyId)).toMatchObject({ until: at(10), revokedAt: at(20) });
  });

  it('happens once, to a key that exists', () => {
    const two: Act = { command: register({ keys: [submission(k1), submission(k2)] }) };
    const revoked = given(two, signed(revoke(k1.keyId), 0, 10));
    expect(revoked.when(signed(revoke(k1.keyId), 1, 11, k2))).toBe('key-not-valid');
    expect(revoked.when(signed(revoke('k9' as KeyId), 1, 11, k2))).toBe('key-not-found');
  });

  it('of a retired agent takes what entitles to it, once', () => {
    const retired = given(keyed, signed({ kind: 'retire', reason: 'replaced' }, 0, 5));
    const command = change(revoke(k1.keyId), 1);
    expect(retired.when({ command, by: owner, second: 6 })).toBe('change-signature-required');
    expect(retired.when({ command, by: otherAdmin, second: 6 })).toBe('change-signature-required');
    expect(retired.when(signed(revoke(k1.keyId), 0, 6))).toBe('agent-changed');
    const revoked = given(
      keyed,
      signed({ kind: 'retire', reason: 'replaced' }, 0, 5),
      signed(revoke(k1.keyId), 1, 6),
    );
    const again = { command: change(revoke(k1.keyId), 2), by: ownerAdmin, second: 7 };
    expect(revoked.when(again)).toBe('key-not-valid');
  });

  it('of the last key locks the agent for all but its owner with agents:admin', () => {
    const locked = given(keyed, signed(revoke(k1.keyId), 0, 10));
    const add: Content = { kind: 'add-key', key: submission(k2, at(20)), replaces: null };
    expect(locked.when(signed(add, 1, 20))).toBe('key-not-valid');
    expect(locked.when({ command: change(add, 1), by: owner, second: 20 })).toBe(
      'change-signature-required',
    );
    const rescued = locked.then({ command: change(add, 1), by: ownerAdmin, second: 20 });
    expect(rescued.methods).toEqual(['ed25519']);
    expect([...rescued.keys.keys()]).toEqual(['k1', 'k2']);
  });
});

describe('changing methods', () => {
  const cases: readonly [string, Act, readonly AcceptanceMethod[], boolean][] = [
    ['keyed', keyed, ['ed25519', 'oauth_account'], true],
    ['keyed', keyed, ['policy_auto_accept', 'ed25519'], true],
    ['keyed', keyed, ['oauth_installation'], true],
    ['keyed', keyed, [], false],
    ['keyed', keyed, ['oauth_account', 'oauth_account'], false],
    ['keyless', keyless, ['oauth_installation', 'policy_auto_accept'], true],
    ['keyless', keyless, ['ed25519'], false],
    ['keyless', keyless, [], false],
  ];
  it.each(cases)('of a %s agent (%#)', (_, agent, methods, accepted) => {
    const content: Content = { kind: 'change-methods', methods };
    const act = agent === keyed ? signed(content, 0, 5) : { command: change(content, 0) };
    const outcome = given(agent).when(act);
    if (accepted) expect(given(agent).then(act).methods).toEqual(methods);
    else expect(outcome).toBe('methods-invalid');
  });

  it('back to ed25519 is possible when all keys have ended', () => {
    const ended = given(
      keyed,
      signed({ kind: 'change-methods', methods: ['oauth_account'] }, 0, 1),
      signed({ kind: 'revoke-key', keyId: k1.keyId, reason: undefined }, 1, 2),
    );
    const lock = change({ kind: 'change-methods', methods: ['ed25519'] }, 2);
    expect(ended.then({ command: lock, by: ownerAdmin, second: 3 }).methods).toEqual(['ed25519']);
  });
});

describe('changing policy, clients and transport', () => {
  it('remembers at which revision the policy was set', () => {
    const set = signed({ kind: 'change-policy', policy }, 0, 1);
    const again = signed({ kind: 'change-policy', policy }, 1, 2);
    expect(given(keyed).then(set).policy).toEqual({ rules: policy, revision: 1 });
    expect(given(keyed, set).then(again).policy).toEqual({ rules: policy, revision: 2 });
    const removed = signed({ kind: 'change-policy', policy: null }, 1, 2);
    expect(given(keyed, set).then(removed).policy).toBeNull();
  });

  it('replaces the clients', () => {
    const act = signed({ kind: 'change-clients', clients: ['a', 'b'] }, 0, 1);
    expect(given(keyed).then(act).clients).toEqual(['a', 'b']);
  });

  it('replaces the transport', () => {
    const act = signed({ kind: 'change-transport', transport: { hosted: true } }, 0, 1);
    expect(given(keyed).then(act).transport.managedBy).toBe('openclasp');
  });
});

describe('every change', () => {
  it.each(everyChange)('$kind of an unknown agent is refused', (content) => {
    expect(given().when({ command: change(content, 0) })).toBe('agent-not-found');
  });

  it.each(everyChange)('$kind names the revision that it was written against', (content) => {
    for (const revision of [-1, 1, 2]) {
      expect(given(keyed).when(signed(content, revision, 0))).toBe('agent-changed');
    }
    expect(Array.isArray(given(keyed).when(signed(content, 0, 0)))).toBe(true);
  });

  it.each(everyChange)(
    '$kind of a retired agent is refused, to everybody, unless it revokes a key',
    (content) => {
      const retired = given(keyed, signed({ kind: 'retire', reason: 'replaced' }, 0, 5));
      const byKey = signed(content, 1, 6);
      const byOwner = { command: change(content, 1), by: ownerAdmin, second: 6 };
      for (const act of [byKey, byOwner]) {
        if (content.kind !== 'revoke-key') expect(retired.when(act)).toBe('agent-retired');
        else {
          const { keys, retiredAt } = retired.then(act);
          expect([retiredAt, keys.get(k1.keyId)?.revokedAt]).toEqual([at(5), at(6)]);
        }
      }
    },
  );

  it.each(everyChange)('$kind moves the revision and keeps what it does not name', (content) => {
    const before = given().then(keyed);
    const after = given(keyed).then(signed(content, 0, 5));
    expect(after.revision).toBe(1);
    expect(after.updatedAt).toBe(at(5));
    const touched: Record<AgentChange['kind'], readonly string[]> = {
      'add-key': ['keys'],
      'revoke-key': ['keys'],
      'change-methods': ['methods'],
      'change-policy': ['policy'],
      'change-clients': ['clients'],
      'change-transport': ['transport'],
      retire: ['retiredAt'],
    };
    const moved = new Set(['revision', 'updatedAt', ...touched[content.kind]]);
    const kept = (agent: object): object =>
      Object.fromEntries(Object.entries(agent).filter(([member]) => !moved.has(member)));
    expect(kept(after)).toEqual(kept(before));
    for (const member of touched[content.kind] as (keyof typeof after)[]) {
      expect(after[member]).not.toEqual(before[member]);
    }
  });

  it.each(everyChange)('$kind after 10,000 changes: only what protects is possible', (content) => {
    const agent = agentAfter(keyed);
    const often = (revision: number): Agent => ({ ...agent, revision });
    const decide = (revision: number) => {
      const { command } = signed(content, revision, 5);
      return agentDecider.decide(often(revision), command, context(at(5)));
    };
    expect(decide(9_999).ok).toBe(true);
    const isProtective = content.kind === 'revoke-key' || content.kind === 'retire';
    const code = isProtective ? undefined : 'too-many-changes';
    const decision = decide(10_000);
    expect(decision.ok ? undefined : decision.error.code).toBe(code);
  });

  it('records retirement for ever, with its reason', () => {
    const act = signed({ kind: 'retire', reason: 'replaced by beta' }, 0, 5);
    expect(given(keyed).then(act).retiredAt).toBe(at(5));
    expect(given(keyed, act).when({ command: register(), by: otherAdmin })).toBe('agent-exists');
  });
});
