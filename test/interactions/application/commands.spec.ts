import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { headOf } from '../../../src/interactions/domain/head.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import { isErased } from '../../../src/interactions/domain/revisions.js';
import { interactionStream } from '../../../src/interactions/domain/stream.js';
import { InteractionHead } from '../../../src/interactions/queries/interaction-head.js';
import { InteractionHistory } from '../../../src/interactions/queries/interaction-history.js';
import { ReadInteraction } from '../../../src/interactions/queries/read-interaction.js';
import { ERASED } from '../../../src/kernel/event.js';
import type { Result } from '../../../src/kernel/result.js';
import type { Rejection } from '../../../src/kernel/rejection.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { timestampOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { Application, stateOf, type Actor } from '../support/application.js';

let application: Application;
let alpha: Actor;
let beta: Actor;

beforeAll(async () => {
  application = await Application.open();
  alpha = await application.register('alpha');
  beta = await application.register('beta');
});

afterAll(async () => {
  await application.dispose();
});

const codeOf = (result: Result<unknown, Rejection>): string =>
  result.ok ? 'ok' : result.error.code;

function valueOf<T>(result: Result<T, Rejection>): T {
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}

describe('case 12: an acceptance at expiresAt', () => {
  it.each([
    [-1, 'ok'],
    [0, 'interaction-ended'],
    [1, 'interaction-ended'],
  ])('%d ms is %s', async (offset, outcome) => {
    const expiresAt = timestampOf(application.now + 60_000);
    const pending = await application.propose(alpha, [beta], { expiresAt });
    application.now += 60_000 + offset;
    expect(codeOf(await application.accept(beta, pending))).toBe(outcome);
  });

  it('is judged to the last digit that the proposer wrote', async () => {
    const before = application.now + 60_000;
    const expiresAt = timestampOf(before).replace('Z', '0001Z') as Interaction['expiresAt'];
    const first = await application.propose(alpha, [beta], { expiresAt });
    const second = await application.propose(alpha, [beta], { expiresAt });
    application.now = before;
    expect(codeOf(await application.accept(beta, first))).toBe('ok');
    application.now += 1;
    expect(codeOf(await application.accept(beta, second))).toBe('interaction-ended');
  });
});

describe('what a decision was based on', () => {
  it('is recorded: the heads of all parties, and of the platform’s keys where it attests', async () => {
    const pending = await application.propose(alpha, [beta]);
    await application.accept(beta, pending);
    const stream = interactionStream(pending.interactionId);
    const basedOn = (await application.store.readStream(stream)).map(
      ({ metadata }) => metadata.basedOn,
    );
    const platformKeys = await application.store.readStream('platform-keys');
    const parties = { 'agent-alpha': 0, 'agent-beta': 0 };
    const attesting = { ...parties, 'platform-keys': platformKeys.length - 1 };
    expect(basedOn).toEqual([parties, attesting, attesting]);
  });

  it('names the caller, not the body, as the actor', async () => {
    const { interactionId } = await application.propose(alpha, [beta]);
    const [proposed] = await application.store.readStream(interactionStream(interactionId));
    expect(proposed?.metadata.actor).toEqual({
      principal: 'client-of-alpha',
      agent: 'alpha',
      tenant: 'tenant-of-alpha',
    });
  });
});

describe('on a node whose clock is behind that of the one that registered the attestation key', () => {
  let behind: Application;
  let from: Timestamp;
  let parties: readonly [Actor, Actor];

  beforeEach(async () => {
    behind = await Application.open();
    const [added] = await behind.store.readStream('platform-keys');
    from = added?.recordedAt ?? behind.moment;
    behind.now -= 8_000;
    parties = [await behind.register('alpha'), await behind.register('beta')];
  });

  afterEach(async () => {
    await behind.dispose();
  });

  it('an acceptance is dated no earlier than the key, and what follows no earlier than that', async () => {
    const [proposer, responder] = parties;
    const pending = await behind.propose(proposer, [responder]);
    expect(pending.updatedAt).toBe(behind.moment);
    const accepted = stateOf(await behind.accept(responder, pending));
    expect(accepted).toMatchObject({ status: 'active', updatedAt: from });
    const events = await behind.store.readStream(interactionStream(pending.interactionId));
    expect(events.map(({ recordedAt }) => recordedAt)).toEqual([pending.updatedAt, from, from]);
    behind.now += 1_000;
    const cancelled = await behind.perform(proposer, pending.interactionId, {
      kind: 'cancel',
      agentId: proposer.agentId,
      head: headOf(accepted),
      reason: 'end',
      proof: undefined,
    });
    expect(stateOf(cancelled)).toMatchObject({ status: 'cancelled', updatedAt: from });
  });

  it.each([
    [0, 'interaction-ended'],
    [1, 'ok'],
  ])('it is judged by that moment: an end %d ms after it is %s', async (later, outcome) => {
    const [proposer, responder] = parties;
    const expiresAt = timestampOf(behind.now + 8_000 + later);
    const pending = await behind.propose(proposer, [responder], { expiresAt });
    expect(codeOf(await behind.accept(responder, pending))).toBe(outcome);
  });

  it('it is dated by the clock once that has come there', async () => {
    const [proposer, responder] = parties;
    const pending = await behind.propose(proposer, [responder]);
    behind.now += 9_000;
    const accepted = stateOf(await behind.accept(responder, pending));
    expect(accepted.updatedAt).toBe(behind.moment);
  });
});

