import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { agentDecider } from '../../../src/agents/domain/agent-decider.js';
import type { Agent } from '../../../src/agents/domain/agent.js';
import type { AgentCommand } from '../../../src/agents/domain/commands.js';
import type { AgentEvent } from '../../../src/agents/domain/events.js';
import { hasEverHadKeys, validKey } from '../../../src/agents/domain/keys.js';
import type { Caller, Scope } from '../../../src/kernel/caller.js';
import type { Recorded } from '../../../src/kernel/event.js';
import type { AcceptanceMethod } from '../../../src/kernel/federated-interaction.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { RUNS } from '../../support/property-runs.js';
import {
  ALPHA,
  AUDIENCE,
  CLIENT,
  OWNER,
  TENANT,
  at,
  caller,
  change,
  context,
  foldAgent,
  record,
  register,
  signatureOf,
  submission,
  testKey,
} from '../support/agents.js';

/** A pool of real keys; the names repeat, so that ids and keys collide. */
const keys = ['k1', 'k2', 'k3', 'k4', 'k1', 'constructor'].map((name, i) => testKey(name, i + 1));
const key = fc.constantFrom(...keys);

const scopes = fc.subarray<Scope>(['agents:write', 'agents:admin', 'interactions:write']);
const anyCaller: fc.Arbitrary<Caller> = fc
  .record({
    principal: fc.constantFrom(OWNER, OWNER, CLIENT, 'somebody'),
    client: fc.constantFrom(null, CLIENT, 'console'),
    agent: fc.constantFrom(null, null, ALPHA, 'agent-beta' as AgentId),
    tenant: fc.constantFrom(TENANT, TENANT, TENANT, 'tenant-beta'),
    scopes,
  })
  .map(caller);

const methods = fc.subarray<AcceptanceMethod>([
  'ed25519',
  'oauth_installation',
  'oauth_account',
  'policy_auto_accept',
]);
const clients = fc.subarray([CLIENT, 'other-client']);
const policy = fc.option(
  fc.constant({ taskCategories: ['t'], allowedActions: ['a'], maxRetentionDays: 1 }),
);
const transport = fc.constant({ hosted: true } as const);
const reason = fc.option(fc.constant('because'), { nil: undefined });

type Content = Parameters<typeof change>[0];

const contentAt = (second: number): fc.Arbitrary<Content> =>
  fc.oneof(
    fc.record({
      kind: fc.constant('add-key' as const),
      key: fc.constantFrom(...keys.map((k) => submission(k, at(second)))),
      replaces: fc.option(key.map((k) => k.keyId)),
    }),
    fc.record({
      kind: fc.constant('revoke-key' as const),
      keyId: key.map((k) => k.keyId),
      reason,
    }),
    fc.record({ kind: fc.constant('change-methods' as const), methods }),
    fc.record({ kind: fc.constant('change-policy' as const), policy }),
    fc.record({ kind: fc.constant('change-clients' as const), clients }),
    fc.record({ kind: fc.constant('change-transport' as const), transport }),
  );

/** How a step's change is signed, and whether it knows the agent's revision. */
interface Step {
  readonly second: number;
  readonly by: Caller;
  readonly content: Content | { readonly kind: 'register'; readonly keyed: boolean };
  readonly signer: number | undefined;
  readonly stale: boolean;
}

const retirement = fc.record({ kind: fc.constant('retire' as const), reason });
const registration = fc.record({ kind: fc.constant('register' as const), keyed: fc.boolean() });

const stepAt = (second: number): fc.Arbitrary<Step> =>
  fc.record({
    second: fc.constant(second),
    by: fc.oneof(
      { weight: 2, arbitrary: anyCaller },
      { weight: 1, arbitrary: fc.constant(caller({ scopes: ['agents:admin'] })) },
    ),
    content: fc.oneof(
      { weight: 12, arbitrary: contentAt(second) },
      { weight: 1, arbitrary: retirement },
      { weight: 1, arbitrary: registration },
    ),
    signer: fc.option(fc.nat(keys.length - 1), { nil: undefined }),
    stale: fc.boolean().map((b) => b && second % 3 === 0),
  });

