import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contractsByPair } from '../../../src/interactions/contracts/projection.js';
import type { ContractsOfPair } from '../../../src/interactions/queries/contracts-between.js';
import { interactionStream } from '../../../src/interactions/domain/stream.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { eventually } from '../../support/eventually.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  complete,
  expire,
  EXPIRES_MS,
  gamma,
  MINUTE,
  reject,
  revise,
  START_MS,
  stranger,
  withdraw,
  type Act,
  type Party,
} from '../../support/interaction-fixtures.js';
import { RUNS } from '../../support/property-runs.js';
import { appendUnknown, byId, ContractNode, scanned, Told } from './support/contract-node.js';

let node: ContractNode;
let others: ContractNode[];

beforeEach(async () => {
  node = await ContractNode.open();
  others = [];
});

afterEach(async () => {
  for (const other of others) await other.close();
  await node.dispose();
});

/** Another node over the same log. */
async function another(options: Parameters<typeof ContractNode.open>[0] = {}) {
  const opened = await ContractNode.open({ ...options, folder: node.folder });
  others.push(opened);
  return opened;
}

/** An interaction that is in force. */
async function agreed(
  at: Pick<ContractNode, 'store' | 'keys'>,
  ...parties: Party[]
): Promise<Told> {
  const told = new Told(parties);
  return told.perform(at, told.proposal, ...parties.slice(1).map((party) => accept(party)));
}

const between = (one: Party, other: Party, at = node): Promise<ContractsOfPair> =>
  at.contracts.now(one.agentId, other.agentId);

const idsOf = ({ active }: ContractsOfPair): readonly string[] =>
  active.map(({ interaction }) => interaction.interactionId);

describe('the contracts between two agents', () => {
  it('are none, reliably, of two that never had one', async () => {
    const none = { active: [], hadAny: false, isReliable: true };
    expect(await between(alpha, beta)).toEqual(none);
    const told = await agreed(node, alpha, gamma);
    expect(await between(alpha, beta)).toEqual(none);
    expect(await between(alpha, alpha)).toEqual(none);
    expect(idsOf(await between(gamma, alpha))).toEqual([told.id]);
  });

  it('are those in force alone, with the stream and the revision that each was read at', async () => {
    const told = new Told([alpha, beta]);
    await told.perform(node, told.proposal);
    expect(await between(alpha, beta)).toMatchObject({ active: [], hadAny: false });
    await told.perform(node, accept(beta));
    const [read] = (await between(alpha, beta)).active;
    expect(read).toMatchObject({ stream: interactionStream(told.id), streamRevision: 2 });
    expect(read?.interaction).toEqual(told.scene.interaction);
    await told.perform(node, revise(beta, { ...told.contract, retentionDays: 3 }));
    expect((await between(alpha, beta)).active).toMatchObject([
      { streamRevision: 3, interaction: { inForce: 1 } },
    ]);
    await told.perform(node, accept(alpha));
    expect((await between(beta, alpha)).active).toMatchObject([{ interaction: { inForce: 2 } }]);
    await told.perform(node, cancel(alpha));
    expect(await between(alpha, beta)).toEqual({ active: [], hadAny: true, isReliable: true });
  });

  it.each([
    ['rejected', [reject(beta)]],
    ['withdrawn', [withdraw(alpha)]],
    ['cancelled', [cancel(alpha)]],
    [
      'countered and rejected',
      [(scene) => revise(beta, changedTerms(scene))(scene), reject(alpha)],
    ],
  ] as readonly (readonly [string, readonly Act[]])[])(
    'never hold one that was %s before it came into force',
    async (_, acts) => {
      const told = new Told([alpha, beta]);
      await told.perform(node, told.proposal, ...acts);
      expect(await between(alpha, beta)).toEqual({ active: [], hadAny: false, isReliable: true });
      await node.caughtUp();
      expect(rows('contracts_by_pair')).toEqual([]);
      expect(rows('contracts_by_pair_parties')).toEqual([]);
      const fresh = await another();
      expect(await between(alpha, beta, fresh)).toEqual({
        active: [],
        hadAny: false,
        isReliable: true,
      });
    },
  );

  it.each([
    ['completed', [complete(alpha), complete(beta)]],
    ['cancelled', [cancel(beta)]],
    ['expired', [(scene) => expire()(scene)]],
  ] as readonly (readonly [string, readonly Act[]])[])(
    'forget one that is %s, and know that it was',
    async (status, acts) => {
      const told = await agreed(node, alpha, beta);
      if (status === 'expired') told.scene = told.scene.at(EXPIRES_MS);
      await told.perform(node, ...acts);
      const ended = { active: [], hadAny: true, isReliable: true };
      expect(await between(alpha, beta)).toEqual(ended);
      await node.caughtUp();
      expect(rows('contracts_by_pair_parties')).toEqual([]);
      expect(await between(alpha, beta, await another())).toEqual(ended);
    },
  );

  it('stay in force when an amendment is rejected or withdrawn', async () => {
    const told = await agreed(node, alpha, beta);
    const amended = { ...told.contract, retentionDays: 3 };
    await told.perform(node, revise(alpha, amended), reject(beta));
    await told.perform(node, revise(alpha, { ...amended, retentionDays: 2 }), withdraw(alpha));
    expect(idsOf(await between(alpha, beta))).toEqual([told.id]);
    await node.caughtUp();
    expect(idsOf(await between(alpha, beta, await another()))).toEqual([told.id]);
    await told.perform(node, cancel(alpha));
    expect(idsOf(await between(alpha, beta))).toEqual([]);
  });

  it('are between every two parties of an interaction of three', async () => {
    const told = await agreed(node, alpha, beta, gamma);
    for (const [one, other] of [
      [alpha, beta],
      [beta, gamma],
      [gamma, alpha],
    ] as const) {
      expect(idsOf(await between(one, other))).toEqual([told.id]);
    }
    expect(idsOf(await between(alpha, stranger))).toEqual([]);
  });

  it('are the same object until something between the two changes', async () => {
    const told = await agreed(node, alpha, beta);
    const before = await between(alpha, beta);
    expect(await between(beta, alpha)).toBe(before);
    await agreed(node, alpha, gamma);
    const pending = new Told([alpha, beta]);
    await pending.perform(node, pending.proposal);
    await node.caughtUp();
    expect(await between(alpha, beta)).toBe(before);
    await told.perform(node, revise(beta, { ...told.contract, retentionDays: 3 }));
    expect(await between(alpha, beta)).not.toBe(before);
  });
});

