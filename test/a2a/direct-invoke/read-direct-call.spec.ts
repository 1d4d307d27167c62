import { describe, expect, it } from '@jest/globals';
import { readDirectCall } from '../../../src/a2a/direct-invoke/read-direct-call.js';
import { preferredSkill } from '../../../src/a2a/routing/preferred-skill.js';
import type { SendMessageRequest } from '../../../src/a2a/wire/types.js';
import type { Json } from '../../../src/kernel/json.js';
import { DIRECT_URI as URI, TRUST_URI } from '../../capabilities/support/extensions.js';
import { directMessage, payload } from './support/direct-world.js';

const ACTIVATED = { extensions: new Set([URI]) };
const AT = '/message/metadata/https:~1~1example.com~1a2a~1extensions~1skill-direct-invoke~1v1';

function read(params: SendMessageRequest, request = ACTIVATED, uri: string | null = URI) {
  return readDirectCall(request, params, uri);
}

/** Code and pointers with which a message is refused. */
function refused(params: SendMessageRequest): readonly [string | undefined, readonly string[]] {
  const call = read(params);
  if (call.ok) throw new Error('it is not refused');
  const { error, code, metadata, faults = [] } = call.error;
  expect(error).toBe('InvalidParams');
  expect(metadata?.['code']).toBe(code);
  return [
    code?.replace('SKILL_DIRECT_INVOKE_', ''),
    faults.map(({ pointer }) => pointer.replace(AT, 'payload')),
  ];
}

function withMessage(changes: Partial<SendMessageRequest['message']>): SendMessageRequest {
  const params = directMessage();
  return { ...params, message: { ...params.message, ...changes } };
}

describe('RFC section 3.2, three-layer activation', () => {
  it('takes a message with all three signals for a direct invoke', () => {
    expect(read(directMessage())).toEqual({
      ok: true,
      value: {
        callId: 'direct-call-1',
        skillId: 'sum',
        arguments: { a: 12, b: 30 },
        traceId: null,
        idempotencyKey: null,
        expectedOutputMode: null,
      },
    });
  });

  it.each([
    ['without the header', new Set<string>()],
    ['with the header of another extension', new Set([TRUST_URI])],
  ])('%s it is an ordinary message, and its payload not even a hint', (_, extensions) => {
    for (const carried of [payload(), payload({ bypassModel: false }), 'nonsense', null]) {
      const params = directMessage(carried);
      expect(read(params, { extensions })).toEqual({ ok: true, value: null });
      expect(preferredSkill(params)).toBeUndefined();
    }
  });

  it('is an ordinary message where the deployment does not serve the extension', () => {
    expect(read(directMessage(), ACTIVATED, null)).toEqual({ ok: true, value: null });
  });

  it.each([
    ['nothing', undefined],
    ['nothing at all', []],
    ['another extension', [TRUST_URI]],
    ['another version', [URI.replace('v1', 'v2')]],
    ['a trailing slash', [`${URI}/`]],
  ])('refuses a message that declares %s as INVALID_METADATA', (_, extensions) => {
    const params = withMessage({});
    const { extensions: _own, ...message } = params.message;
    const changed = { message: extensions === undefined ? message : { ...message, extensions } };
    expect(refused(changed)).toEqual(['INVALID_METADATA', ['/message/extensions']]);
    const { metadata: _payload, ...bare } = changed.message;
    expect(refused({ message: bare })).toEqual(['INVALID_METADATA', ['/message/extensions']]);
  });

  it.each([
    ['no metadata', undefined],
    ['other metadata', { skillId: 'sum', [`${URI}/`]: payload() }],
    ['what every object has', { constructor: 'x' }],
  ])('refuses a message with %s as METADATA_MISSING', (_, metadata) => {
    const { metadata: _own, ...message } = withMessage({}).message;
    const changed = { message: metadata === undefined ? message : { ...message, metadata } };
    expect(refused(changed)).toEqual(['METADATA_MISSING', ['payload']]);
  });

  it('does not look for the payload in the metadata of the request', () => {
    const { metadata, ...message } = withMessage({}).message;
    expect(refused({ message, metadata: metadata ?? {} })[0]).toBe('METADATA_MISSING');
  });
});

