import { describe, expect, it } from '@jest/globals';
import { describeAppending } from './event-store/appending.js';
import type { LogFactory } from './event-store/fixture.js';
import { describeProcesses } from './event-store/processes.js';
import { describeReading } from './event-store/reading.js';
import { describeSubscribing } from './event-store/subscribing.js';

/**
 * Every guarantee of the event store port, for any adapter. Run it in a spec file of the adapter's
 * own, with a factory of fresh logs.
 * @param flushing who decides when an append is on disk. Of a server that does, nothing can be asked:
 * the case is left out, and the suite's name says so.
 */
export function describeEventStore(
  name: string,
  makeLog: LogFactory,
  flushing: 'by-engine' | 'by-server' = 'by-engine',
): void {
  const untested = flushing === 'by-server' ? ', save for flushing, which its server decides' : '';
  describe(`the event store port on ${name}${untested}`, () => {
    describe('appending', () => {
      describeAppending(makeLog);
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
    if (flushing === 'by-server') return;
    describe('durability', () => {
      it('has the engine flush each commit before it is acknowledged', async () => {
        const log = await makeLog();
        expect(await log.unsafeSettings?.()).toEqual([]);
        await log.dispose();
      });
    });
  });
}
