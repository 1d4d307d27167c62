import { it } from '@jest/globals';
import { describeEventStore } from '../../contracts/event-store.js';
import { makeServerLog } from './event-store-fixture.js';

/** A server or cluster that may keep what the tests write: `esdb://…`. */
const url = process.env['EVENTSTORE_URL'];

if (url === undefined) {
  const note = 'not run against a real server: EVENTSTORE_URL is not set';
  process.stderr.write(`the event store port on EventStoreDB: ${note}\n`);
  // eslint-disable-next-line no-restricted-syntax -- Jest reports what was not run, and no pass of it.
  it.skip(`the event store port on EventStoreDB is ${note}`, () => undefined);
} else {
  describeEventStore('EventStoreDB (a real server)', () => makeServerLog(url), {
    flushing: 'by-server',
    commits: 'to-one-stream',
  });
}