/** A registration, then anything by anybody. */
const story: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.boolean(), ...Array.from({ length: 12 }, (_, i) => stepAt(10 * (i + 1))))
  .map(([keyed, ...steps]): readonly Step[] => [
    {
      second: 0,
      by: caller(),
      content: { kind: 'register', keyed },
      signer: undefined,
      stale: false,
    },
    ...steps,
  ]);

function commandOf(step: Step, revision: number): AgentCommand {
  const { content, second } = step;
  if (content.kind === 'register') {
    const [first] = keys;
    const submissions = content.keyed && first ? [submission(first, at(second))] : [];
    return register({ keys: submissions });
  }
  const signer = step.signer === undefined ? undefined : keys[step.signer];
  return change(
    content,
    step.stale ? revision - 1 : revision,
    signer && { key: signer, at: at(second) },
  );
}

interface Taken {
  readonly step: Step;
  readonly before: Agent | null;
  readonly events: readonly Recorded<AgentEvent>[];
  readonly after: Agent | null;
}

/** Plays a story; refused steps leave no trace. */
function play(steps: readonly Step[]): readonly Taken[] {
  const taken: Taken[] = [];
  let state: Agent | null = null;
  for (const step of steps) {
    const before: Agent | null = state;
    const command = commandOf(step, before?.revision ?? -1);
    const decision = agentDecider.decide(before, command, context(at(step.second), step.by));
    if (!decision.ok) continue;
    const events = record(decision.value, (before?.revision ?? -1) + 1, at(step.second));
    state = foldAgent(events, before);
    taken.push({ step, before, events, after: state });
  }
  return taken;
}

const logOf = (taken: readonly Taken[]): readonly Recorded<AgentEvent>[] =>
  taken.flatMap(({ events }) => events);

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    if (value instanceof Map) value.forEach((v) => deepFreeze(v));
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

