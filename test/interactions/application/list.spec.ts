import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { effectiveAt } from '../../../src/interactions/domain/expiry.js';
import { headOf } from '../../../src/interactions/domain/head.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import { newestRevision, shownRevision } from '../../../src/interactions/domain/revisions.js';
import { interactionStatus } from '../../../src/interactions/domain/status.js';
import { InteractionHead } from '../../../src/interactions/queries/interaction-head.js';
import type { InteractionPage } from '../../../src/interactions/queries/list-interactions.js';
import type { Caller } from '../../../src/kernel/caller.js';
import { ERASED } from '../../../src/kernel/event.js';
import type { Rejection } from '../../../src/kernel/rejection.js';
import type { Result } from '../../../src/kernel/result.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { Application, everything, stateOf, type Actor } from '../support/application.js';

const pageOf = (result: Result<InteractionPage, Rejection>): InteractionPage => {
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
};
const idsOf = ({ items }: InteractionPage): readonly string[] =>
  items.map(({ interactionId }) => interactionId);

describe('a slow projector (case 26)', () => {
  it('is waited for, then told of; never is an old list taken for a new one', async () => {
    const application = await Application.open();
    const alpha = await application.register('alpha');
    const beta = await application.register('beta');
    const { interactionId } = await application.propose(alpha, [beta]);
    const behind = await application.list(alpha.runtime);
    expect(behind).toEqual({ ok: false, error: { code: 'projection-behind' } });

    application.views.start();
    // It may take longer than one bounded wait, but every answer until then says so.
    let answer = await application.list(alpha.runtime);
    while (!answer.ok) {
      expect(answer.error.code).toBe('projection-behind');
      answer = await application.list(alpha.runtime);
    }
    expect(idsOf(answer.value)).toEqual([interactionId]);
    await application.dispose();
  });
});

