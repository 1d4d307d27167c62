import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import type { SendMessageRequest } from '../../../src/a2a/wire/types.js';
import { capability } from '../../capabilities/support/capabilities.js';
import { Messaging, saying, TRUST } from '../support/messaging.js';

const AT = `/metadata/${TRUST.replaceAll('/', '~1')}`;
const CLAIM = { interactionId: 'no-such-interaction', termsHash: 'x' };

let messaging: Messaging;

beforeEach(async () => {
  messaging = await Messaging.open({
    capabilities: [capability('echo')],
    handlers: {
      'handler.echo': async function* (): AsyncGenerator<HandlerEvent> {
        yield { kind: 'input-required' };
      },
    },
  });
});

afterEach(async () => {
  await messaging.close();
});

const CLAIMING: readonly (readonly [string, (taskId?: string) => SendMessageRequest])[] = [
  [`/message${AT}`, (taskId) => to(taskId, { metadata: { [TRUST]: CLAIM } })],
  [`/message${AT}`, (taskId) => to(taskId, { metadata: { [TRUST]: null } })],
  [AT, (taskId) => ({ ...to(taskId), metadata: { [TRUST]: {} } })],
  ['/message/extensions', (taskId) => to(taskId, { extensions: ['urn:x', TRUST] })],
];

function to(taskId: string | undefined, more = {}): SendMessageRequest {
  return saying('hello', taskId === undefined ? more : { taskId, ...more });
}

describe('a message that names a contract', () => {
  it.each(CLAIMING)('at %s is refused before anything is recorded', async (pointer, claiming) => {
    const params = claiming();
    const { error, code, text } = await messaging.refusalOf(params);
    expect([error, code]).toEqual(['InvalidParams', 'contract-not-checked']);
    expect(text).toContain(`"pointer":"${pointer}"`);
    const streamed = await messaging.messages.stream(messaging.request(null), params);
    expect(streamed).toMatchObject({ ok: false, error: { code: 'contract-not-checked' } });
    expect(messaging.calls).toHaveLength(0);
    expect(messaging.ledger.admissions).toHaveLength(0);
  });

  it.each(CLAIMING)('at %s is refused when it goes on with a task, too', async (_, claiming) => {
    const { id } = await messaging.taskOf(saying('hello'));
    expect(await messaging.refusalOf(claiming(id))).toMatchObject({ code: 'contract-not-checked' });
    expect(messaging.calls).toHaveLength(1);
  });

  it('is known by the exact URI alone', async () => {
    const metadata = { [`${TRUST}/`]: CLAIM, trust: CLAIM };
    const { status } = await messaging.taskOf(saying('hello', { metadata }));
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });
});