describe('whatever anybody does to an agent', () => {
  it('folding a log in two parts is folding it whole', () => {
    fc.assert(
      fc.property(story, fc.nat(20), (steps, cut) => {
        const log = logOf(play(steps));
        expect(foldAgent(log.slice(cut), foldAgent(log.slice(0, cut)))).toEqual(foldAgent(log));
      }),
      RUNS,
    );
  });

  it('the revision is the number of events, less one, and deciding changes nothing', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const log = logOf(play(steps));
        log.forEach((event, index) => {
          expect(event.revision).toBe(index);
        });
        const state = deepFreeze(foldAgent(log));
        expect(state?.revision).toBe(log.length - 1);
        const copy = structuredClone(state);
        for (const step of steps) {
          const command = deepFreeze(commandOf(step, state?.revision ?? -1));
          agentDecider.decide(state, command, context(at(200), step.by));
        }
        expect(state).toEqual(copy);
      }),
      RUNS,
    );
  });

  it('no key is forgotten, renamed or exchanged, and no window that ended moves', () => {
    fc.assert(
      fc.property(story, (steps) => {
        for (const { before, after } of play(steps)) {
          const thumbprints = Array.from(after?.keys.values() ?? [], (k) => k.jwkThumbprint);
          expect(new Set(thumbprints).size).toBe(thumbprints.length);
          for (const [keyId, earlier] of before?.keys ?? []) {
            const later = after?.keys.get(keyId);
            expect(later).toMatchObject({ jwk: earlier.jwk, from: earlier.from, keyId });
            if (earlier.until !== null) expect(later?.until).toBe(earlier.until);
            if (earlier.revokedAt !== null) expect(later?.revokedAt).toBe(earlier.revokedAt);
          }
        }
      }),
      RUNS,
    );
  });

  it('tenant, owner and registration stay; after retirement only keys are revoked', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const taken = play(steps);
        for (const { before, after, events } of taken) {
          if (before === null) continue;
          expect(after).toMatchObject({
            tenant: before.tenant,
            owner: before.owner,
            registeredAt: before.registeredAt,
          });
          if (before.retiredAt === null) continue;
          expect(events.map(({ type }) => type)).toEqual(['agent-key-revoked']);
          expect(after?.retiredAt).toBe(before.retiredAt);
        }
      }),
      RUNS,
    );
  });

  it('an agent that retired changes only by revocations, each of which is possible', () => {
    let revoked = 0;
    fc.assert(
      fc.property(story, contentAt(130), (steps, content) => {
        const state = foldAgent(logOf(play(steps)));
        if (state === null) return;
        const retired = { ...state, retiredAt: state.retiredAt ?? at(125) };
        const command = change(content, retired.revision);
        const byOwner = caller({ scopes: ['agents:admin'] });
        const { ok } = agentDecider.decide(retired, command, context(at(130), byOwner));
        const revocable =
          content.kind === 'revoke-key' && state.keys.get(content.keyId)?.revokedAt === null;
        expect(ok).toBe(revocable);
        if (ok) revoked++;
      }),
      RUNS,
    );
    expect(revoked).toBeGreaterThan(0);
  });

  it('an agent that ever had a key changes only by its key or its owner with agents:admin', () => {
    let signed = 0;
    let administered = 0;
    fc.assert(
      fc.property(story, (steps) => {
        for (const { step, before, events } of play(steps)) {
          if (before === null || !hasEverHadKeys(before)) continue;
          expect(step.by.tenant).toBe(before.tenant);
          if (step.signer === undefined) {
            administered++;
            expect(step.by.principal).toBe(before.owner);
            expect(step.by.scopes.has('agents:admin')).toBe(true);
          } else {
            signed++;
            const signer = keys[step.signer];
            const own = signer && validKey(before, signer.keyId, at(step.second));
            expect(own).toMatchObject({ jwk: signer?.jwk });
          }
          for (const { data } of events) {
            const { authorization } = data as { authorization: { by: string } };
            expect(authorization.by).toBe(step.signer === undefined ? 'owner-admin' : 'signature');
          }
        }
      }),
      RUNS,
    );
    // The law says something only if both ways were taken.
    expect([signed > 0, administered > 0]).toEqual([true, true]);
  });
});

describe('a stolen token without a key', () => {
  /** Any token but the owner's with agents:admin, which is the way back for owners. */
  const stolenToken = anyCaller.filter(
    (by) => !(by.principal === OWNER && by.scopes.has('agents:admin')),
  );
  const thief = testKey('k1', 99);
  const forgery = fc.constantFrom<
    'none' | 'own key' | 'other change' | 'other platform' | 'other agent'
  >('none', 'own key', 'other change', 'other platform', 'other agent');

  it('changes nothing of an agent with keys', () => {
    fc.assert(
      fc.property(
        story,
        stolenToken,
        contentAt(130),
        forgery,
        key,
        (steps, by, content, how, k) => {
          const state = foldAgent(logOf(play(steps)));
          if (state === null || !hasEverHadKeys(state)) return;
          const command = change(content, state.revision);
          const hash = command.changeHash;
          const forged = {
            none: undefined,
            'own key': signatureOf({ ...thief, keyId: k.keyId }, hash, at(130)),
            'other change': signatureOf(k, change(content, state.revision - 1).changeHash, at(130)),
            'other platform': signatureOf(k, hash, at(130), { audience: `${AUDIENCE}/x` }),
            'other agent': signatureOf(k, hash, at(130), { agentId: 'agent-beta' as AgentId }),
          };
          const signed = { ...command, signature: forged[how] };
          expect(agentDecider.decide(state, signed, context(at(130), by)).ok).toBe(false);
        },
      ),
      RUNS,
    );
  });
});
