import { randomBytes, randomUUID } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InvocationExecution } from '../../src/invocations/invocation-execution.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import { invocationStream } from '../../src/invocations/domain/stream.js';
import type { AgentId, InteractionId, SkillId, TermsHash, Uuid } from '../../src/kernel/ids.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { ERASURE_PROCESS } from '../../src/processes/erasure.js';
import type { Processes } from '../../src/processes/processes.js';
import { processStream } from '../../src/processes/events.js';
import { RetentionNotes } from '../../src/processes/retention-notes.js';
import { aMoment, eventually } from '../support/eventually.js';
import { DAY } from '../support/interaction-fixtures.js';
import { ALPHA, BETA, Deployment, GAMMA, healthOf } from './support/deployment.js';

const HOUR = 3_600_000;
const PARTIES: readonly AgentId[] = [ALPHA, BETA];

let now: number;
let deployment: Deployment;

beforeEach(async () => {
  now = Date.parse('2030-01-01T00:00:00.000Z');
  deployment = await Deployment.open(() => now);
  for (const agent of [ALPHA, BETA, GAMMA]) await deployment.register(agent);
});

afterEach(async () => {
  await deployment.dispose();
});

/** Agreed on, and cancelled at `now`. */
async function ended(retentionDays: number, parties = PARTIES): Promise<InteractionId> {
  const id = await deployment.propose(now + 300 * DAY, parties, { retentionDays });
  for (const party of parties.slice(1)) {
    await deployment.actOnHead(id, party, { kind: 'accept' });
  }
  await deployment.actOnHead(id, BETA, { kind: 'cancel' });
  return id;
}

async function consent(id: InteractionId, party: AgentId): Promise<void> {
  await deployment.actOnHead(id, party, { kind: 'consent-to-erasure' });
}

const notes = () =>
  new RetentionNotes(
    { name: ERASURE_PROCESS, node: 'node-a', clock: () => now, random: randomBytes },
    deployment.store,
  );
const keyOf = async (id: InteractionId) => deployment.keys.find(interactionStream(id));
const erasuresOf = async (id: InteractionId) => deployment.eventsOf(id, 'texts-erased');

async function untilErased(id: InteractionId): Promise<void> {
  await eventually(async () => (await erasuresOf(id)).length > 0);
}

async function untilRested(processes: Processes, pending = 0): Promise<void> {
  await eventually(async () => {
    const health = await healthOf(processes, 'erasure');
    return health.state === 'following' && health.pending === pending && health.overdueMs === 0;
  });
}

describe('retention', () => {
  it('ends to the millisecond; until then nobody is overdue and nothing is written', async () => {
    const id = await ended(30);
    const processes = deployment.run('node-a');
    await untilRested(processes, 1);
    now += 30 * DAY - 1;
    await aMoment();
    expect(await keyOf(id)).toBeInstanceOf(Uint8Array);
    expect(deployment.performed).toEqual([]);
    expect(await deployment.events(processStream('erasure'))).toEqual([]);
    now += 1;
    await untilErased(id);
    expect(await keyOf(id)).toBe('erased');
    const [event, ...more] = await erasuresOf(id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      recordedAt: timestampOf(now),
      data: {
        interactionId: id,
        ground: 'retention',
        retention: { days: 30, until: timestampOf(now) },
      },
      metadata: { actor: { principal: 'process:erasure' } },
    });
    await untilRested(processes);
  });

  it('of none ends with the interaction whose terms were in force, else after thirty days', async () => {
    const rejected = await deployment.propose(now + DAY, PARTIES, { retentionDays: 0 });
    const withdrawn = await deployment.propose(now + DAY, PARTIES, { retentionDays: 0 });
    const expiring = await deployment.propose(now + 1000, PARTIES, { retentionDays: 0 });
    const cancelled = await ended(0);
    await deployment.actOnHead(rejected, BETA, { kind: 'reject' });
    await deployment.actOnHead(withdrawn, ALPHA, { kind: 'withdraw' });
    deployment.run('node-a');
    await untilErased(cancelled);
    expect(await keyOf(cancelled)).toBe('erased');
    now += 1000;
    await eventually(
      async () => (await deployment.eventsOf(expiring, 'interaction-expired')).length > 0,
    );
    now += 30 * DAY - 1001;
    await aMoment();
    for (const id of [rejected, withdrawn, expiring]) {
      expect(await keyOf(id)).toBeInstanceOf(Uint8Array);
    }
    now += 1001;
    for (const id of [rejected, withdrawn, expiring]) {
      await untilErased(id);
      expect(await keyOf(id)).toBe('erased');
    }
  });

  it('of more than 36,500 days is no business of the process', async () => {
    const id = await ended(36_501);
    const processes = deployment.run('node-a');
    now += 200 * 365 * DAY;
    await untilRested(processes);
    await aMoment();
    expect(await keyOf(id)).toBeInstanceOf(Uint8Array);
    await consent(id, ALPHA);
    await consent(id, BETA);
    await untilErased(id);
  });

  it('is not looked at while the interaction goes on', async () => {
    const id = await deployment.propose(now + 300 * DAY, PARTIES, { retentionDays: 0 });
    await deployment.actOnHead(id, BETA, { kind: 'accept' });
    await deployment.actOnHead(id, BETA, { kind: 'revise', purpose: 'Another' });
    await deployment.actOnHead(id, ALPHA, { kind: 'reject' });
    const processes = deployment.run('node-a');
    await untilRested(processes);
    expect(deployment.performed).toEqual([]);
  });
});

