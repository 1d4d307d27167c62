import { describe, expect, it } from '@jest/globals';
import * as requests from '../../../src/a2a/wire/requests.js';
import type { Read } from '../../../src/a2a/wire/reading.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import type { Json, JsonObject } from '../../../src/kernel/json.js';

const AGENT = 'finance-agent' as AgentId;
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };

function read<T>(reader: Read<T>, params: Json): Json {
  const result = requests.readRequest(reader, params, AGENT);
  if (result.ok) return result.value as Json;
  expect(result.error.error).toBe('InvalidParams');
  return (result.error.faults ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`);
}

const send = (message: JsonObject, more: JsonObject = {}): Json =>
  read(requests.sendMessageRequest, { message: { ...MESSAGE, ...message }, ...more });

describe('a message', () => {
  it('is read as sent when nothing is wrong with it', () => {
    const message = {
      ...MESSAGE,
      contextId: 'c',
      taskId: 't',
      metadata: { a: { b: [1, null] } },
      extensions: ['urn:x'],
      referenceTaskIds: ['t-2'],
      parts: [
        { text: '' },
        { raw: 'AQID', mediaType: 'application/pdf', filename: 'a b.pdf' },
        { url: 'https://x.example/a', mediaType: 'text/plain; charset=utf-8' },
        { data: null, metadata: {} },
        { data: [0, false, ''] },
      ],
    };
    expect(send(message)).toEqual({ message });
  });

  it('may be spelled as the proto file does', () => {
    const { messageId, ...rest } = MESSAGE;
    const message = { ...rest, message_id: messageId, context_id: 'c', reference_task_ids: ['t'] };
    expect(read(requests.sendMessageRequest, { message })).toEqual({
      message: { ...MESSAGE, contextId: 'c', referenceTaskIds: ['t'] },
    });
    expect(send({ message_id: 'm' })).toEqual([
      '/message/message_id is given under two spellings of its name',
    ]);
  });

  it('has no null, empty or unknown members when it is read', () => {
    const message = {
      contextId: '',
      taskId: null,
      extensions: [],
      kind: 'message',
      metadata: null,
    };
    expect(send(message, { configuration: null, unknown: 1 })).toEqual({ message: MESSAGE });
  });

  it('may name its role by number', () => {
    expect(send({ role: 1 })).toEqual({ message: MESSAGE });
    expect(send({ role: 2 })).toEqual([
      '/message/role must be ROLE_USER: only the agent is ROLE_AGENT',
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ['no id', { messageId: null }, '/message/messageId is missing or empty'],
    ['an empty id', { messageId: '' }, '/message/messageId is missing or empty'],
    [
      'a long id',
      { messageId: 'x'.repeat(256) },
      '/message/messageId must be at most 255 characters long',
    ],
    [
      'an id of two lines',
      { messageId: 'a\nb' },
      '/message/messageId must not contain control characters',
    ],
    ['a number as id', { messageId: 1 }, '/message/messageId must be a string'],
    ['no role', { role: null }, '/message/role is missing or empty'],
    ['the unspecified role', { role: 'ROLE_UNSPECIFIED' }, '/message/role is missing or empty'],
    ['the old role', { role: 'user' }, '/message/role must be one of ROLE_USER, ROLE_AGENT'],
    [
      "the agent's role",
      { role: 'ROLE_AGENT' },
      '/message/role must be ROLE_USER: only the agent is ROLE_AGENT',
    ],
    ['no parts', { parts: null }, '/message/parts is missing or empty'],
    ['empty parts', { parts: [] }, '/message/parts is missing or empty'],
    ['parts that are none', { parts: { text: 'x' } }, '/message/parts must be an array'],
    [
      'too many parts',
      { parts: Array.from({ length: 129 }, () => ({ text: '' })) },
      '/message/parts must have at most 128 elements',
    ],
    ['a part that is null', { parts: [null] }, '/message/parts/0 must be an object'],
    [
      'an empty part',
      { parts: [{}] },
      '/message/parts/0 must have exactly one of text, raw, url and data',
    ],
    [
      'a part with two contents',
      { parts: [{ text: 'x', data: null }] },
      '/message/parts/0 must have exactly one of text, raw, url and data',
    ],
    ['a text that is none', { parts: [{ text: 1 }] }, '/message/parts/0/text must be a string'],
    ['a URL that is none', { parts: [{ url: 'x' }] }, '/message/parts/0/url is not a URI'],
    ['bytes that are none', { parts: [{ raw: 'A*==' }] }, '/message/parts/0/raw is not base64'],
    ['unused bits', { parts: [{ raw: 'AR==' }] }, '/message/parts/0/raw is not base64'],
    ['a line break in bytes', { parts: [{ raw: 'AQ\nID' }] }, '/message/parts/0/raw is not base64'],
    [
      'a media type that is none',
      { parts: [{ text: '', mediaType: 'pdf' }] },
      '/message/parts/0/mediaType is not a media type',
    ],
    [
      'a media range',
      { parts: [{ text: '', mediaType: 'image/*' }] },
      '/message/parts/0/mediaType is not a media type',
    ],
    ['metadata that is none', { metadata: [] }, '/message/metadata must be an object'],
    ['an empty extension', { extensions: [''] }, '/message/extensions/0 must not be empty'],
  ])('%s', (_, message, fault) => {
    expect(send(message)).toEqual([fault]);
  });

  it.each([
    ['AQIDBA==', 'AQIDBA=='],
    ['AQIDBA', 'AQIDBA=='],
    ['-_-_', '+/+/'],
    ['', ''],
  ])('bytes %s are kept as %s', (raw, kept) => {
    expect(send({ parts: [{ raw }] })).toEqual({ message: { ...MESSAGE, parts: [{ raw: kept }] } });
  });

  it('tells every fault at once, up to 50', () => {
    expect(send({ messageId: 1, role: 'x', parts: [{ text: 1 }, {}] })).toHaveLength(4);
    const parts = Array.from({ length: 128 }, () => ({ text: 1, url: 1 }));
    expect(send({ parts })).toHaveLength(50);
  });

  it('points no longer than is useful', () => {
    expect(read(requests.sendMessageRequest, { configuration: 1 })).toContain(
      '/configuration must be an object',
    );
  });
});

describe('the configuration of a message', () => {
  const configured = (configuration: JsonObject, message: JsonObject = {}): Json =>
    send(message, { configuration });

  it('is read', () => {
    const configuration = {
      acceptedOutputModes: ['text/plain', 'image/*'],
      historyLength: 3,
      returnImmediately: true,
      taskPushNotificationConfig: {
        url: 'https://hooks.example.com/',
        token: 't',
        authentication: { scheme: 'Bearer', credentials: 'abc def' },
      },
    };
    expect(configured(configuration)).toEqual({ message: MESSAGE, configuration });
    expect(configured({ ...configuration, historyLength: '3' })).toMatchObject({ configuration });
  });

  it.each<[JsonObject, string]>([
    [{ historyLength: -1 }, '/historyLength must be an integer from 0 to 2147483647'],
    [{ historyLength: 1.5 }, '/historyLength must be an integer from 0 to 2147483647'],
    [{ historyLength: '1.5' }, '/historyLength must be an integer from 0 to 2147483647'],
    [{ returnImmediately: 'true' }, '/returnImmediately must be true or false'],
    [{ acceptedOutputModes: 'text/plain' }, '/acceptedOutputModes must be an array'],
    [{ acceptedOutputModes: ['text'] }, '/acceptedOutputModes/0 is not a media range'],
    [{ taskPushNotificationConfig: {} }, '/taskPushNotificationConfig/url is missing or empty'],
    [
      { taskPushNotificationConfig: { url: 'https://x.example', token: 'a\r\nb: c' } },
      '/taskPushNotificationConfig/token must be visible ASCII',
    ],
    [
      { taskPushNotificationConfig: { url: 'https://x.example', token: 'ü' } },
      '/taskPushNotificationConfig/token must be visible ASCII',
    ],
    [
      { taskPushNotificationConfig: { url: 'https://x.example', token: 'x'.repeat(4097) } },
      '/taskPushNotificationConfig/token must be at most 4096 characters long',
    ],
    [
      { taskPushNotificationConfig: { url: 'https://x.example', id: 'a/b' } },
      '/taskPushNotificationConfig/id must be letters, digits or ._:~-',
    ],
    [
      { taskPushNotificationConfig: { url: 'https://x.example', id: 'x'.repeat(129) } },
      '/taskPushNotificationConfig/id must be at most 128 characters long',
    ],
    [
      { taskPushNotificationConfig: { url: `https://x.example/${'x'.repeat(2048)}` } },
      '/taskPushNotificationConfig/url must be at most 2048 characters long',
    ],
    [
      {
        taskPushNotificationConfig: {
          url: 'https://x.example',
          authentication: { scheme: 'Bearer', credentials: 'a\nb' },
        },
      },
      '/taskPushNotificationConfig/authentication/credentials must be visible ASCII',
    ],
    [
      {
        taskPushNotificationConfig: { url: 'https://x.example', authentication: { scheme: 'a b' } },
      },
      '/taskPushNotificationConfig/authentication/scheme is not a scheme',
    ],
    [
      { taskPushNotificationConfig: { url: 'https://x.example', taskId: 't' } },
      "/taskPushNotificationConfig/taskId must be empty or the message's own",
    ],
  ])('%j', (configuration, fault) => {
    expect(configured(configuration)).toEqual([`/configuration${fault}`]);
  });

  it('may repeat the task of its message', () => {
    const taskPushNotificationConfig = { url: 'https://x.example', taskId: 't' };
    expect(configured({ taskPushNotificationConfig }, { taskId: 't' })).toHaveProperty('message');
  });
});

