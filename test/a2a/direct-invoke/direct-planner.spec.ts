import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../../../src/a2a/transports/failure.js';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { Authorization } from '../../../src/invocations/domain/authorization.js';
import { hashJson } from '../../../src/kernel/digest.js';
import type { InteractionId, SkillId, TermsHash } from '../../../src/kernel/ids.js';
import type { Json, JsonObject } from '../../../src/kernel/json.js';
import {
  capability,
  partner,
  type CapabilityChanges,
} from '../../capabilities/support/capabilities.js';
import { directMessage, DirectWorld, payload, SUM, TASK_ID } from './support/direct-world.js';

const AT = '/message/metadata/https:~1~1example.com~1a2a~1extensions~1skill-direct-invoke~1v1';

const sum = (changes: CapabilityChanges = {}): Capability =>
  capability('sum', { directInvoke: SUM, ...changes });

const schema = (inputSchema: JsonObject): CapabilityChanges => ({
  directInvoke: { ...SUM, inputSchema },
});

function invoking(
  changes: Readonly<Record<string, Json | undefined>>,
  accepted?: readonly string[],
) {
  const configuration = accepted === undefined ? {} : { acceptedOutputModes: accepted };
  return directMessage(payload(changes), { configuration });
}

/** Code and pointers, the latter below the payload. */
async function refused(
  world: DirectWorld,
  ...asked: Parameters<DirectWorld['refusal']>
): Promise<readonly [string | undefined, ...string[]]> {
  const { code, faults = [] } = await world.refusal(...asked);
  const pointers = faults.map(({ pointer }) => pointer.replace(AT, ''));
  return [code?.replace('SKILL_DIRECT_INVOKE_', ''), ...pointers];
}

const TERMS = {
  interactionId: '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11' as InteractionId,
  revision: 2,
  termsHash: 'x'.repeat(43) as TermsHash,
};

const prohibited = (isParty: boolean): Authorization => ({
  kind: 'refusal',
  code: 'action-prohibited',
  terms: TERMS,
  entry: 'sum.read',
  isParty,
});

describe('a direct invoke that may be made', () => {
  it('is planned as any call, found by no layer of the router', async () => {
    const world = new DirectWorld(sum());
    const plan = await world.plan();
    if (!plan.ok) throw new Error(JSON.stringify(plan.error));
    const { kind, grant, basedOn, routing, outputModes, direct } = plan.value;
    expect({ kind, rule: grant.rule, basedOn, routing, outputModes }).toEqual({
      kind: 'call',
      rule: 'entitlement',
      basedOn: { 'capability-finance-agent/sum': 0 },
      routing: {
        layer: 'direct-invoke',
        candidates: [{ skillId: 'sum', confidence: 1 }],
        confidence: 1,
        considered: { skillIds: ['sum'], total: 1 },
      },
      outputModes: ['application/json'],
    });
    expect(direct).toMatchObject({
      argumentsDigest: hashJson({ b: 30, a: 12 }),
      byKey: null,
      refusedLast: null,
    });
    expect(world.authorizer.questions).toHaveLength(1);
  });

  it('has the id of its key: of this principal, this skill, this key', async () => {
    const world = new DirectWorld(sum(), capability('other', { directInvoke: SUM }));
    const byKey = async (changes: Readonly<Record<string, Json>>, caller = partner()) => {
      const plan = await world.plan(directMessage(payload(changes)), caller);
      if (!plan.ok) throw new Error(JSON.stringify(plan.error));
      return plan.value.direct?.byKey;
    };
    const first = await byKey({ idempotencyKey: 'k' });
    expect(first).toBe(await byKey({ idempotencyKey: 'k', callId: 'another', traceId: 't' }));
    expect(first).toBe(await byKey({ idempotencyKey: 'k', arguments: { a: 1, b: 1 } }));
    const others = [
      await byKey({ idempotencyKey: 'K' }),
      await byKey({ idempotencyKey: 'k', skillId: 'other' }),
      await byKey({ idempotencyKey: 'k' }, partner({ tenant: 'rival' })),
      await byKey({ idempotencyKey: 'k' }, { ...partner(), principal: 'rival' }),
    ];
    expect(new Set([first, ...others, null, undefined]).size).toBe(7);
  });

  it.each<
    readonly [
      modes: readonly string[],
      expected: Json | undefined,
      accepted: readonly string[] | undefined,
      result: readonly string[],
    ]
  >([
    [['application/json'], undefined, undefined, ['application/json']],
    [['text/plain'], undefined, undefined, ['application/json']],
    [['application/json'], undefined, ['*/*'], ['application/json']],
    [['application/json'], undefined, ['text/plain', 'Application/*'], ['application/json']],
    [
      ['application/ledger+json'],
      'application/ledger+json',
      undefined,
      ['application/ledger+json'],
    ],
    [['application/ledger+json'], 'application/json', ['application/json'], ['application/json']],
  ])(
    'of modes %j, %j expected and %j accepted, gives %j',
    async (modes, expectedOutputMode, accepted, result) => {
      const world = new DirectWorld(sum({ skill: { outputModes: modes } }));
      const plan = await world.plan(invoking({ expectedOutputMode }, accepted));
      expect(plan.ok && plan.value.outputModes).toEqual(result);
    },
  );

  it('needs no part that the skill would take from a message', async () => {
    const world = new DirectWorld(sum({ skill: { inputModes: ['video/mp4'] } }));
    expect((await world.plan()).ok).toBe(true);
  });
});

