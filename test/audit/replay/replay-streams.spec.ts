import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, it } from '@jest/globals';
import { ReplayStreams } from '../../../src/audit/replay/replay-streams.js';
import { eventually } from '../../support/eventually.js';
import { reader } from './support/golden-replay.js';

const LIMITS = { perNode: 3, perOwner: 2 };
const ALICE = reader('a');

function reply(): Pick<FastifyReply, 'raw'> {
  const raw = Object.assign(new EventEmitter(), { writableFinished: false });
  return { raw } as unknown as Pick<FastifyReply, 'raw'>;
}

it('ends a stream that is too old', async () => {
  const { signal, close } = new ReplayStreams(LIMITS, 20).open(ALICE, reply());
  expect(signal.aborted).toBe(false);
  await eventually(() => signal.aborted);
  close();
});

it('ends a stream whose client is gone', () => {
  const { raw } = reply();
  const { signal, close } = new ReplayStreams(LIMITS).open(ALICE, { raw });
  raw.emit('close');
  expect(signal.aborted).toBe(true);
  close();
});

it('ends all with the node', () => {
  const streams = new ReplayStreams(LIMITS);
  const opened = [streams.open(ALICE, reply()), streams.open(reader('b'), reply())];
  streams.onModuleDestroy();
  expect(opened.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  for (const { close } of opened) close();
});

it('gives the place of an ended stream to another', () => {
  const streams = new ReplayStreams(LIMITS);
  const [first] = [streams.open(ALICE, reply()), streams.open(ALICE, reply())];
  expect(() => streams.open(ALICE, reply())).toThrow('too-many-streams');
  first.close();
  first.close();
  streams.open(ALICE, reply()).close();
  expect(() => streams.open(ALICE, reply())).not.toThrow();
});
