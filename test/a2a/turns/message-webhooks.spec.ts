import { afterEach, describe, expect, it } from '@jest/globals';
import type { CapabilityChanges } from '../../capabilities/support/capabilities.js';
import { ownerOf } from '../../../src/a2a/tasks/owner-of.js';
import type { SendMessageRequest } from '../../../src/a2a/wire/types.js';
import { capability, FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { eventually } from '../../support/eventually.js';
import { Messaging, saying } from '../support/messaging.js';

/** Nobody is there: what matters is what is stored. */
const HOOK = 'http://127.0.0.1:1024/hook';
const OWNER = ownerOf(partner(), 'secret');

let messaging: Messaging;
let release: () => void;

/** `start` asks for more; `hold` waits for {@link release}. */
async function open(changes: CapabilityChanges = {}): Promise<void> {
  const held = new Promise<void>((resolve) => (release = resolve));
  messaging = await Messaging.open({
    capabilities: [capability('echo', changes)],
    handlers: {
      'handler.echo': async function* ({ message: { parts } }) {
        if (parts[0]?.text === 'start') yield { kind: 'input-required' };
        if (parts[0]?.text === 'hold') await held;
      },
    },
  });
}

afterEach(async () => {
  release();
  await messaging.close();
});

function telling(params: SendMessageRequest, url = HOOK, id = 'mine'): SendMessageRequest {
  return { ...params, configuration: { taskPushNotificationConfig: { id, url } } };
}

async function hooksOf(taskId: string): Promise<readonly (string | undefined)[]> {
  const listed = await messaging.service.pushConfigs.list(OWNER, FINANCE, taskId, {});
  if (!listed.ok) throw new Error(JSON.stringify(listed.error));
  return listed.value.configs.map(({ id }) => id);
}

describe('a webhook that comes with a message to a task', () => {
  it('is stored with the turn', async () => {
    await open();
    const { id } = await messaging.taskOf(saying('start'));
    await messaging.taskOf(telling(saying('start', { taskId: id })));
    expect(await hooksOf(id)).toEqual(['mine']);
    // As before, it may be set anew under its id.
    await messaging.taskOf(telling(saying('done', { taskId: id }), `${HOOK}/other`));
    const found = await messaging.service.pushConfigs.get(OWNER, FINANCE, id, 'mine');
    expect(found).toMatchObject({ ok: true, value: { url: `${HOOK}/other` } });
  });

  it.each([
    ['many-parts', 'too-many-parts'],
    ['ended', 'task-ended'],
    ['busy', 'capability-busy'],
    ['under-way', 'turn-under-way'],
    ['overtaken', 'task-ended'],
  ])('is not left behind by a message that is refused: %s', async (why, code) => {
    await open({ limits: { max_parts: 2, max_concurrent: 1 } });
    const { id } = await messaging.taskOf(saying('start'));
    await eventually(() => messaging.ledger.ends[0] === 'succeeded');
    const atOnce = { configuration: { returnImmediately: true } };
    let params = saying('done', { taskId: id });
    if (why === 'many-parts') {
      params = saying('', { taskId: id, parts: [{ text: '1' }, { text: '2' }, { text: '3' }] });
    }
    if (why === 'ended') await messaging.cancel(id);
    if (why === 'busy') await messaging.taskOf({ ...saying('hold'), ...atOnce });
    if (why === 'under-way')
      await messaging.taskOf({ ...saying('hold', { taskId: id }), ...atOnce });
    if (why === 'overtaken') {
      // The task is canceled between the look at it and the append.
      const head = messaging.registry.head.bind(messaging.registry);
      messaging.registry.head = async (...address) => {
        await messaging.cancel(id);
        return head(...address);
      };
    }
    expect(await messaging.refusalOf(telling(params))).toMatchObject({ code });
    expect(await hooksOf(id)).toEqual([]);
  });

  it('is refused as one too many, and then its message, too', async () => {
    await open();
    const { id } = await messaging.taskOf(saying('start'));
    for (let each = 0; each < 16; each++) {
      const config = { id: `hook-${each}`, url: HOOK };
      expect((await messaging.service.pushConfigs.set(OWNER, FINANCE, id, config)).ok).toBe(true);
    }
    expect(await messaging.refusalOf(telling(saying('done', { taskId: id })))).toMatchObject({
      error: 'InvalidParams',
      code: 'too-many-push-configs',
    });
    expect(messaging.calls).toHaveLength(1);
    const anew = telling(saying('done', { taskId: id }), HOOK, 'hook-3');
    expect((await messaging.taskOf(anew)).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('a webhook that cannot be told', () => {
  it('is pointed at where it stands in the params', async () => {
    await open();
    const { id } = await messaging.taskOf(saying('start'));
    for (const params of [saying('new'), saying('done', { taskId: id })]) {
      const hostile = telling(params, 'http://10.0.0.1/hook');
      const sent = await messaging.messages.send(messaging.request(partner()), hostile);
      const pointer = '/configuration/taskPushNotificationConfig/url';
      expect(sent).toMatchObject({
        ok: false,
        error: { error: 'InvalidParams', faults: [{ pointer }] },
      });
      expect(JSON.stringify(sent)).toContain(`"detail":"${pointer} `);
    }
    expect(messaging.calls).toHaveLength(1);
  });
});
