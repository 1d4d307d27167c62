import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { envelope, freshStream } from '../../contracts/support/envelopes.js';
import { EventStoreDouble } from '../../support/eventstoredb/double.js';

const TUNED =
  'nodePreference=random&gossipTimeout=3000&maxDiscoverAttempts=3&discoveryInterval=50' +
  '&keepAliveInterval=10000&keepAliveTimeout=5000&connectionName=countersign';

let double: EventStoreDouble;

beforeEach(async () => {
  double = await EventStoreDouble.start({ size: 3 });
});

afterEach(async () => {
  await double.stop();
});

const portOf = (node: number): string => String(double.nodes[node]?.wire.port);

it.each([
  ['a name behind which a follower is', () => `esdb+discover://localhost:${portOf(1)}?tls=false`],
  ['a follower as one to ask', () => `kurrentdb+discover://127.0.0.1:${portOf(1)}?tls=false`],
  ['a follower alone', () => `kurrentdb://127.0.0.1:${portOf(1)}?tls=false`],
  ['followers preferred', () => `${double.connectionString}&nodePreference=follower`],
  ['replicas preferred', () => `${double.connectionString}&nodePreference=read_only_replica`],
  ['every option that is allowed', () => `${double.connectionString}&${TUNED}`],
])('an address of a cluster leads to its leader, also to the next one: %s', async (_, address) => {
  const store = await openEventStoreDb(address(), { patienceMs: 3_000 });
  const stream = freshStream();
  expect(await store.append(stream, 'no-stream', [envelope()])).toMatchObject({ ok: true });
  double.elect(2);
  expect(await store.append(stream, 0, [envelope()])).toMatchObject({ ok: true });
  expect(await store.readStream(stream)).toHaveLength(2);
  await store.close();
});