describe('consent', () => {
  it('of all but one changes nothing; that of the last brings the erasure forward', async () => {
    const id = await ended(30, [ALPHA, BETA, GAMMA]);
    const processes = deployment.run('node-a');
    await consent(id, ALPHA);
    await consent(id, GAMMA);
    await untilRested(processes, 1);
    await aMoment();
    expect(await keyOf(id)).toBeInstanceOf(Uint8Array);
    await consent(id, BETA);
    await untilErased(id);
    expect((await erasuresOf(id))[0]?.data).toMatchObject({ ground: 'consent' });
    expect(await keyOf(id)).toBe('erased');
  });
});

describe('an erasure', () => {
  it('whose key is gone already is completed, for no text tells when it was due', async () => {
    const id = await ended(30);
    await deployment.keys.destroy(interactionStream(id));
    const restarted = await Deployment.open(() => now, deployment.folder);
    restarted.run('node-a');
    await untilErased(id);
    await restarted.close();
    expect((await erasuresOf(id))[0]?.data).toMatchObject({
      ground: 'retention',
      retention: null,
    });
  });

  it('is recorded once, whatever the number of nodes', async () => {
    const ids: InteractionId[] = [];
    for (let i = 0; i < 20; i++) ids.push(await ended(0));
    const nodes = ['node-a', 'node-b', 'node-c'].map((node) => deployment.run(node));
    for (const id of ids) await untilErased(id);
    // Those without the lease look again after a while.
    now += 1000;
    for (const node of nodes) await untilRested(node);
    for (const id of ids) expect(await erasuresOf(id)).toHaveLength(1);
  });

  it('never is recorded before the key is destroyed', async () => {
    const id = await ended(0);
    let recorded: number | undefined;
    deployment.afterDestroyed = async () => {
      recorded ??= (await erasuresOf(id)).length;
    };
    deployment.run('node-a');
    await untilErased(id);
    expect(recorded).toBe(0);
  });

  it('that the key store refuses is tried again, and not recorded before', async () => {
    const id = await ended(0);
    let refusals = 3;
    deployment.afterDestroyed = async () => {
      if (refusals-- > 0) throw new Error('the key store is away');
      return Promise.resolve();
    };
    const processes = deployment.run('node-a');
    await eventually(async () => (await healthOf(processes, 'erasure')).lastError !== null);
    expect(await erasuresOf(id)).toEqual([]);
    await eventually(async () => {
      now += 20;
      return (await erasuresOf(id)).length > 0;
    });
    await untilRested(processes);
    expect((await healthOf(processes, 'erasure')).lastError).toBeNull();
    // The key was gone with the first try.
    expect((await erasuresOf(id))[0]?.data).toMatchObject({ retention: { days: 0 } });
  });

  it('on a retention is none by consent, though consents are recorded beside it', async () => {
    const noted = [await ended(0), await ended(0)] as const;
    for (const id of noted) {
      await notes().note(id, 0);
      for (const party of PARTIES) await consent(id, party);
    }
    const [gone, there] = noted;
    await deployment.keys.destroy(interactionStream(gone));
    const node = await Deployment.open(() => now, deployment.folder);
    node.run('node-b');
    for (const id of noted) await untilErased(id);
    await node.close();
    expect((await erasuresOf(gone))[0]?.data).toMatchObject({
      ground: 'retention',
      retention: { days: 0 },
    });
    expect((await erasuresOf(there))[0]?.data).toMatchObject({
      ground: 'consent',
      retention: null,
    });
  });

  it('is not done again by the next start', async () => {
    const id = await ended(0);
    const first = deployment.run('node-a');
    await untilErased(id);
    await untilRested(first);
    await first.stop();
    deployment.performed.length = 0;
    await untilRested(deployment.run('node-a'));
    expect(deployment.performed.filter((effect) => effect.startsWith('erase '))).toEqual([]);
    expect(await erasuresOf(id)).toHaveLength(1);
  });
});

