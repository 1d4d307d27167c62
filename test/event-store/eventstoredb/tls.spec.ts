import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openEventStoreDb } from '../../../src/event-store/eventstoredb/eventstoredb-event-store.js';
import { EventStoreUnavailable } from '../../../src/event-store/port.js';
import { envelopes, freshStream } from '../../contracts/support/envelopes.js';
import { idsOf, value } from '../../contracts/support/reading.js';
import { EventStoreDouble } from '../../support/eventstoredb/double.js';
import { selfSigned } from '../../support/self-signed.js';

const SECRET = 'tr0ub4dor';

describe('the EventStoreDB engine over TLS', () => {
  const [own, foreign] = [selfSigned(), selfSigned()];
  let folder: string;
  let double: EventStoreDouble;
  let proxy: Server;
  let sent: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-tls-'));
    await writeFile(join(folder, 'own.crt'), own.cert);
    await writeFile(join(folder, 'foreign.crt'), foreign.cert);
    double = await EventStoreDouble.start();
    double.leader.moments.called = (_, metadata) => {
      sent = String(metadata.get('authorization')[0]);
    };
    proxy = createServer({ ...own, ALPNProtocols: ['h2'] }, (client) => {
      const node = connect(double.leader.wire.port, '127.0.0.1');
      client.pipe(node).pipe(client);
      client.on('error', () => node.destroy());
      node.on('error', () => client.destroy());
    });
    // Clients that do not trust it.
    proxy.on('tlsClientError', () => undefined);
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });

  afterAll(async () => {
    proxy.close();
    await double.stop();
    await rm(folder, { recursive: true });
  });

  const open = (options: string, host = 'localhost', patienceMs = 500) => {
    const { port } = proxy.address() as AddressInfo;
    const connectionString = `esdb://admin:${SECRET}@${host}:${String(port)}?tls=true${options}`;
    return openEventStoreDb(connectionString, { patienceMs });
  };

  it('trusts the certificate that tlsCAFile names, and shows who it is', async () => {
    const store = await open(`&tlsCAFile=${join(folder, 'own.crt')}`, 'localhost', 10_000);
    const [stream, events] = [freshStream(), envelopes(2)];
    value(await store.append(stream, 'no-stream', events));
    expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
    expect(sent).toBe(`Basic ${Buffer.from(`admin:${SECRET}`).toString('base64')}`);
    await store.close();
  });

  it.each([
    ['another authority', 'localhost', 'foreign.crt'],
    ['the authorities of the system', 'localhost', undefined],
    ['another host', '127.0.0.1', 'own.crt'],
  ])('refuses it with %s, and says that it is the certificate', async (_, host, file) => {
    const options = file === undefined ? '' : `&tlsCAFile=${join(folder, file)}`;
    const refusal = await open(options, host).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    expect(refusal).toBeInstanceOf(EventStoreUnavailable);
    expect(refusal?.message).toMatch(/^the certificate of EventStoreDB is refused: .*tlsCAFile/);
    expect(String(refusal?.cause)).not.toContain(SECRET);
  });
});
