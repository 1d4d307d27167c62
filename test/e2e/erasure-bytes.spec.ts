import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSqliteKeyStore } from '../../src/event-store/sqlite/sqlite-key-store.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import type { FederatedInteraction } from '../../src/kernel/federated-interaction.js';
import type { ListedInteraction } from '../../src/interactions/queries/list-interactions.js';
import { PROCESS_TEST_TIMEOUT } from '../contracts/support/effort.js';
import type { SampleBackend } from '../invocations/backends/support/sample-backend.js';
import { eventually } from '../support/eventually.js';
import { spawnTestService, type SpawnedService } from '../support/service.js';
import { marker, tellStory, type Story } from './support/erasable-story.js';
import {
  contractSkill,
  financeDeployment,
  newPartner,
  registerFinance,
  startBackend,
} from './support/finance.js';
import { pathOf, type Negotiator } from './support/negotiator.js';
import { tracesIn } from './support/traces.js';

let service: SpawnedService;
let backend: SampleBackend;
let finance: Negotiator;
let partner: Negotiator;

beforeEach(async () => {
  backend = await startBackend(() => service);
  const skills = [contractSkill('reconcile')];
  service = await spawnTestService(await financeDeployment(backend, skills));
  finance = await registerFinance(service);
  partner = await newPartner(service);
}, PROCESS_TEST_TIMEOUT);

afterEach(async () => {
  await service.dispose();
  await backend.stop();
});

const negotiate = (retentionDays: number): Promise<Story> =>
  tellStory(service, partner, finance, retentionDays);

/** In the log, and in the view: one that is behind when its node stops overwrites them at the next start. */
async function untilErased(document: FederatedInteraction): Promise<void> {
  await eventually(async () => {
    const { body } = await partner.get(`${pathOf(document)}/status`);
    if (body['erasure'] === null) return false;
    const list = await partner.get('/v1/interactions');
    const items = (list.body['items'] ?? []) as unknown as readonly ListedInteraction[];
    const listed = items.find((each) => each.interactionId === document.interactionId);
    return listed?.taskCategory === null;
  }, 20_000);
}

/** Its view has applied the erasure, and is about to remove what it keeps of the past. */
async function untilUnlisted(taskCategory: string): Promise<void> {
  await eventually(async () => {
    const { text } = await partner.get('/v1/interactions');
    return !text.includes(taskCategory);
  });
}

/** None in any file: soon while it runs, and after it has stopped. */
async function expectNoTraces(texts: readonly string[]): Promise<void> {
  let traces: string[] = [];
  await eventually(async () => {
    traces = await tracesIn(service.folder, texts);
    return traces.length === 0;
  }, 10_000).catch(() => undefined);
  expect(traces).toEqual([]);
  await service.stop();
  expect(await tracesIn(service.folder, texts)).toEqual([]);
}

/** Rubbish at the beginning of its second page: what the others hold stays. */
async function damage(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(200, 0xff), 0, 200, 4096);
  await handle.close();
}

describe('no file of the data folder holds a text of an erased interaction', () => {
  it(
    'erased with the consent of every party',
    async () => {
      const { document, texts, listed } = await negotiate(30);
      await eventually(async () => (await tracesIn(service.folder, [listed])).length > 0);
      expect((await partner.get(pathOf(document))).text).toContain('Größe');
      await partner.consentToErasure(document);
      await finance.consentToErasure(document);
      await untilErased(document);
      await expectNoTraces(texts);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'erased by retention, the view rebuilt from the erased log',
    async () => {
      const { document, texts } = await negotiate(0);
      await untilErased(document);
      await expectNoTraces(texts);
      await service.start();
      await untilErased(document);
      await expectNoTraces(texts);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'killed as soon as the last party had consented',
    async () => {
      const { document, texts } = await negotiate(30);
      await partner.consentToErasure(document);
      await finance.consentToErasure(document);
      await service.kill();
      await service.start();
      await untilErased(document);
      await service.kill();
      await service.start();
      await expectNoTraces(texts);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it.each(['stop', 'kill'] as const)(
    'also when its read database was found damaged, and a %s comes as soon as it is erased',
    async (end) => {
      const { document, texts, listed } = await negotiate(30);
      await eventually(async () => (await tracesIn(service.folder, [listed])).length > 0);
      await service.stop();
      const file = join(service.folder, 'read.db');
      await damage(file);
      await service.start();
      expect((await tracesIn(service.folder, [listed])).join()).toContain('read.db.damaged');
      await copyFile(`${file}.damaged`, `${file}.kept`);
      await partner.consentToErasure(document);
      await finance.consentToErasure(document);
      await untilErased(document);
      await untilUnlisted(listed);
      // A kill just after the view's commit, and before the file is removed.
      if (end === 'kill') await eventually(() => !existsSync(`${file}.damaged`));
      await service[end]();
      if (end === 'kill') await rename(`${file}.kept`, `${file}.damaged`);
      else await rm(`${file}.kept`);
      await service.start();
      await expectNoTraces(texts);
    },
    PROCESS_TEST_TIMEOUT,
  );

  it(
    'killed between the destruction of the key and its record',
    async () => {
      const { document, texts } = await negotiate(30);
      await service.kill();
      const keys = await openSqliteKeyStore(join(service.folder, 'keys.db'), { randomBytes });
      await keys.destroy(interactionStream(document.interactionId));
      await keys.close();
      await service.start();
      await untilErased(document);
      await expectNoTraces(texts);
    },
    PROCESS_TEST_TIMEOUT,
  );
});

it('the search finds a text in each of its spellings, wherever it begins', async () => {
  const text = marker('spelling');
  const json = JSON.stringify(text);
  const spellings = [
    text,
    json,
    json.replace(
      /[^ -~]/gu,
      (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    ),
    ...['', 'a', 'ab', 'abc'].flatMap((before) => [
      Buffer.from(`${before}${text}and more`).toString('base64'),
      Buffer.from(`${before}${json}`).toString('base64url'),
    ]),
  ];
  for (const spelling of spellings) {
    const folder = await mkdtemp(join(tmpdir(), 'traces-'));
    await mkdir(join(folder, 'within'));
    await writeFile(join(folder, 'within', 'file'), `x${spelling}y`);
    expect([spelling, await tracesIn(folder, [text])]).toEqual([spelling, [`file: ${text}`]]);
    await rm(folder, { recursive: true });
  }
});