describe('a list of tasks', () => {
  const list = (params: JsonObject): Json => read(requests.listTasksRequest, params);

  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.1Z', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02T03:04:05.123000001Z', '2026-01-02T03:04:05.124Z'],
    ['2026-01-02T03:04:05.999999999Z', '2026-01-02T03:04:06.000Z'],
    ['2026-01-02T05:04:05+02:00', '2026-01-02T03:04:05.000Z'],
  ])('since %s', (statusTimestampAfter, first) => {
    expect(list({ statusTimestampAfter })).toEqual({ statusTimestampAfter: first });
  });

  it.each<[JsonObject, string]>([
    [{ pageSize: 0 }, '/pageSize must be an integer from 1 to 100'],
    [{ pageSize: 101 }, '/pageSize must be an integer from 1 to 100'],
    [{ pageSize: 1.5 }, '/pageSize must be an integer from 1 to 100'],
    [{ historyLength: -1 }, '/historyLength must be an integer from 0 to 2147483647'],
  ])('%j is refused', (params, fault) => {
    expect(list(params)).toEqual([fault]);
  });

  it('tells every fault at once', () => {
    expect(list({ pageSize: 0, historyLength: -1 })).toHaveLength(2);
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-01-02',
    '2026-01-02T03:04:05',
    '2026-01-02T25:00:00Z',
    'now',
    1,
  ])('since %s is refused', (statusTimestampAfter) => {
    expect(list({ statusTimestampAfter })).toEqual([
      '/statusTimestampAfter is not an RFC 3339 timestamp',
    ]);
  });

  it('takes states by name and number', () => {
    expect(list({ status: 'TASK_STATE_AUTH_REQUIRED' })).toEqual({
      status: 'TASK_STATE_AUTH_REQUIRED',
    });
    expect(list({ status: 8 })).toEqual({ status: 'TASK_STATE_AUTH_REQUIRED' });
    expect(list({ status: 0 })).toEqual({});
    expect(list({ status: 9 })).toHaveLength(1);
  });
});

describe('tenant', () => {
  it.each([
    requests.sendMessageRequest,
    requests.getTaskRequest,
    requests.listTasksRequest,
    requests.cancelTaskRequest,
    requests.subscribeToTaskRequest,
    requests.createPushConfigRequest,
    requests.pushConfigRequest,
    requests.listPushConfigsRequest,
    requests.getExtendedAgentCardRequest,
  ])('of request %# is the agent or empty', (reader: Read<unknown>) => {
    const all = { id: 'x', taskId: 'x', url: 'https://x.example', message: MESSAGE };
    for (const tenant of ['', AGENT, null]) {
      expect(read(reader, { ...all, tenant })).not.toHaveProperty('tenant');
      expect(read(reader, { ...all, tenant })).not.toBeInstanceOf(Array);
    }
    for (const tenant of ['other', 1]) {
      expect(read(reader, { ...all, tenant })).toEqual([
        '/tenant must be empty or name the agent of this address',
      ]);
    }
  });
});