describe('RFC section 5, error codes', () => {
  describe('SKILL_NOT_FOUND', () => {
    const hidden: readonly (readonly [string, Capability])[] = [
      ['for other scopes', sum({ visibility: 'extended', requiresScopes: ['ledger'] })],
      ['for another tenant', sum({ visibility: 'extended', tenants: ['rival'] })],
      ['internal', sum({ visibility: 'internal' })],
      ['a preview', sum({ state: 'preview' })],
      ['removed for others', sum({ state: 'removed', visibility: 'extended', tenants: ['rival'] })],
      ['not bound', sum({ visibility: 'internal', directInvoke: null })],
    ];

    it.each(hidden)(
      'is said of a skill that is %s, in the very bytes of an unknown one',
      async (_, each) => {
        for (const carried of [
          payload(),
          payload({ arguments: {} }),
          payload({ idempotencyKey: 'k' }),
        ]) {
          for (const caller of [partner(), null]) {
            const message = directMessage(carried, {
              configuration: { acceptedOutputModes: ['x/y'] },
            });
            const ofHidden = await new DirectWorld(each).refusal(message, caller);
            const ofUnknown = await new DirectWorld().refusal(message, caller);
            expect(JSON.stringify(failureOf(ofHidden))).toBe(JSON.stringify(failureOf(ofUnknown)));
            expect(ofHidden.code).toBe('SKILL_DIRECT_INVOKE_SKILL_NOT_FOUND');
          }
        }
      },
    );

    it('names the replacement of a removed skill to whoever may use it, and to nobody else', async () => {
      const removed = sum({ state: 'removed', replacement: 'add' as SkillId });
      const metadata = async (...all: readonly Capability[]) =>
        (await new DirectWorld(...all).refusal()).metadata?.['replacement'];
      expect(await metadata(removed, capability('add'))).toBe('add');
      expect(
        await metadata(removed, capability('add', { visibility: 'internal' })),
      ).toBeUndefined();
      expect(await metadata(removed)).toBeUndefined();
    });
  });

  it('SKILL_NOT_BOUND: the skill has no direct configuration', async () => {
    const world = new DirectWorld(sum({ directInvoke: null }));
    expect(await refused(world)).toEqual(['SKILL_NOT_BOUND']);
    expect(await refused(world, directMessage(), null)).toEqual(['SKILL_NOT_BOUND']);
  });

  describe('UNAUTHORIZED', () => {
    it('without a token, unless the binding opts out (RFC section 4)', async () => {
      expect(await refused(new DirectWorld(sum()), directMessage(), null)).toEqual([
        'UNAUTHORIZED',
      ]);
      const open = sum({ directInvoke: { ...SUM, allowUnauthenticated: true } });
      expect((await new DirectWorld(open).plan(directMessage(), null)).ok).toBe(true);
    });

    it('a key means nothing without a token', async () => {
      const open = sum({ directInvoke: { ...SUM, allowUnauthenticated: true } });
      const message = invoking({ idempotencyKey: 'k' });
      expect(await refused(new DirectWorld(open), message, null)).toEqual([
        'INVALID_METADATA',
        '/idempotencyKey',
      ]);
    });
  });

  describe('INVALID_ARGUMENTS: validated before the backend (RFC section 4)', () => {
    it.each<readonly [args: Json, ...pointers: string[]]>([
      [{}, '/arguments/a', '/arguments/b'],
      [{ a: '12', b: 30 }, '/arguments/a'],
      [{ a: '12', b: null, c: 1 }, '/arguments/c', '/arguments/a', '/arguments/b'],
      [{ a: 1, b: 2, 'x/y~z': 3 }, '/arguments/x~1y~0z'],
      [
        { a: 1, b: 2, constructor: {}, toString: 1 },
        '/arguments/constructor',
        '/arguments/toString',
      ],
    ])('tells everything that is wrong with %j', async (args, ...pointers) => {
      const world = new DirectWorld(sum());
      const [code, ...at] = await refused(world, invoking({ arguments: args }));
      expect([code, ...at.sort()]).toEqual(['INVALID_ARGUMENTS', ...pointers.sort()]);
    });

    it('changes nothing about a value: no text becomes a number', async () => {
      const world = new DirectWorld(sum(schema({ properties: { a: { type: 'integer' } } })));
      for (const a of ['1', true, 1.5, null, [1]]) {
        expect(await refused(world, invoking({ arguments: { a } }))).toEqual([
          'INVALID_ARGUMENTS',
          '/arguments/a',
        ]);
      }
      const message = invoking({ arguments: { a: 1, other: 'kept' } });
      await world.events(message).catch(() => undefined);
      expect(world.calls.at(-1)?.arguments).toEqual({ a: 1, other: 'kept' });
    });

    it('counts what an object has of its own alone', async () => {
      const world = new DirectWorld(sum(schema({ required: ['constructor', 'toString'] })));
      const [code, ...at] = await refused(world, invoking({ arguments: {} }));
      expect([code, at.length]).toEqual(['INVALID_ARGUMENTS', 2]);
      // As a parser that does not know better makes it.
      const args = JSON.parse('{"__proto__":{"a":1,"b":2}}') as JsonObject;
      const strict = new DirectWorld(sum());
      const message = directMessage();
      const metadata = Object.fromEntries(
        Object.entries(message.message.metadata ?? {}).map(([uri, carried]) => [
          uri,
          { ...(carried as JsonObject), arguments: args },
        ]),
      );
      const hostile = { message: { ...message.message, metadata } };
      expect((await strict.refusal(hostile)).code).toBe('SKILL_DIRECT_INVOKE_INVALID_ARGUMENTS');
      expect(({} as { a?: unknown }).a).toBeUndefined();
    });

    it.each<readonly [string, JsonObject, JsonObject]>([
      [
        'a pattern that backtracks',
        { properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
        { a: `${'a'.repeat(50_000)}!` },
      ],
      ['too many values', {}, { a: Array.from({ length: 6000 }, () => 0) }],
      [
        'a reference that multiplies',
        {
          $ref: '#/$defs/n',
          $defs: {
            n: {
              properties: { n: { anyOf: [{ $ref: '#/$defs/n' }, { $ref: '#/$defs/n' }] } },
              required: ['n'],
            },
          },
        },
        Array.from({ length: 60 }).reduce<JsonObject>((n) => ({ n }), {}),
      ],
      [
        'depth',
        {
          $ref: '#/$defs/n',
          $defs: { n: { properties: { n: { $ref: '#/$defs/n' } } } },
          required: ['x'],
        },
        Array.from({ length: 2000 }).reduce<JsonObject>((n) => ({ n }), {}),
      ],
      [
        'many faults',
        { additionalProperties: false },
        Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`m${i}`, i])),
      ],
    ])('is told in bounded time and size of %s', async (_, inputSchema, args) => {
      const world = new DirectWorld(sum(schema(inputSchema)));
      const began = performance.now();
      const refusal = await world.refusal(invoking({ arguments: args }));
      expect(performance.now() - began).toBeLessThan(2000);
      expect(refusal.code).toBe('SKILL_DIRECT_INVOKE_INVALID_ARGUMENTS');
      expect(refusal.faults?.length).toBeLessThanOrEqual(50);
      expect(JSON.stringify(refusal).length).toBeLessThan(40_000);
    });

    it('is said of an expected output mode that nobody produces', async () => {
      const world = new DirectWorld(sum({ skill: { outputModes: ['text/plain'] } }));
      expect(await refused(world, invoking({ expectedOutputMode: 'text/plain' }))).toEqual([
        'INVALID_ARGUMENTS',
        '/expectedOutputMode',
      ]);
    });

    it('but modes that the client does not accept are A2A’s own error', async () => {
      const world = new DirectWorld(sum());
      expect(await world.refusal(invoking({}, ['text/plain']))).toMatchObject({
        error: 'ContentTypeNotSupported',
        code: 'output-modes-unmet',
      });
      const message = invoking({ expectedOutputMode: 'application/json' }, ['text/plain']);
      expect((await world.refusal(message)).error).toBe('ContentTypeNotSupported');
    });

    it('is said, and nothing is let through, where the schema does not compile', async () => {
      const world = new DirectWorld(sum(schema({ pattern: '(' })));
      expect(await refused(world)).toEqual(['INVALID_ARGUMENTS', '/arguments']);
    });

    it('is bounded by the size that the manifest allows', async () => {
      const world = new DirectWorld(sum({ limits: { max_message_bytes: 100 } }));
      expect(await world.refusal()).toMatchObject({
        code: 'SKILL_DIRECT_INVOKE_INVALID_ARGUMENTS',
        metadata: { refusal: 'message-too-large' },
        faults: [{ pointer: '/message' }],
      });
    });
  });

  describe('FORBIDDEN', () => {
    it('gives the inner code, and the contract to a party of it alone', async () => {
      const world = new DirectWorld(sum());
      world.authorizer.decides = () => prohibited(true);
      expect(await world.refusal()).toMatchObject({
        code: 'SKILL_DIRECT_INVOKE_FORBIDDEN',
        metadata: { refusal: 'action-prohibited', interactionId: TERMS.interactionId },
      });
      world.authorizer.decides = () => prohibited(false);
      expect((await world.refusal()).metadata).not.toHaveProperty('interactionId');
    });

    it('is put on record of a party, with the digest of the arguments', async () => {
      const world = new DirectWorld(sum());
      world.authorizer.decides = () => prohibited(false);
      await world.refusal();
      expect(world.refused).toEqual([]);
      world.authorizer.decides = () => prohibited(true);
      await world.refusal();
      await world.refusal(invoking({ idempotencyKey: 'k' }));
      await world.refusal(invoking({ idempotencyKey: 'k' }));
      expect(world.refused).toMatchObject(
        Array.from({ length: 3 }, () => ({
          code: 'action-prohibited',
          skillId: 'sum',
          terms: TERMS,
          argumentsDigest: hashJson({ a: 12, b: 30 }),
        })),
      );
      const [unkeyed, keyed, again] = world.refused.map(({ invocationId }) => invocationId);
      expect(keyed).toBe(again);
      expect(keyed).not.toBe(unkeyed);
      expect(unkeyed).not.toBe(TASK_ID);
    });
  });

  it.each<[string, Capability, Parameters<DirectWorld['plan']>]>([
    ['not-entitled', sum({ visibility: 'internal' }), []],
    ['not-entitled', sum(), [invoking({ skillId: 'nothing' })]],
    ['capability-removed', sum({ state: 'removed' }), []],
    ['SKILL_DIRECT_INVOKE_SKILL_NOT_BOUND', sum({ directInvoke: null }), []],
    ['SKILL_DIRECT_INVOKE_UNAUTHORIZED', sum(), [directMessage(), null]],
    ['SKILL_DIRECT_INVOKE_INVALID_ARGUMENTS', sum(), [invoking({ arguments: {} })]],
  ])('what is refused with %s is counted by it', async (code, each, sent) => {
    const world = new DirectWorld(each);
    await world.refusal(...sent);
    expect([world.counted, world.refused]).toEqual([[code], []]);
  });

  it('BACKEND_NOT_FOUND: its binding is absent here, which is asked last', async () => {
    const world = new DirectWorld(sum());
    world.backends.byHandler.clear();
    const plan = await world.plan();
    expect(plan.ok && plan.value.direct?.refusedLast).toMatchObject({
      error: 'InvalidParams',
      code: 'SKILL_DIRECT_INVOKE_BACKEND_NOT_FOUND',
    });
  });
});

describe('the order of checks', () => {
  /** Everything is wrong; each step puts one thing right. */
  it('is visible, bound, authenticated, arguments, authorized, backend', async () => {
    const seen: (string | undefined)[] = [];
    const bad = invoking({ arguments: {} });
    const step = async (
      each: Capability,
      message = bad,
      caller: Parameters<DirectWorld['plan']>[1] = null,
      isAllowed = false,
    ) => {
      const world = new DirectWorld(each);
      world.backends.byHandler.clear();
      if (!isAllowed) world.authorizer.decides = () => prohibited(false);
      seen.push((await refused(world, message, caller))[0]);
    };
    await step(sum({ visibility: 'internal', directInvoke: null }));
    await step(sum({ directInvoke: null }));
    await step(sum());
    await step(sum(), bad, partner());
    await step(sum(), directMessage(), partner());
    await step(sum(), directMessage(), partner(), true);
    expect(seen).toEqual([
      'SKILL_NOT_FOUND',
      'SKILL_NOT_BOUND',
      'UNAUTHORIZED',
      'INVALID_ARGUMENTS',
      'FORBIDDEN',
      'BACKEND_NOT_FOUND',
    ]);
  });
});