describe('whatever was appended before the question counts', () => {
  it('while the view stands still, from the first question on', async () => {
    const told = await agreed(node, alpha, beta);
    await node.caughtUp();
    await node.holdView();
    const later = await agreed(node, alpha, beta);
    expect([...idsOf(await between(alpha, beta))].sort()).toEqual([told.id, later.id].sort());
    await told.perform(node, cancel(alpha));
    expect(idsOf(await between(alpha, beta))).toEqual([later.id]);
    const third = await agreed(node, beta, alpha);
    await later.perform(node, cancel(alpha));
    expect(idsOf(await between(alpha, beta))).toEqual([third.id]);
    // Of a pair that nobody has asked for before.
    const elsewhere = await agreed(node, alpha, gamma);
    expect(idsOf(await between(gamma, alpha))).toEqual([elsewhere.id]);
  });

  it('when another process has appended it a moment ago', async () => {
    const writer = await another();
    const told = await agreed(writer, alpha, beta);
    for (let n = 0; n < 30; n++) {
      expect(idsOf(await between(alpha, beta))).toContain(told.id);
      const next = await agreed(writer, alpha, beta);
      expect(idsOf(await between(alpha, beta))).toContain(next.id);
      await next.perform(writer, cancel(beta));
      expect(idsOf(await between(alpha, beta))).toEqual([told.id]);
    }
  });

  it('when many ask at once while it ends', async () => {
    const writer = await another();
    for (let n = 0; n < 10; n++) {
      const told = await agreed(writer, alpha, beta);
      const early = Array.from({ length: 20 }, async () => between(alpha, beta));
      const ending = told.perform(writer, cancel(alpha));
      const during = Array.from({ length: 20 }, async () => between(alpha, beta));
      await ending;
      const late = await Promise.all(Array.from({ length: 20 }, async () => between(alpha, beta)));
      for (const contracts of late) expect(idsOf(contracts)).toEqual([]);
      await Promise.all([...early, ...during]);
      expect(idsOf(await between(alpha, beta))).toEqual([]);
    }
  });

  it('by a node whose view was rebuilt in between', async () => {
    const told = await agreed(node, alpha, beta);
    await node.caughtUp();
    const fresh = await another();
    expect(idsOf(await between(alpha, beta, fresh))).toEqual([told.id]);
  });

  it('when it takes a rest between two questions', async () => {
    const told = await agreed(node, alpha, beta);
    expect(idsOf(await between(alpha, beta))).toEqual([told.id]);
    const clock = performance.now.bind(performance);
    try {
      performance.now = () => clock() + 60_000;
      const later = await agreed(node, alpha, beta);
      await told.perform(node, cancel(alpha));
      await node.caughtUp();
      expect(idsOf(await between(alpha, beta))).toEqual([later.id]);
      performance.now = () => clock() + 120_000;
      await node.holdView();
      await later.perform(node, cancel(alpha));
      expect(idsOf(await between(alpha, beta))).toEqual([]);
    } finally {
      performance.now = clock;
    }
  });
});