describe('a key that a node far ahead destroyed, and died before it said so', () => {
  let id: InteractionId;

  beforeEach(async () => {
    id = await ended(1);
    // Folded with its texts, and remembered.
    expect((await deployment.interactions.find(id))?.revisions[0]?.contract).not.toBe('erased');
  });

  async function destroyAhead(): Promise<void> {
    const ahead = await Deployment.open(() => now + 26 * HOUR, deployment.folder);
    ahead.beforeEffect = () => Promise.reject(new Error('killed'));
    ahead.run('node-a');
    await eventually(() => Promise.resolve(ahead.performed.includes(`erase ${id}`)));
    await ahead.close();
    expect(await keyOf(id)).toBe('erased');
    expect(await erasuresOf(id)).toEqual([]);
  }

  async function expectRecordedAsEarly(endedAt: number): Promise<void> {
    await untilErased(id);
    expect((await erasuresOf(id))[0]).toMatchObject({
      recordedAt: timestampOf(now),
      data: {
        ground: 'retention',
        retention: { days: 1, until: timestampOf(endedAt + DAY) },
      },
    });
  }

  it('is gone for a node that has read the texts before: none are shown, no consent is taken', async () => {
    await destroyAhead();
    const interaction = await deployment.interactions.find(id);
    expect(interaction?.revisions[0]?.contract).toBe('erased');
    for (const party of PARTIES) {
      const head = undefined;
      const command = {
        kind: 'consent-to-erasure',
        agentId: party,
        proof: undefined,
        head,
      } as const;
      await expect(deployment.act(id, command)).rejects.toThrow('interaction-erased');
    }
  });

  it('is recorded by the next start as what it was: before the retention had run out', async () => {
    await destroyAhead();
    deployment.run('node-b');
    await expectRecordedAsEarly(now);
  });

  it('and by a node that goes on running within the hour', async () => {
    const endedAt = now;
    await untilRested(deployment.run('node-b'), 1);
    await destroyAhead();
    await aMoment();
    expect(await erasuresOf(id)).toEqual([]);
    now += HOUR;
    await expectRecordedAsEarly(endedAt);
  });
});

