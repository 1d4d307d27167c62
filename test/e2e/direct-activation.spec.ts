import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../src/kernel/json.js';
import { BINDINGS, type Binding, type Reply } from '../a2a/transports/support/bindings.js';
import { DIRECT_URI as URI } from '../capabilities/support/extensions.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { CALCULATOR, calculatorDeployment, payloadPointer } from './support/calculator.js';
import { AgentClient, dataOf, invoking, outcomeOf } from './support/direct-calls.js';
import { playing } from './support/script.js';

/** Everything is served; a twin of it serves no direct invokes. */
let service: InProcessService;
let twin: InProcessService;
let alice: AgentClient;

beforeAll(async () => {
  service = await startTestService(await calculatorDeployment());
  twin = await startTestService(await calculatorDeployment({ DIRECT_INVOKE: 'off' }));
  const token = await service.token({ principal: 'alice', scopes: [] });
  alice = new AgentClient(service, CALCULATOR, token);
});

afterAll(async () => {
  await Promise.all([service.dispose(), twin.dispose()]);
});

const PAYLOAD: JsonObject = {
  callId: 'direct-call-1',
  skillId: 'calculate_sum',
  arguments: { a: 12, b: 30 },
  bypassModel: true,
};

const OPERATIONS = ['SendMessage', 'SendStreamingMessage'] as const;
type Operation = (typeof OPERATIONS)[number];
type Headers = Readonly<Record<string, string>>;

/** A message that is a script for `play` when it is an ordinary one. */
function message(extensions: readonly string[] | undefined, payload: unknown): JsonObject {
  const metadata = {
    skillId: 'play',
    ...(payload === undefined ? {} : { [URI]: payload }),
  } as JsonObject;
  return playing(['completed'], { metadata, ...(extensions && { extensions }) });
}

const WAYS = BINDINGS.flatMap((binding) => OPERATIONS.map((operation) => ({ binding, operation })));

type Layers = readonly [
  headers: Headers,
  extensions: readonly string[] | undefined,
  payload: unknown,
  kind: string,
];

/** Rows with names that fit a line. */
function titled(rows: readonly Layers[]) {
  return rows.map(([headers, extensions, payload, kind]) => {
    const layers = JSON.stringify({ headers, extensions, payload });
    const title = layers.replace(JSON.stringify(PAYLOAD), '<payload>').replaceAll(URI, '<uri>');
    return { title, headers, extensions, payload, kind };
  });
}

/** `direct`, `ordinary`, or the code with which it was refused. */
function kindOf(reply: Reply): string {
  if (reply.error !== undefined) return outcomeOf(reply);
  const told = JSON.stringify(reply.result ?? reply.events);
  expect(told).toContain('TASK_STATE_COMPLETED');
  const isDirect = told.includes('"sum":42');
  expect(told.includes('llmPlanningLatencyMs')).toBe(isDirect);
  return isDirect ? 'direct' : 'ordinary';
}