describe('nothing is reliable', () => {
  it('before the view was ever complete', async () => {
    await agreed(node, alpha, beta);
    const unstarted = await another({ isStarted: false, readWaitMs: 20 });
    const unknown = { active: [], hadAny: false, isReliable: false };
    expect(await between(alpha, beta, unstarted)).toEqual(unknown);
    unstarted.runner.start();
    await unstarted.caughtUp();
    expect(await between(alpha, beta, unstarted)).toMatchObject({ isReliable: true });
  });

  it('of a pair with an event that only a later build can read, and of no other', async () => {
    const told = await agreed(node, alpha, beta);
    await agreed(node, alpha, gamma);
    expect(await between(alpha, beta)).toMatchObject({ isReliable: true });
    await appendUnknown(node, told.id, 3);
    expect(await between(alpha, beta)).toMatchObject({ isReliable: false });
    await eventually(
      () => !node.runner.isReliable('contracts-by-pair', interactionStream(told.id)),
    );
    const ofPair = { active: [], hadAny: true, isReliable: false };
    expect(await between(alpha, beta)).toEqual(ofPair);
    expect(await between(alpha, gamma)).toMatchObject({ isReliable: true });
    const fresh = await another();
    await fresh.caughtUp();
    expect(await between(alpha, beta, fresh)).toEqual(ofPair);
    expect(await between(alpha, gamma, fresh)).toMatchObject({ isReliable: true });
    expect(await fresh.contracts.named(alpha.agentId, beta.agentId, told.id)).toBeUndefined();
    const past = fresh.contracts.at(alpha.agentId, beta.agentId, timestampOf(START_MS + MINUTE));
    expect(await past).toMatchObject({ isReliable: false });
  });

  it('of a pair whose event the view could not apply, until it could', async () => {
    let isBroken = true;
    const failing = await another({
      retryDelaysMs: [500],
      projection: {
        ...contractsByPair,
        apply: (db, event) => {
          if (isBroken && event.type === 'revision-attested') throw new Error('broken');
          contractsByPair.apply(db, event);
        },
      },
    });
    const told = await agreed(node, alpha, beta);
    await agreed(node, alpha, gamma);
    await told.perform(node, revise(alpha, { ...told.contract, retentionDays: 3 }));
    const stream = interactionStream(told.id);
    await eventually(() => !failing.runner.isReliable('contracts-by-pair', stream));
    expect(await between(alpha, beta, failing)).toMatchObject({ active: [], isReliable: false });
    expect(await between(beta, gamma, failing)).toMatchObject({ active: [], isReliable: true });
    isBroken = false;
    await eventually(() => failing.runner.isReliable('contracts-by-pair', stream));
    expect(idsOf(await between(alpha, beta, failing))).toEqual([told.id]);
  });

  it('of anybody, once nobody can say whose an interaction is', async () => {
    await agreed(node, alpha, beta);
    await appendUnknown(node, new Told([alpha, beta]).id, 0);
    expect(await between(alpha, beta)).toMatchObject({ active: [], isReliable: false });
    await node.caughtUp().catch(() => undefined);
    expect(await between(alpha, gamma, await another())).toMatchObject({ isReliable: false });
  });
});