describe('calls under the contract', () => {
  let invocations: InvocationExecution;

  beforeEach(() => {
    const { store, keys, clock } = deployment;
    invocations = new InvocationExecution(store, keys, clock, randomBytes);
  });

  async function askForApproval(id: InteractionId): Promise<string> {
    const invocationId = randomUUID() as string as Uuid;
    const requested = {
      invocationId,
      agentId: BETA,
      skillId: 'skill' as SkillId,
      handler: 'handler',
      caller: { principal: 'p', client: null, agent: ALPHA, tenant: 't' },
      taskId: randomUUID() as string as Uuid,
      routing: { layer: 'hint', confidence: 1 },
      terms: { interactionId: id, revision: 1, termsHash: 'x'.repeat(43) as TermsHash },
      action: 'translate',
      data: [],
      argumentsDigest: 'y'.repeat(43),
      scopes: [],
      expiresAt: timestampOf(now + DAY),
    };
    const commandId = randomUUID();
    const actor = { principal: 'p', agent: null, tenant: 't' };
    const told = { correlationId: commandId, causationId: null, traceparent: null };
    const envelope = { commandId, requestDigest: '', actor, ...told };
    const command = { kind: 'request', requested, entries: ['translate'] } as const;
    const recorded = await invocations.record(invocationId, command, envelope, {});
    if (!recorded.ok) throw new Error(recorded.error.code);
    return invocationStream(invocationId);
  }

  const isErased = async (stream: string) => (await deployment.keys.find(stream)) === 'erased';

  it('that repeat its entries lose them with it, however long ago; others keep theirs', async () => {
    const id = await deployment.propose(now + 300 * DAY, PARTIES, { retentionDays: 1 });
    const other = await ended(30);
    const early = await askForApproval(id);
    const foreign = await askForApproval(other);
    await deployment.actOnHead(id, BETA, { kind: 'accept' });
    const late = await askForApproval(id);
    await deployment.actOnHead(id, BETA, { kind: 'cancel' });
    deployment.run('node-a');
    await aMoment();
    expect(await isErased(early)).toBe(false);
    now += DAY;
    await untilErased(id);
    expect([await isErased(early), await isErased(late)]).toEqual([true, true]);
    expect(await isErased(foreign)).toBe(false);
  });

  it('are destroyed again where that may not have been finished', async () => {
    const id = await ended(0);
    const call = await askForApproval(id);
    let failures = 1;
    deployment.afterDestroyed = () =>
      failures-- > 0 ? Promise.reject(new Error('its bytes are held')) : Promise.resolve();
    deployment.run('node-a');
    await eventually(async () => {
      now += 20;
      return (await erasuresOf(id)).length > 0;
    });
    const performed = deployment.performed.slice(0, deployment.performed.indexOf(`erase ${id}`));
    expect(performed.filter((each) => each === `destroy ${call}`)).toHaveLength(2);
  });

  it('that were asked about while it was erased, or after, lose them too', async () => {
    const id = await ended(0);
    let during: string | undefined;
    deployment.afterDestroyed = async () => {
      during ??= await askForApproval(id);
    };
    deployment.run('node-a');
    await untilErased(id);
    await eventually(async () => during !== undefined && (await isErased(during)));
    const after = await askForApproval(id);
    await eventually(async () => isErased(after));
  });

  it('are swept by whoever comes after a node that died before it could', async () => {
    const id = await ended(0);
    const early = await askForApproval(id);
    await deployment.keys.destroy(interactionStream(id));
    await deployment.act(id, { kind: 'erase', retentionDays: 0 });
    await untilRested(deployment.run('node-b'));
    expect(await isErased(early)).toBe(true);
  });

  it('and the contract lose them again at the next start, where an older key store was put back', async () => {
    const id = await ended(0);
    const other = await ended(30);
    const call = await askForApproval(id);
    await deployment.close();
    const file = join(deployment.folder, 'keys.db');
    copyFileSync(file, `${file}.older`);
    const eraser = await Deployment.open(() => now, deployment.folder);
    const processes = eraser.run('node-a');
    await eventually(async () => (await eraser.eventsOf(id, 'texts-erased')).length > 0);
    await untilRested(processes, 1);
    await eraser.close();

    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    copyFileSync(`${file}.older`, file);
    deployment = await Deployment.open(() => now, deployment.folder);
    expect(await keyOf(id)).toBeInstanceOf(Uint8Array);
    expect(await isErased(call)).toBe(false);
    await untilRested(deployment.run('node-b'), 1);
    expect([await keyOf(id), await isErased(call)]).toEqual(['erased', true]);
    expect(await keyOf(other)).toBeInstanceOf(Uint8Array);
    expect(await erasuresOf(id)).toHaveLength(1);
  });
});
