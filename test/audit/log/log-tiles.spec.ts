import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { expect, it } from '@jest/globals';
import { LogTilesController } from '../../../src/audit/log/log-tiles.controller.js';
import { ThreadedLog } from './support/threaded-log.js';

it('says before the first checkpoint that there is none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tiles-'));
  const log = await ThreadedLog.open(folder);
  await log.says(/"state":"signing"/);
  const answer = new LogTilesController(log.log).checkpoint({} as FastifyReply);
  await expect(answer).rejects.toMatchObject({
    rejection: { code: 'beyond-checkpoint', detail: 'nothing has been published yet' },
  });
  await log.close();
  await rm(folder, { recursive: true });
}, 30_000);