describe.each(WAYS)(
  'RFC section 3.2, three layers of activation ($binding.name, $operation)',
  ({ binding, operation }) => {
    const ask = (params: JsonObject, headers: Headers) =>
      alice.over(binding).ask(operation, params, { headers });
    const ON = { 'a2a-extensions': URI };
    const OTHER = 'https://example.com/a2a/extensions/other/v1';

    it.each(
      titled([
        [{}, undefined, undefined, 'ordinary'],
        [{}, [URI], undefined, 'ordinary'],
        [{}, undefined, PAYLOAD, 'ordinary'],
        [{}, [URI], PAYLOAD, 'ordinary'],
        [{}, [URI], { nonsense: true }, 'ordinary'],
        [{ 'a2a-extensions': '' }, [URI], PAYLOAD, 'ordinary'],
        [{ 'a2a-extensions': OTHER }, [URI], PAYLOAD, 'ordinary'],
        [{ 'a2a-extensions': `${URI}/` }, [URI], PAYLOAD, 'ordinary'],
        [{ 'a2a-extensions': URI.replace(/v1$/, 'v2') }, [URI], PAYLOAD, 'ordinary'],
        [{ 'a2a-extensions': URI.toUpperCase() }, [URI], PAYLOAD, 'ordinary'],
        [{ 'x-a2a-extensions': URI }, [URI], PAYLOAD, 'ordinary'],
        [ON, undefined, undefined, 'INVALID_METADATA'],
        [ON, undefined, PAYLOAD, 'INVALID_METADATA'],
        [ON, [], PAYLOAD, 'INVALID_METADATA'],
        [ON, [OTHER], PAYLOAD, 'INVALID_METADATA'],
        [ON, [URI], undefined, 'METADATA_MISSING'],
        [ON, [URI], null, 'INVALID_METADATA'],
        [ON, [URI], [PAYLOAD], 'INVALID_METADATA'],
        [ON, [URI], 'calculate_sum', 'INVALID_METADATA'],
        [ON, [URI], PAYLOAD, 'direct'],
        [ON, [OTHER, URI], PAYLOAD, 'direct'],
        [{ 'a2a-extensions': `${OTHER} , ${URI},${URI}` }, [URI], PAYLOAD, 'direct'],
      ]),
    )('$title: $kind', async ({ headers, extensions, payload, kind }) => {
      const reply = await ask(message(extensions, payload), headers);
      expect(kindOf(reply)).toBe(kind);
      // What was activated is named in every answer, and nothing else is.
      expect(reply.headers.get('a2a-extensions')).toBe(kind === 'ordinary' ? null : URI);
    });

    it('a payload in the metadata of the request is none', async () => {
      const params = { ...message([URI], undefined), metadata: { [URI]: PAYLOAD } };
      expect(kindOf(await ask(params, ON))).toBe('METADATA_MISSING');
    });

    it('the parts play no role', async () => {
      const params = invoking(
        'calculate_sum',
        { a: 1, b: 41 },
        {
          message: { parts: [{ raw: 'AAAA', mediaType: 'image/png' }, { data: { a: 9, b: 9 } }] },
        },
      );
      expect(kindOf(await ask(params, ON))).toBe('direct');
    });
  },
);

describe.each(BINDINGS)('RFC section 3.3, the payload over $name', (binding) => {
  const send = (payload: JsonObject) => alice.over(binding).send(message([URI], payload));
  const faultsOf = ({ error }: Reply) => error?.violations.map(({ field }) => field);

  it.each(Object.keys(PAYLOAD))('needs %s', async (member) => {
    const { [member]: _, ...rest } = PAYLOAD;
    const reply = await send(rest);
    expect(outcomeOf(reply)).toBe('INVALID_METADATA');
    expect(faultsOf(reply)).toEqual([payloadPointer(`/${member}`)]);
  });

  it.each([
    ...['backend', 'backendUrl', 'url', 'tool', 'command', 'credential', 'path', 'handler'],
    ...['model', 'CallId', 'timeout', 'metadata', ''],
  ])('RFC section 4, a caller cannot name a backend: takes no member %j', async (member) => {
    const reply = await send({ ...PAYLOAD, [member]: 'http://127.0.0.1:1/' });
    expect(outcomeOf(reply)).toBe('INVALID_METADATA');
    expect(faultsOf(reply)).toEqual([payloadPointer(`/${member}`)]);
    expect(reply.error?.metadata['callId']).toBe('direct-call-1');
  });

  it.each<readonly [string, unknown]>([
    ['callId', 7],
    ['callId', ''],
    ['callId', 'x'.repeat(256)],
    ['callId', 'two\nlines'],
    ['skillId', null],
    ['skillId', ['calculate_sum']],
    ['arguments', []],
    ['arguments', null],
    ['arguments', '{"a":12,"b":30}'],
    ['bypassModel', false],
    ['bypassModel', 'true'],
    ['bypassModel', 1],
    ['traceId', 7],
    ['idempotencyKey', ''],
    ['idempotencyKey', {}],
    ['expectedOutputMode', 'json'],
    ['expectedOutputMode', '*/*'],
  ])('%s is not %j', async (member, value) => {
    const reply = await send({ ...PAYLOAD, [member]: value } as JsonObject);
    expect(outcomeOf(reply)).toBe('INVALID_METADATA');
    expect(faultsOf(reply)).toEqual([payloadPointer(`/${member}`)]);
  });

  it('all faults are told at once', async () => {
    const reply = await send({ skillId: 'calculate_sum', bypassModel: true, url: 'x' });
    expect(faultsOf(reply)?.sort()).toEqual(
      ['/arguments', '/callId', '/url'].map((each) => payloadPointer(each)),
    );
  });

  it('takes what is optional, and a media type that is produced', async () => {
    const optional = { traceId: 't', idempotencyKey: `all-${binding.name}` };
    const modes = { expectedOutputMode: 'application/json; charset=utf-8' };
    expect(dataOf(await send({ ...PAYLOAD, ...optional, ...modes }))).toEqual({ sum: 42 });
    const other = await send({ ...PAYLOAD, expectedOutputMode: 'text/plain' });
    expect(outcomeOf(other)).toBe('INVALID_ARGUMENTS');
    expect(faultsOf(other)).toEqual([payloadPointer('/expectedOutputMode')]);
  });

  it('begins a task of its own', async () => {
    const params = message([URI], PAYLOAD);
    const taskId = '2f0d2c2a-8f5e-4c55-9d0c-6e5d1f1f0a11';
    const sent = { ...params, message: { ...(params['message'] as JsonObject), taskId } };
    const reply = await alice.over(binding).send(sent);
    expect(outcomeOf(reply)).toBe('INVALID_METADATA');
    expect(faultsOf(reply)).toEqual(['/message/taskId']);
  });
});