describe('the past', () => {
  it('is what had been recorded by then', async () => {
    const told = await agreed(node, alpha, beta);
    await told.perform(node, cancel(alpha));
    const at = async (minutes: number) =>
      node.contracts.at(alpha.agentId, beta.agentId, timestampOf(START_MS + minutes * MINUTE));
    for (const ask of [
      async () => undefined,
      async () => node.caughtUp(),
      async () => node.holdView(),
    ]) {
      await ask();
      expect(await at(0)).toEqual({ active: [], hadAny: false, isReliable: true });
      const inForce = await at(1);
      expect(inForce).toMatchObject({ hadAny: true, isReliable: true });
      expect(inForce.active).toMatchObject([
        { streamRevision: 2, interaction: { status: 'active' } },
      ]);
      expect(await at(2)).toEqual({ active: [], hadAny: true, isReliable: true });
    }
  });

  it('holds the terms that were in force by then', async () => {
    const told = await agreed(node, alpha, beta);
    await told.perform(node, revise(beta, { ...told.contract, retentionDays: 3 }), accept(alpha));
    const { contracts } = node;
    const at = async (minutes: number) =>
      contracts.at(alpha.agentId, beta.agentId, timestampOf(START_MS + minutes * MINUTE));
    expect((await at(2)).active).toMatchObject([{ interaction: { inForce: 1 } }]);
    expect((await at(3)).active).toMatchObject([{ interaction: { inForce: 2 } }]);
    const named = async (minutes: number) =>
      contracts.named(
        alpha.agentId,
        beta.agentId,
        told.id,
        timestampOf(START_MS + minutes * MINUTE),
      );
    expect(await named(1)).toMatchObject({ streamRevision: 2 });
    expect(await named(-1)).toBeUndefined();
  });
});

describe('a named interaction', () => {
  it('is found whatever its status, by its parties alone', async () => {
    const told = new Told([alpha, beta]);
    await told.perform(node, told.proposal);
    const named = async (one: Party, other: Party) =>
      node.contracts.named(one.agentId, other.agentId, told.id);
    expect(await named(beta, alpha)).toMatchObject({ interaction: { status: 'pending' } });
    await told.perform(node, reject(beta));
    expect(await named(alpha, beta)).toMatchObject({ interaction: { status: 'rejected' } });
    expect(await named(alpha, gamma)).toBeUndefined();
    expect(await named(alpha, alpha)).toBeUndefined();
    const none = node.contracts.named(alpha.agentId, beta.agentId, new Told([]).id);
    expect(await none).toBeUndefined();
  });
});

describe('however a log came to be', () => {
  const PARTIES = [alpha, beta, gamma];
  const step = fc.record({
    which: fc.nat({ max: 5 }),
    act: fc.constantFrom('cancel', 'amend', 'accept', 'reject', 'complete'),
    writer: fc.boolean(),
    who: fc.nat({ max: 2 }),
    view: fc.constantFrom('as-it-is', 'as-it-is', 'caught-up', 'held'),
    ask: fc.subarray([0, 1, 2]),
  });

  it('the answer is that of a scan of the whole log', async () => {
    const writer = await another();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const asked = await another();
        const tolds = new Map<number, Told>();
        for (const [index, { which, act, writer: byOther, who, view, ask }] of steps.entries()) {
          const by = byOther ? writer : node;
          const told = tolds.get(which);
          if (told === undefined) {
            const parties = PARTIES.filter((_, n) => n !== which % 4);
            const made = new Told(parties);
            tolds.set(which, made);
            await made.perform(by, made.proposal);
          } else {
            await attempt(told, by, act, who, index);
          }
          if (view === 'caught-up') await asked.caughtUp().catch(() => undefined);
          if (view === 'held') await asked.holdView();
          for (const n of ask) {
            const [one, other] = [PARTIES[n], PARTIES[(n + 1) % 3]] as [Party, Party];
            const { active, isReliable } = await between(one, other, asked);
            const found = active.map(({ interaction, streamRevision }) => ({
              id: interaction.interactionId,
              streamRevision,
            }));
            expect(isReliable).toBe(true);
            expect(found.sort(byId)).toEqual(await scanned(node, one.agentId, other.agentId));
          }
        }
        others.splice(others.indexOf(asked), 1);
        await asked.close();
      }),
      { ...RUNS, numRuns: Math.ceil(RUNS.numRuns / 20) },
    );
  }, 120_000);
});

/** Whatever of it is possible. */
async function attempt(
  told: Told,
  by: ContractNode,
  kind: string,
  who: number,
  index: number,
): Promise<void> {
  const party = told.parties[who % told.parties.length] as Party;
  const terms = { ...told.contract, retentionDays: 100 + index };
  const acts: Record<string, Act> = {
    cancel: cancel(party),
    amend: revise(party, terms),
    accept: accept(party),
    reject: reject(party),
    complete: complete(party),
  };
  const act = acts[kind] as Act;
  if (told.scene.decide(act).ok) await told.perform(by, act);
}

function changedTerms(scene: Parameters<Act>[0]) {
  const [first] = scene.interaction.revisions;
  if (first === undefined || first.contract === 'erased') throw new Error('nothing to counter');
  return { ...first.contract, retentionDays: 3 };
}

function rows(table: string): readonly unknown[] {
  return node.database.prepare(`SELECT * FROM ${table}`).all();
}
