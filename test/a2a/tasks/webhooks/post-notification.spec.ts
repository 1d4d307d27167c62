import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  postNotification,
  type PostOutcome,
} from '../../../../src/a2a/tasks/webhooks/post-notification.js';
import type { PushConfig } from '../../../../src/a2a/tasks/domain/push-config.js';
import { WebhookReceiver, type Answer } from '../support/webhook-receiver.js';

const FOREVER = new AbortController().signal;
const CONFIG: PushConfig = { id: 'hook', url: '' };

let receiver: WebhookReceiver;

afterEach(async () => {
  await receiver.close();
});

async function post(
  answer: Answer,
  config: PushConfig = CONFIG,
  { hostname = '127.0.0.1', signal = FOREVER } = {},
): Promise<PostOutcome> {
  receiver = await WebhookReceiver.open(() => answer);
  const url = new URL(`http://${hostname}:${String(receiver.port)}/hook?q=1`);
  return postNotification({ url, addresses: ['127.0.0.1'] }, config, 'd-1', '{"a":1}', signal);
}

describe('a notification', () => {
  it('is a POST of A2A JSON with what the webhook asked for', async () => {
    const config: PushConfig = {
      ...CONFIG,
      token: 'a-token',
      authentication: { scheme: 'Bearer', credentials: 'secret' },
    };
    expect(await post(204, config)).toEqual({ kind: 'taken' });
    expect(receiver.received[0]).toMatchObject({
      path: '/hook?q=1',
      body: { a: 1 },
      headers: {
        'content-type': 'application/a2a+json',
        'content-length': '7',
        'a2a-version': '1.0',
        'x-a2a-notification-token': 'a-token',
        authorization: 'Bearer secret',
        'x-countersign-delivery': 'd-1',
      },
    });
  });

  it('carries no header that was not asked for', async () => {
    await post(200);
    expect(receiver.received[0]?.headers).not.toHaveProperty('authorization');
    expect(receiver.received[0]?.headers).not.toHaveProperty('x-a2a-notification-token');
  });

  it('goes to the address that was judged, whatever the name says meanwhile', async () => {
    // No resolver knows this name.
    expect(await post(200, CONFIG, { hostname: 'rebound.invalid' })).toEqual({ kind: 'taken' });
    expect(receiver.received[0]?.headers.host).toBe(`rebound.invalid:${String(receiver.port)}`);
  });
});

describe('an answer', () => {
  it.each([408, 425, 429, 500, 502, 503, 599])('of %i means later', async (status) => {
    expect(await post(status)).toEqual({
      kind: 'later',
      reason: `status ${String(status)}`,
      retryAfterMs: null,
    });
  });

  it.each([300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 410])(
    'of %i means never, and is not followed',
    async (status) => {
      const target = await WebhookReceiver.open();
      const outcome = await post({ status, headers: { location: target.url() } });
      expect(outcome).toMatchObject({ kind: 'refused' });
      expect(target.received).toEqual([]);
      await target.close();
    },
  );

  it.each([
    ['7', 7000],
    ['0', 0],
    ['-1', null],
    ['1e3', null],
    ['99999999999', null],
    ['Wed, 21 Oct 2030 07:28:00 GMT', null],
  ])('may ask for a pause: %s', async (value, retryAfterMs) => {
    const outcome = await post({ status: 503, headers: { 'retry-after': value } });
    expect(outcome).toMatchObject({ kind: 'later', retryAfterMs });
  });

  it('that does not end costs nothing', async () => {
    const body = 'x'.repeat(5 * 1024 * 1024);
    expect(await post({ status: 200, headers: {}, body })).toEqual({ kind: 'taken' });
  });

  it('that does not come is waited for until the signal', async () => {
    const signal = AbortSignal.timeout(100);
    expect(await post('never', CONFIG, { signal })).toMatchObject({ kind: 'later' });
  });

  it('in another protocol is none', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
        ),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    receiver = await WebhookReceiver.open();
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${String(port)}/`);
    const outcome = await postNotification(
      { url, addresses: ['127.0.0.1'] },
      CONFIG,
      'd',
      '{}',
      FOREVER,
    );
    expect(outcome).toMatchObject({ kind: 'later' });
    server.close();
  });

  it('of nobody means later, and names no address', async () => {
    receiver = await WebhookReceiver.open();
    const { port } = receiver;
    await receiver.close();
    receiver = await WebhookReceiver.open();
    const url = new URL(`http://127.0.0.1:${String(port)}/`);
    const target = { url, addresses: ['127.0.0.1'] as const };
    const outcome = await postNotification(target, CONFIG, 'd', '{}', FOREVER);
    expect(outcome).toEqual({ kind: 'later', reason: 'ECONNREFUSED', retryAfterMs: null });
  });
});