describe('the list', () => {
  let application: Application;
  let beta: Actor;
  let gamma: Actor;

  beforeAll(async () => {
    application = await Application.open({ READ_WAIT_MS: '10000' });
    beta = await application.register('beta');
    gamma = await application.register('gamma');
    application.views.start();
  });

  afterAll(async () => {
    await application.dispose();
  });

  it('pages over 60 rows of one timestamp: none skipped, none twice (case 22)', async () => {
    const delta = await application.register('delta');
    const rows: Interaction[] = [];
    for (let row = 0; row < 60; row++) rows.push(await application.propose(delta, [beta]));
    expect(new Set(rows.map(({ createdAt }) => createdAt)).size).toBe(1);

    const seen: string[] = [];
    let after: InteractionPage['next'];
    do {
      const page = pageOf(
        await application.list(delta.runtime, {}, { limit: 7, ...(after && { after }) }),
      );
      seen.push(...idsOf(page));
      after = page.next;
      // Between the pages rows on both sides change, and a new one comes.
      application.now += 1;
      for (const index of [0, 30, 59]) {
        const row = rows[index];
        if (row !== undefined && seen.length % 2 === 1) await application.accept(beta, row);
      }
      await application.propose(delta, [beta]);
    } while (after !== undefined);
    expect(seen).toEqual(rows.map(({ interactionId }) => interactionId).reverse());
  });

  it('goes on after a row that no longer fits the filter', async () => {
    const epsilon = await application.register('epsilon');
    const rows: Interaction[] = [];
    for (let row = 0; row < 6; row++) rows.push(await application.propose(epsilon, [beta]));
    const filter = { status: 'pending' } as const;
    const first = pageOf(await application.list(epsilon.runtime, filter, { limit: 3 }));
    expect(idsOf(first)).toEqual([5, 4, 3].map((index) => rows[index]?.interactionId));
    // The cursor's row, and the one after it, leave the list.
    for (const row of rows.slice(2, 4)) stateOf(await application.accept(beta, row));
    const second = pageOf(
      await application.list(epsilon.runtime, filter, {
        limit: 3,
        ...(first.next && { after: first.next }),
      }),
    );
    expect(idsOf(second)).toEqual([1, 0].map((index) => rows[index]?.interactionId));
    expect(second.next).toBeUndefined();
  });

  it('shows what is past its expiry as expired before it knows that it is', async () => {
    const zeta = await application.register('zeta');
    const expiresAt = timestampOf(application.now + 1_000);
    const pending = await application.propose(zeta, [beta], { expiresAt });
    const active = await application.propose(zeta, [beta], { expiresAt });
    stateOf(await application.accept(beta, active));
    const list = async (filter: Parameters<Application['list']>[1]): Promise<InteractionPage> =>
      pageOf(await application.list(zeta.runtime, filter));

    application.now += 999;
    expect((await list({})).items.map(({ status }) => status)).toEqual(['active', 'pending']);
    expect(idsOf(await list({ waitingOn: beta.agentId }))).toHaveLength(2);
    expect((await list({ expiringBefore: timestampOf(application.now + 2) })).items).toHaveLength(
      2,
    );
    application.now += 1;
    const expired = await list({ status: 'expired' });
    expect(idsOf(expired)).toEqual([active.interactionId, pending.interactionId]);
    for (const item of expired.items) {
      expect(item).toMatchObject({ status: 'expired', updatedAt: expiresAt, waitingOn: [] });
    }
    for (const filter of [
      { status: 'pending' },
      { status: 'active' },
      { waitingOn: beta.agentId },
      { expiringBefore: timestampOf(application.now + 9e6) },
    ] as const) {
      expect((await list(filter)).items).toEqual([]);
    }
    expect((await list({ updatedSince: expiresAt })).items).toHaveLength(2);
    const later = timestampOf(application.now + 1);
    expect((await list({ updatedSince: later })).items).toEqual([]);

    // Recorded with the first of these, nothing changes.
    application.now += 50_000;
    for (const { interactionId } of [pending, active]) {
      const types = await application.events(interactionId);
      expect(types.filter((type) => type === 'interaction-expired')).toHaveLength(1);
    }
    expect(await list({ status: 'expired' })).toEqual(expired);
    expect((await list({ updatedSince: later })).items).toEqual([]);
  });

  it('compares moments by value, to the last digit', async () => {
    const eta = await application.register('eta');
    const at = (digits: string): Timestamp => `2030-06-01T00:00:00${digits}Z` as Timestamp;
    for (const digits of ['', '.5', '.50000000001']) {
      await application.propose(eta, [beta], { expiresAt: at(digits) });
    }
    const found = async (before: string): Promise<number> =>
      pageOf(await application.list(eta.runtime, { expiringBefore: at(before) })).items.length;
    expect(await found('')).toBe(0);
    expect(await found('.000')).toBe(0);
    expect(await found('.00000001')).toBe(1);
    expect(await found('.500')).toBe(1);
    expect(await found('.50000000001')).toBe(2);
    expect(await found('.500000000010001')).toBe(3);
  });

  it('follows the terms: an amendment counts once it is in force', async () => {
    const theta = await application.register('theta');
    const deadline = timestampOf(application.now + 1_000_000);
    const first = await application.propose(theta, [beta], { taskCategory: 'a', deadline });
    const revise = async (of: Interaction, taskCategory: string): Promise<Interaction> => {
      const terms = newestRevision(of).contract;
      if (terms === ERASED) throw new Error('nothing was erased');
      return stateOf(
        await application.perform(theta, of.interactionId, {
          kind: 'revise',
          agentId: theta.agentId,
          head: headOf(of),
          contract: { ...terms, taskCategory },
          termsHash: undefined,
          proof: undefined,
        }),
      );
    };
    const row = async (): Promise<unknown> =>
      pageOf(await application.list(theta.runtime)).items.map(
        ({ taskCategory, contractRevision, waitingOn, status }) => [
          taskCategory,
          contractRevision,
          waitingOn,
          status,
        ],
      );
    expect(await row()).toEqual([['a', 1, ['beta'], 'pending']]);
    const second = await revise(first, 'b');
    expect(await row()).toEqual([['b', 2, ['beta'], 'pending']]);
    const active = stateOf(await application.accept(beta, second));
    expect(await row()).toEqual([['b', 2, ['theta', 'beta'], 'active']]);
    const third = await revise(active, 'c');
    expect(await row()).toEqual([['b', 2, ['beta'], 'active']]);
    expect(idsOf(pageOf(await application.list(theta.runtime, { taskCategory: 'c' })))).toEqual([]);
    stateOf(await application.accept(beta, third));
    expect(await row()).toEqual([['c', 3, ['theta', 'beta'], 'active']]);
  });

  it('shows each caller what it may read, and tells nobody of the rest', async () => {
    const iota = await application.register('iota', 'shared');
    const kappa = await application.register('kappa', 'shared');
    const lambda = await application.register('lambda');
    const between = async (a: Actor, b: Actor): Promise<string> =>
      (await application.propose(a, [b])).interactionId;
    const own = await between(iota, lambda);
    const other = await between(kappa, lambda);
    const both = await between(iota, kappa);
    const sees = async (caller: Caller): Promise<ReadonlySet<string>> =>
      new Set(
        idsOf(pageOf(await application.list(caller))).filter((id) =>
          [own, other, both].includes(id),
        ),
      );

    expect(await sees(iota.runtime)).toEqual(new Set([own, both]));
    expect(await sees(iota.owner)).toEqual(new Set([own, both]));
    expect(await sees({ ...iota.runtime, agent: null })).toEqual(new Set([own, both]));
    expect(await sees(lambda.runtime)).toEqual(new Set([own, other]));
    const nobody = { ...gamma.owner, principal: 'nobody' };
    expect(await sees(nobody)).toEqual(new Set());
    // The owner's token, bound to another agent, is that agent's.
    expect(await sees({ ...iota.owner, agent: kappa.agentId })).toEqual(new Set([other, both]));
    // Of another tenant it is nobody's.
    expect(await sees({ ...iota.owner, tenant: 'tenant-of-gamma' })).toEqual(new Set());
    // One principal that owns two agents, and one client of two.
    const reader = (scope: 'interactions:read' | 'audit:read', tenant: string): Caller => ({
      ...nobody,
      tenant,
      scopes: new Set([scope]),
      allScopes: new Set([scope]),
    });
    expect(await sees(reader('interactions:read', 'shared'))).toEqual(new Set([own, other, both]));
    expect(await sees(reader('audit:read', lambda.runtime.tenant))).toEqual(new Set([own, other]));
    expect(await sees(reader('audit:read', 'tenant-of-gamma'))).toEqual(new Set());
    expect(await sees(everything())).toEqual(new Set([own, other, both]));
    // A filter never widens what is seen.
    const filtered = await application.list(iota.runtime, { party: kappa.agentId });
    expect(idsOf(pageOf(filtered))).toEqual([both]);
    const waiting = await application.list(iota.runtime, { waitingOn: lambda.agentId });
    expect(idsOf(pageOf(waiting))).toEqual([own]);
    const tenant = reader('interactions:read', lambda.runtime.tenant);
    expect(idsOf(pageOf(await application.list(tenant, { party: iota.agentId })))).toEqual([own]);
    const pair = { party: iota.agentId, waitingOn: lambda.agentId };
    expect(idsOf(pageOf(await application.list(everything(), pair)))).toEqual([own]);
  });

  it('agrees with what the interactions themselves say, whatever happened to them', async () => {
    const page = pageOf(await application.list(everything()));
    expect(page.items.length).toBeGreaterThan(50);
    for (const item of page.items) {
      const folded = await application.ask(new InteractionHead(item.interactionId));
      if (folded === undefined) throw new Error('listed, but not there');
      const interaction = effectiveAt(folded, application.moment);
      const { status, waitingOn } = interactionStatus(interaction);
      const { revision, contract } = shownRevision(interaction);
      if (contract === ERASED) throw new Error('nothing was erased');
      expect(item).toEqual({
        interactionId: interaction.interactionId,
        status,
        initiatorAgentId: interaction.initiatorAgentId,
        responderAgentId: interaction.responderAgentId,
        parties: interaction.parties,
        taskCategory: contract.taskCategory,
        deadline: contract.deadline ?? null,
        contractRevision: revision,
        waitingOn,
        createdAt: interaction.createdAt,
        updatedAt: interaction.updatedAt,
        expiresAt: interaction.expiresAt,
        reliable: true,
      });
    }
  });
});
