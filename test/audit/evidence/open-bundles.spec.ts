import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, it } from '@jest/globals';
import { OpenBundles } from '../../../src/audit/evidence/open-bundles.js';
import { reader } from '../replay/support/golden-replay.js';

const reply = (): Pick<FastifyReply, 'raw'> =>
  ({ raw: new EventEmitter() }) as unknown as Pick<FastifyReply, 'raw'>;

it('two per caller, and eight of a node', () => {
  const bundles = new OpenBundles();
  for (const tenant of ['a', 'b', 'c', 'd']) {
    const caller = reader(tenant);
    bundles.open(caller, reply());
    const { close } = bundles.open(caller, reply());
    expect(() => bundles.open(caller, reply())).toThrow('too-many-streams');
    close();
    bundles.open(caller, reply());
  }
  expect(() => bundles.open(reader('e'), reply())).toThrow('too-many-streams');
});