describe.each(WAYS)(
  'RFC sections 3.5 and 6, strict delegation ($binding.name, $operation)',
  ({ binding, operation }) => {
    it.each<readonly [string, () => JsonObject]>([
      ['a message without anything of it', () => message(undefined, undefined)],
      ['a message with a payload that is not activated', () => message([URI], PAYLOAD)],
      ['a message that declares it alone', () => message([URI], undefined)],
      ['a question', () => ({ message: { ...said('Hello?'), extensions: [URI] } })],
      ['a message that is refused', () => ({ message: { ...said(''), parts: [] } })],
    ])('%s is answered as by a server that knows no extension', async (_, make) => {
      const params = make();
      const [here, there] = await Promise.all([
        shown(service, binding, operation, params, {}),
        shown(twin, binding, operation, params, {}),
      ]);
      expect(here).toEqual(there);
    });

    it('a server that does not serve it knows nothing of it', async () => {
      const params = message([URI], PAYLOAD);
      const headers = { 'a2a-extensions': URI };
      const activated = await shown(twin, binding, operation, params, headers);
      const plain = await shown(twin, binding, operation, copyOf(params), {});
      expect(activated).toEqual(plain);
    });
  },
);

let messages = 0;
function said(text: string): JsonObject {
  messages++;
  return { messageId: `said-${String(messages)}`, role: 'ROLE_USER', parts: [{ text }] };
}

function copyOf(params: JsonObject): JsonObject {
  const sent = params['message'] as JsonObject;
  return { ...params, message: { ...sent, messageId: `${String(sent['messageId'])}-again` } };
}

/** All that an answer shows, but for ids and times, which differ by nature. */
async function shown(
  at: InProcessService,
  binding: Binding,
  operation: Operation,
  params: JsonObject,
  headers: Headers,
): Promise<unknown> {
  const token = await at.token({ principal: 'alice', scopes: [] });
  const client = new AgentClient(at, CALCULATOR, token, binding);
  const reply = await client.ask(operation, params, { headers });
  const text = reply.text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/^id: .*$/gm, 'id: <position>')
    .replaceAll('-again"', '"');
  const names = [...reply.headers.keys()].filter((name) => name !== 'date');
  return { status: reply.status, names, text };
}
