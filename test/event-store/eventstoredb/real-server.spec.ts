import { describe, expect, it } from '@jest/globals';
import { describeEventStore } from '../../contracts/event-store.js';
import { makeServerLog } from './event-store-fixture.js';

/** A server or cluster that may keep what the tests write: `esdb://…`. */
const url = process.env['EVENTSTORE_URL'];

if (url === undefined) {
  const note = 'not run against a real server: EVENTSTORE_URL is not set';
  process.stderr.write(`the event store port on EventStoreDB: ${note}\n`);
  describe('the event store port on EventStoreDB (a real server)', () => {
    it(note, () => {
      expect(process.env).not.toHaveProperty('EVENTSTORE_URL');
    });
  });
} else {
  describeEventStore('EventStoreDB (a real server)', () => makeServerLog(url), 'by-server');
}
