import { afterEach, describe, expect, it } from '@jest/globals';
import { InProcessBackend } from '../../../src/invocations/backends/in-process-backend.js';
import { capability, partner } from '../../capabilities/support/capabilities.js';
import { TokenKeys } from '../../invocations/backends/support/token-keys.js';
import { eventually } from '../../support/eventually.js';
import {
  DIRECT,
  Messaging,
  saying,
  type Handle,
  type MessagingOptions,
} from '../support/messaging.js';

let messaging: Messaging;

const limits = { max_concurrent: 1 };
const directInvoke = {
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  backend: {},
  allowUnauthenticated: false,
};

async function open(handle: Handle, more: Partial<MessagingOptions> = {}): Promise<void> {
  messaging = await Messaging.open({
    capabilities: [capability('echo', { limits, directInvoke })],
    handlers: { 'handler.echo': handle },
    ...more,
  });
}

afterEach(async () => {
  await messaging.close();
});

const hasty = () => ({ ...saying('hello'), configuration: { returnImmediately: true } });

/** How many ran at once, at most; each until it is let go. */
class Crowd {
  #inside = 0;
  most = 0;
  #leave: (() => void)[] = [];

  async enter(): Promise<void> {
    this.most = Math.max(this.most, ++this.#inside);
    await new Promise<void>((resolve) => this.#leave.push(resolve));
    this.#inside--;
  }

  letGo(): void {
    for (const leave of this.#leave.splice(0)) leave();
  }
}

const busy = { error: 'Unavailable', code: 'capability-busy' };

describe('a handler that does not mind its signal', () => {
  it('keeps its place after its task was canceled, until it has really ended', async () => {
    const crowd = new Crowd();
    await open(async function* () {
      await crowd.enter();
      yield { kind: 'completed' };
    });
    const { id } = await messaging.taskOf(hasty());
    expect(await messaging.cancel(id)).toBe(true);
    await eventually(() => messaging.ledger.ends[0] === 'canceled');
    for (let time = 0; time < 5; time++) {
      expect(await messaging.refusalOf(saying('hello'))).toMatchObject(busy);
    }
    crowd.letGo();
    await eventually(async () =>
      messaging.taskOf(hasty()).then(
        () => true,
        () => false,
      ),
    );
    crowd.letGo();
    expect(crowd.most).toBe(1);
  });

  it('keeps it while it cleans up', async () => {
    const crowd = new Crowd();
    await open(async function* () {
      try {
        yield { kind: 'working' };
        // The task holds no event that makes no sense.
        yield { kind: 'nonsense' } as never;
      } finally {
        await crowd.enter();
      }
    });
    expect(await messaging.refusalOf(saying('hello'))).toMatchObject({ code: 'handler-broken' });
    expect(await messaging.refusalOf(saying('hello'))).toMatchObject(busy);
    crowd.letGo();
    await eventually(async () => (await messaging.refusalOf(saying('x'))).code !== busy.code);
    crowd.letGo();
  });

  it('keeps it behind a direct invoke, too', async () => {
    const crowd = new Crowd();
    const keys = await TokenKeys.open();
    const invoke = async () => crowd.enter().then(() => ({}));
    const backend = new InProcessBackend({}, { invoke }, keys.tokens());
    await open(async function* () {}, {
      backends: { 'handler.echo': backend },
      executionTimeoutMs: 60,
    });
    const call = { callId: 'c', skillId: 'echo', arguments: {}, bypassModel: true };
    const send = async (): Promise<unknown> => {
      const params = saying('', { extensions: [DIRECT], metadata: { [DIRECT]: call } });
      const request = messaging.request(partner(), undefined, [DIRECT]);
      const sent = await messaging.messages.send(request, params);
      return sent.ok ? 'task' : sent.error.metadata?.['refusal'];
    };
    expect(await send()).toBe('timed-out');
    expect(await send()).toBe('capability-busy');
    crowd.letGo();
    await eventually(async () => (await send()) === 'timed-out');
    crowd.letGo();
    expect(crowd.most).toBe(1);
    await keys.dispose();
  });

  it('keeps it no longer than ten seconds after its deadline, if it never ends', async () => {
    await open(
      // eslint-disable-next-line require-yield -- it says nothing, for ever
      async function* () {
        await new Promise(() => undefined);
      },
      { executionTimeoutMs: 100 },
    );
    expect((await messaging.taskOf(saying('hello'))).status.state).toBe('TASK_STATE_FAILED');
    expect(await messaging.refusalOf(saying('hello'))).toMatchObject(busy);
    await eventually(
      async () =>
        messaging.taskOf(hasty()).then(
          () => true,
          () => false,
        ),
      12_000,
    );
  }, 20_000);
});

it('one that ends has left its place before anybody is answered', async () => {
  await open(async function* () {
    yield { kind: 'completed' };
  });
  for (let time = 0; time < 20; time++) await messaging.taskOf(saying('hello'));
});
