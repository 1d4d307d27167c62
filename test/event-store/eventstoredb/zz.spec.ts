import { it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent, ANY, STREAM_EXISTS } from '@eventstore/db-client';
import { EventStoreDouble } from '../../support/eventstoredb/double.js';
it('x', async () => {
  const double = await EventStoreDouble.start();
  const client = EventStoreDBClient.connectionString(double.connectionString as never);
  const e = jsonEvent({ type: 't', data: {} });
  for (const [expectedRevision, credentials] of [[ANY, undefined], [STREAM_EXISTS, undefined], [ANY, { username: 'a', password: 'b' }]] as const) {
    const t = Date.now();
    const r = await client.appendToStream('s', [e], { expectedRevision, ...(credentials ? { credentials } : {}) }).catch((x: unknown) => x);
    console.log(String(r), Date.now() - t);
  }
  await client.dispose(); await double.stop();
}, 30000);
