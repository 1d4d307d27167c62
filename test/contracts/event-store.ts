import { describe, expect, it } from '@jest/globals';
import { describeAppending } from './event-store/appending.js';
import { describeBasis } from './event-store/basis.js';
import type { LogFactory } from './event-store/fixture.js';
import { describeProcesses } from './event-store/processes.js';
import { describeReading } from './event-store/reading.js';
import { describeSubscribing } from './event-store/subscribing.js';

/**
 * Every guarantee of the event store port, for any adapter. Run it in a spec file of the adapter's
 * own, with a factory of fresh logs.
 * @param engine what it leaves to its server; the cases of that are left out, and the suite's name says so.
 * - `flushing`: who decides when an append is on disk. Of a server that does, nothing can be asked.
 * - `commits`: to several streams at once, or to one: then races for others' heads may go unnoticed.
 */
export function describeEventStore(
  name: string,
  makeLog: LogFactory,
  engine: {
    readonly flushing: 'by-engine' | 'by-server';
    readonly commits: 'to-streams' | 'to-one-stream';
  } = { flushing: 'by-engine', commits: 'to-streams' },
): void {
  const untested = [
    ...(engine.flushing === 'by-server' ? [', save for flushing, which its server decides'] : []),
    ...(engine.commits === 'to-one-stream' ? [', and for races for the heads of others'] : []),
  ].join('');
  describe(`the event store port on ${name}${untested}`, () => {
    describe('appending', () => {
      describeAppending(makeLog);
    });
    describe('a basis', () => {
      describeBasis(makeLog, engine.commits === 'to-streams');
    });
    describe('reading', () => {
      describeReading(makeLog);
    });
    describe('subscribing', () => {
      describeSubscribing(makeLog);
    });
    describe('several processes', () => {
      describeProcesses(makeLog);
    });
    if (engine.flushing === 'by-server') return;
    describe('durability', () => {
      it('has the engine flush each commit before it is acknowledged', async () => {
        const log = await makeLog();
        expect(await log.unsafeSettings?.()).toEqual([]);
        await log.dispose();
      });
    });
  });
}