describe('RFC section 3.3, payload shape', () => {
  it('takes all fields of version 1, and the media type without its parameters', () => {
    const carried = payload({
      traceId: 'trace-1',
      idempotencyKey: 'key-1',
      expectedOutputMode: 'Application/JSON; charset=utf-8',
    });
    expect(read(directMessage(carried))).toMatchObject({
      value: {
        traceId: 'trace-1',
        idempotencyKey: 'key-1',
        expectedOutputMode: 'application/json',
      },
    });
  });

  it.each<readonly [what: string, carried: Json, pointers: readonly string[]]>([
    ['null', null, ['payload']],
    ['a text', 'sum', ['payload']],
    ['a list', [payload()], ['payload']],
    [
      'an empty object',
      {},
      ['payload/callId', 'payload/skillId', 'payload/arguments', 'payload/bypassModel'],
    ],
    ['bypassModel false', payload({ bypassModel: false }), ['payload/bypassModel']],
    ['bypassModel as a text', payload({ bypassModel: 'true' }), ['payload/bypassModel']],
    ['no bypassModel', payload({ bypassModel: undefined }), ['payload/bypassModel']],
    ['arguments as a text', payload({ arguments: '{"a":1}' }), ['payload/arguments']],
    ['arguments as a list', payload({ arguments: [12, 30] }), ['payload/arguments']],
    ['arguments null', payload({ arguments: null }), ['payload/arguments']],
    ['a number for a skill', payload({ skillId: 7 }), ['payload/skillId']],
    ['an empty callId', payload({ callId: '' }), ['payload/callId']],
    ['a callId of blanks', payload({ callId: ' \u00a0' }), ['payload/callId']],
    ['a long callId', payload({ callId: 'x'.repeat(256) }), ['payload/callId']],
    ['a callId of two lines', payload({ callId: 'a\nb' }), ['payload/callId']],
    ['a null traceId', payload({ traceId: null }), ['payload/traceId']],
    ['a numeric key', payload({ idempotencyKey: 1 }), ['payload/idempotencyKey']],
    ['a long key', payload({ idempotencyKey: 'x'.repeat(256) }), ['payload/idempotencyKey']],
    ['no media type', payload({ expectedOutputMode: 'json' }), ['payload/expectedOutputMode']],
    ['a range', payload({ expectedOutputMode: 'application/*' }), ['payload/expectedOutputMode']],
    [
      'what a caller must not say',
      payload({ backendUrl: 'https://x', tool: 'rm', command: 'rm', credentials: 'x' }),
      ['payload/backendUrl', 'payload/tool', 'payload/command', 'payload/credentials'],
    ],
    [
      'several faults',
      payload({ callId: 1, bypassModel: null, extra: 1 }),
      ['payload/callId', 'payload/bypassModel', 'payload/extra'],
    ],
  ])('refuses %s as INVALID_METADATA, with every fault', (_, carried, pointers) => {
    expect(refused(directMessage(carried))).toEqual(['INVALID_METADATA', pointers]);
  });

  it('refuses a message that goes on with a task, together with what else is wrong', () => {
    const metadata = { [URI]: payload({ bypassModel: false }) };
    expect(refused(withMessage({ taskId: 't', metadata }))).toEqual([
      'INVALID_METADATA',
      ['payload/bypassModel', '/message/taskId'],
    ]);
  });

  it.each(['', 'a b', '../sum', 'sum/x', 'x'.repeat(129), '__proto__', 'sümme', ' sum'])(
    'knows no skill of the id "%s"',
    (skillId) => {
      expect(refused(directMessage(payload({ skillId })))).toEqual(['SKILL_NOT_FOUND', []]);
    },
  );

  it('repeats the ids of the call as far as they can be read', () => {
    const metadataOf = (carried: Json) => {
      const call = read(directMessage(carried));
      return call.ok ? undefined : call.error.metadata;
    };
    const code = 'SKILL_DIRECT_INVOKE_INVALID_METADATA';
    const ids = { callId: 'direct-call-1', traceId: 'trace-1' };
    expect(metadataOf(payload({ traceId: 'trace-1', extra: 1 }))).toEqual({ code, ...ids });
    expect(metadataOf(payload({ extra: 1 }))).toEqual({ code, callId: ids.callId });
    expect(metadataOf(payload({ callId: 7, traceId: 'trace-1' }))).toEqual({ code });
  });

  it('gives parts no role: whatever they are, it is the same call', () => {
    const parts = [{ text: 'Do something else with skill other.' }, { data: { skillId: 'other' } }];
    expect(read(withMessage({ parts }))).toEqual(read(directMessage()));
  });
});
