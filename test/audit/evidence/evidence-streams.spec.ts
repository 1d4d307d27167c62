import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, it } from '@jest/globals';
import { EvidenceStreams } from '../../../src/audit/evidence/evidence-streams.js';
import { reader } from '../replay/support/golden-replay.js';

const reply = (): Pick<FastifyReply, 'raw'> =>
  ({ raw: new EventEmitter() }) as unknown as Pick<FastifyReply, 'raw'>;

it('two per caller, and eight of a node', () => {
  const streams = new EvidenceStreams();
  for (const tenant of ['a', 'b', 'c', 'd']) {
    const caller = reader(tenant);
    streams.open(caller, reply());
    const { close } = streams.open(caller, reply());
    expect(() => streams.open(caller, reply())).toThrow('too-many-streams');
    close();
    streams.open(caller, reply());
  }
  expect(() => streams.open(reader('e'), reply())).toThrow('too-many-streams');
});