describe('a proposal that lists thousands of parties', () => {
  it('is refused, and nobody is looked up', async () => {
    const crowd = Array.from({ length: 5_000 }, (_, index) => `nobody-${String(index)}`);
    const parties = ['alpha', 'beta', ...crowd].map((id) => id as AgentId);
    await expect(application.propose(alpha, [beta], { parties })).rejects.toThrow(
      'parties-invalid',
    );
  });
});

describe('commands of processes', () => {
  it('expire an interaction once, dated expiresAt, whenever they come', async () => {
    const pending = await application.propose(alpha, [beta]);
    const expire = { kind: 'expire' } as const;
    const { interactionId, expiresAt } = pending;
    expect(codeOf(await application.run(interactionId, expire))).toBe('expiry-not-due');
    application.now += 7 * 3_600_000;
    const expired = await application.run(interactionId, expire);
    expect(stateOf(expired)).toMatchObject({ status: 'expired', updatedAt: expiresAt });
    const again = await application.run(interactionId, expire);
    expect(again.ok && again.value.replayed).toBe(true);
    expect(await application.events(interactionId)).toEqual([
      'interaction-proposed',
      'interaction-expired',
    ]);
    expect(await application.ask(new InteractionHead(interactionId))).toEqual(stateOf(expired));
  });

  it('carry no caller, and so act for no agent', async () => {
    const pending = await application.propose(alpha, [beta]);
    const accept = {
      kind: 'accept',
      agentId: beta.agentId,
      head: headOf(pending),
      proof: undefined,
    } as const;
    const refused = await application.run(pending.interactionId, accept);
    expect(codeOf(refused)).toBe('interaction-not-found');
  });
});

describe('reading as of a moment', () => {
  it('computes an expiry at that moment, whether or not it is recorded', async () => {
    const pending = await application.propose(alpha, [beta]);
    const { interactionId, expiresAt } = pending;
    const end = application.now + 3_600_000;
    const statusAt = async (time: number): Promise<unknown> => {
      const query = new ReadInteraction(interactionId, alpha.runtime, {
        kind: 'time',
        time: timestampOf(time),
      });
      const reading = await application.ask(query);
      return reading.ok ? reading.value.interaction : reading.error.code;
    };
    const ahead = application.now + 301_000;
    expect(await statusAt(ahead)).toBe('request-invalid');
    application.now = end + 10;
    const computed = await statusAt(end);
    expect(computed).toMatchObject({ status: 'expired', updatedAt: expiresAt, version: 2 });
    expect(await statusAt(end - 1)).toEqual(pending);
    await application.run(interactionId, { kind: 'expire' });
    expect(await statusAt(end)).toEqual(computed);
    expect(await statusAt(end - 1)).toEqual(pending);
  });

  it('gives no texts of what was erased since, though its key is there again', async () => {
    const { interactionId } = await application.propose(alpha, [beta]);
    const before = await application.store.head();
    application.now += 7 * 3_600_000;
    await application.run(interactionId, { kind: 'expire' });
    for (const who of [alpha, beta]) {
      const consent = { kind: 'consent-to-erasure', agentId: who.agentId } as const;
      await application.perform(who, interactionId, {
        ...consent,
        head: undefined,
        proof: undefined,
      });
    }
    const past = new ReadInteraction(interactionId, alpha.runtime, {
      kind: 'position',
      position: before,
    });
    const history = new InteractionHistory(interactionId, alpha.runtime, 0, 10);
    const [first] = valueOf(await application.ask(history));
    expect(first?.event.texts).toMatchObject({ contract: { interactionId } });
    expect(isErased(valueOf(await application.ask(past)).interaction)).toBe(false);
    await application.run(interactionId, { kind: 'erase', retentionDays: null });
    const [erased] = valueOf(await application.ask(history));
    expect(erased?.event.texts).toBe(ERASED);
    expect(isErased(valueOf(await application.ask(past)).interaction)).toBe(true);
  });
});

describe('a retry', () => {
  it('is not answered to a token of the same principal that no longer acts for the agent', async () => {
    const pending = await application.propose(alpha, [beta]);
    const client = { ...beta.runtime, agent: null };
    const accept = {
      kind: 'accept',
      agentId: beta.agentId,
      head: headOf(pending),
      proof: undefined,
    } as const;
    const first = await application.perform(beta, pending.interactionId, accept, client);
    expect(codeOf(first)).toBe('ok');
    const again = await application.perform(beta, pending.interactionId, accept, client);
    expect(again.ok && again.value.replayed).toBe(true);
    const elsewhere = { ...client, client: 'another-client' };
    const refused = await application.perform(beta, pending.interactionId, accept, elsewhere);
    expect(codeOf(refused)).toBe('interaction-not-found');
  });
});
