import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { interactionEtag } from '../../../src/http/etag.js';
import { headOf } from '../../../src/interactions/domain/head.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import { ReadInteraction, type AsOf } from '../../../src/interactions/queries/read-interaction.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { Application, everything, stateOf, type Actor } from '../support/application.js';
import { HeldStore } from '../support/held-store.js';

const LIFE = 60_000;
const NOW: AsOf = { kind: 'now' };

let store: HeldStore;
let application: Application;
let alpha: Actor;
let beta: Actor;
let pending: Interaction;

beforeAll(async () => {
  application = await Application.open(
    { READ_WAIT_MS: '5000' },
    (log) => (store = new HeldStore(log)),
  );
  alpha = await application.register('alpha');
  beta = await application.register('beta');
  application.views.start();
});

afterAll(async () => {
  await application.dispose();
});

beforeEach(async () => {
  store.isReadOnly = false;
  const expiresAt = timestampOf(application.now + LIFE);
  pending = await application.propose(alpha, [beta], { expiresAt });
});

async function read(asOf = NOW): Promise<Interaction> {
  const { interactionId } = pending;
  const reading = await application.ask(new ReadInteraction(interactionId, alpha.runtime, asOf));
  if (!reading.ok) throw new Error(reading.error.code);
  return reading.value.interaction;
}

async function listed(status?: 'expired' | 'cancelled'): Promise<readonly string[]> {
  const page = await application.list(everything(), { status, party: alpha.agentId });
  if (!page.ok) throw new Error(page.error.code);
  return page.value.items
    .filter(({ interactionId }) => interactionId === pending.interactionId)
    .map((item) => item.status);
}

const atExpiry = (): AsOf => ({ kind: 'time', time: pending.expiresAt });
const tagOf = (interaction: Interaction): string =>
  interactionEtag(interaction, headOf(interaction));

/** What is told of the interaction, in every way, at a moment from which it has expired. */
const TELLINGS: readonly (readonly [string, () => Promise<string | undefined>])[] = [
  ['a read', async () => (await read()).status],
  ['a read of the past', async () => (await read(atExpiry())).status],
  ['the list', async () => (await listed())[0]],
  ['the list of what expired', async () => (await listed('expired'))[0]],
];

async function cancel(of = pending): Promise<string> {
  const cancelled = await application.perform(alpha, of.interactionId, {
    kind: 'cancel',
    agentId: alpha.agentId,
    head: headOf(of),
    reason: undefined,
    proof: undefined,
  });
  return cancelled.ok ? 'ok' : cancelled.error.code;
}

async function complete(of: Interaction): Promise<string> {
  const completed = await application.perform(alpha, of.interactionId, {
    kind: 'complete',
    agentId: alpha.agentId,
    head: headOf(of),
    report: { successCriteria: [], completionConditions: [], evidenceRequirements: [] },
    proof: undefined,
  });
  return completed.ok ? 'ok' : completed.error.code;
}

/** Acts that are judged a moment before the end, and the event that the log takes a moment after it. */
const ACTS: readonly (readonly [string, () => Promise<string>])[] = [
  ['interaction-cancelled', cancel],
  [
    'revision-accepted',
    async () => {
      const accepted = await application.accept(beta, pending);
      return accepted.ok ? 'ok' : accepted.error.code;
    },
  ],
  ['outcome-reported', async () => complete(stateOf(await application.accept(beta, pending)))],
];

describe('an act that reaches the log after its deadline', () => {
  beforeEach(() => {
    application.now += LIFE - 1;
  });

  describe.each(TELLINGS)('behind the expiry that %s told', (_, tell) => {
    it.each(ACTS)('takes it back in no case: %s', async (type, act) => {
      let told: string | undefined;
      store.holdBack(type, async () => {
        application.now += 6;
        told = await tell();
      });
      expect(await act()).toBe('interaction-ended');
      expect(told).toBe('expired');
      expect([(await read()).status, (await read(atExpiry())).status]).toEqual([told, told]);
      const types = await application.events(pending.interactionId);
      expect([types.includes(type), types.at(-1)]).toEqual([false, 'interaction-expired']);
    });
  });

  it.each(TELLINGS.slice(0, 3))('before anything was told is what %s tells', async (_, tell) => {
    store.holdBack('interaction-expired', async () => {
      application.now -= 6;
      expect(await cancel()).toBe('ok');
      application.now += 6;
    });
    application.now += 6;
    expect(await tell()).toBe('cancelled');
    expect(await listed('expired')).toEqual([]);
    expect((await application.events(pending.interactionId)).at(-1)).toBe('interaction-cancelled');
  });
});

describe('an expiry that is due', () => {
  const types = async (): Promise<readonly string[]> => application.events(pending.interactionId);

  beforeEach(() => {
    application.now += LIFE;
    store.sent.length = 0;
  });

  it('is recorded once, however many ask for it, at once or later', async () => {
    await Promise.all(Array.from({ length: 20 }, () => read()));
    await Promise.all(Array.from({ length: 20 }, () => read(atExpiry())));
    expect(store.sent).toEqual(['interaction-expired']);
    await application.run(pending.interactionId, { kind: 'expire' });
    expect(await types()).toEqual(['interaction-proposed', 'interaction-expired']);
  });

  it('is not recorded for who may not read the interaction, nor for what was before it', async () => {
    const stranger = await application.register(`stranger-${String(application.now)}`);
    const query = new ReadInteraction(pending.interactionId, stranger.runtime, NOW);
    expect(await application.ask(query)).toMatchObject({ ok: false });
    const before = timestampOf(application.now - 1);
    expect((await read({ kind: 'time', time: before })).status).toBe('pending');
    const position = await application.store.head();
    expect((await read({ kind: 'position', position })).status).toBe('pending');
    expect(await types()).toEqual(['interaction-proposed']);
  });

  it('is told by a log that takes nothing, under a tag that no other end has', async () => {
    store.isReadOnly = true;
    const computed = await read();
    expect(computed.status).toBe('expired');
    expect((await read(atExpiry())).status).toBe('expired');
    expect(await types()).toEqual(['interaction-proposed']);
    store.isReadOnly = false;
    application.now -= 1;
    expect(await cancel()).toBe('ok');
    application.now += 1;
    const recorded = await read();
    expect([recorded.status, recorded.version]).toEqual(['cancelled', computed.version]);
    expect(headOf(recorded)).toEqual(headOf(computed));
    expect(tagOf(recorded)).not.toBe(tagOf(computed));
  });

  it('has the same tag before and after it is recorded', async () => {
    store.isReadOnly = true;
    const computed = tagOf(await read());
    store.isReadOnly = false;
    expect(tagOf(await read())).toBe(computed);
    expect(await types()).toEqual(['interaction-proposed', 'interaction-expired']);
  });
});
