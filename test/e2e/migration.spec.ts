import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { keyScopeOf } from '../../src/event-store/codec.js';
import type { EventStore } from '../../src/event-store/port.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { openSqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import { parseSignedCheckpoint, type Checkpoint } from '../../src/kernel/checkpoint.js';
import { encodeBase64Url } from '../../src/kernel/base64url.js';
import type { Contract, FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import { verifyConsistency } from '../../src/kernel/merkle.js';
import { ERASURE_PROCESS } from '../../src/processes/erasure.js';
import { RetentionNotes } from '../../src/processes/retention-notes.js';
import { rootOfFirst, signedTrees } from '../audit/log/support/true-checkpoints.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import { readEverything } from '../contracts/support/reading.js';
import { copyLog, OTHER_ENGINES } from '../support/copied-log.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type TestService } from '../support/service.js';
import { contractOf, documentOf, inFuture, Negotiator, pathOf } from './support/negotiator.js';

const PATIENCE_MS = 20_000;
const LOG = { LOG_CHECKPOINT_SECONDS: '1' };
const NOTED_DAYS = 0;
/** Until then the log has another engine, unless the machine is very slow. */
const OPEN_MS = 3_000;

const eventsOf = (folder: string) => openSqliteEventStore(join(folder, 'events.db'));
const keysOf = (folder: string) => openSqliteKeyStore(join(folder, 'keys.db'), { randomBytes });

/** The checkpoint that covers all of a log. */
async function wholeCheckpoint(service: TestService, log: EventStore): Promise<Checkpoint> {
  let found: Checkpoint | undefined;
  await eventually(async () => {
    const { text } = await service.call('GET', '/log/checkpoint');
    found = parseSignedCheckpoint(text)?.checkpoint;
    return found?.size === signedTrees(await readEverything(log)).size;
  }, PATIENCE_MS);
  if (found === undefined) throw new Error('no checkpoint');
  return found;
}

/**
 * As a node leaves it that dies between the destruction of a key and the record of it. The noted days are
 * fewer than the agreed ones, so that they have run out.
 */
async function destroyUnrecorded(folder: string, { interactionId }: FederatedInteraction) {
  const log = await eventsOf(folder);
  const writer = { name: ERASURE_PROCESS, node: 'old', clock: Date.now, random: randomBytes };
  await new RetentionNotes(writer, log).note(interactionId, NOTED_DAYS);
  await log.close();
  const keys = await keysOf(folder);
  await keys.destroy(keyScopeOf(interactionStream(interactionId)));
  await keys.close();
}

async function expectOneLog(service: TestService, log: EventStore, old: Checkpoint) {
  const newest = await wholeCheckpoint(service, log);
  expect(newest.size).toBeGreaterThan(old.size);
  const sizes = `from=${String(old.size)}&to=${String(newest.size)}`;
  const { body } = await service.call('GET', `/v1/log/proofs/consistency?${sizes}`);
  const proof = (body['proof'] as readonly string[]).map((hash) => Buffer.from(hash, 'base64url'));
  const [first, second] = [old.size, newest.size];
  const roots = { firstRoot: old.rootHash, secondRoot: newest.rootHash };
  expect(verifyConsistency({ first, second, ...roots, proof })).toBe(true);
  const events = await readEverything(log);
  expect(rootOfFirst(old.size, events)).toBe(encodeBase64Url(old.rootHash));
  expect(signedTrees(events)).toMatchObject({ size: newest.size, untrue: [] });
}

it.each(Object.entries(OTHER_ENGINES))(
  'a service whose log was copied to %s goes on where it was, with the data folder that it had',
  async (engine, start) => {
    const service = await startTestService({ env: LOG });
    const { folder } = service;
    const [alpha, beta] = [
      await Negotiator.register(service, 'alpha'),
      await Negotiator.register(service, 'beta'),
    ];
    const agree = async (overrides: Partial<Contract> = {}) => {
      const proposed = await alpha.propose(contractOf([alpha, beta], overrides), beta);
      return documentOf(await beta.accept(documentOf(proposed)));
    };
    const end = async () => documentOf(await beta.cancel(await agree(), 'Because'));
    const isGone = async (who: Negotiator, document: FederatedInteraction) =>
      (await who.get(pathOf(document))).status === 410;
    const [active, brief, ended, erased, unrecorded] = [
      await agree(),
      await agree({ retentionDays: 0 }),
      await end(),
      await end(),
      await end(),
    ];
    for (const who of [alpha, beta]) await who.consentToErasure(erased);
    await eventually(() => isGone(alpha, erased));
    const from = await eventsOf(folder);
    const old = await wholeCheckpoint(service, from);
    const { headers } = await alpha.consentToErasure(ended);
    const token = String(headers.get('position-token'));
    const body = alpha.proposal(contractOf([alpha, beta]), beta, inFuture(OPEN_MS));
    const expiring = documentOf(await alpha.post('/v1/interactions', body));
    await service.stop();
    await destroyUnrecorded(folder, unrecorded);

    const target = await start();
    const to = await target.open();
    await copyLog(from, to);
    await from.close();
    const log = { ...LOG, EVENT_STORE: target.url };
    // With PostgreSQL the keys would be looked for beside the log.
    await expect(startTestService({ folder, env: log })).rejects.toThrow(/KEY_STORE/);
    const [keys, tasks] = [join(folder, 'keys.db'), join(folder, 'tasks.db')];
    const env = { ...log, KEY_STORE: `sqlite:${keys}`, TASK_STORE: `sqlite:${tasks}` };
    const moved = await startTestService({ folder, env });
    const [a, b] = [alpha.at(moved), beta.at(moved)];
    const lastOf = async ({ interactionId }: FederatedInteraction) =>
      (await to.readStream(interactionStream(interactionId))).at(-1);

    await eventually(
      async () => (await moved.call('GET', '/health/ready')).status === 200,
      PATIENCE_MS,
    );
    expect(documentOf(await a.get(pathOf(active)))).toEqual(active);
    expect(await isGone(a, erased)).toBe(true);
    const reported = documentOf(await a.complete(active));
    expect(documentOf(await b.complete(reported)).status).toBe('completed');
    expect(documentOf(await a.get(pathOf(ended)))).toEqual(ended);
    await b.consentToErasure(ended);
    await eventually(() => isGone(a, ended));
    await b.cancel(brief);
    for (const [document, days] of [
      [brief, 0],
      [unrecorded, NOTED_DAYS],
    ] as const) {
      await eventually(async () => (await lastOf(document))?.type === 'texts-erased');
      expect((await lastOf(document))?.data).toMatchObject({ retention: { days } });
    }
    await eventually(async () => (await lastOf(expiring))?.type === 'interaction-expired');

    await expectOneLog(moved, to, old);
    if (engine === 'eventstoredb') {
      const foreign = await a.get(pathOf(active), { headers: { 'position-token': token } });
      expect(foreign.body['code']).toBe('position-invalid');
    }
    await to.close();
    await moved.dispose();
    await target.stop();
  },
  PROCESS_TEST_TIMEOUT,
);
