import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readHostedAgents } from '../../src/config/hosted-agents-file.js';
import { readConfig } from '../../src/config/read-config.js';

const AGENT = {
  agentId: 'finance-agent',
  tenant: 'finance',
  name: 'Finance agent',
  description: 'Looks invoices up.',
  version: '1.0',
};

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-hosted-'));
  file = join(folder, 'agents.json');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function read(document: unknown, allowLoopbackHttp = false): ReturnType<typeof readHostedAgents> {
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
  return readHostedAgents(file, allowLoopbackHttp);
}

/** `pointer detail` of every fault. */
function faults(document: unknown): readonly string[] {
  const agents = read(document);
  return agents.ok ? [] : agents.error.map(({ pointer, detail }) => `${pointer} ${detail}`);
}

function pointers(changes: object): readonly string[] {
  return faults({ agents: [{ ...AGENT, ...changes }] }).map((fault) => fault.split(' ')[0] ?? '');
}

describe('the file of hosted agents', () => {
  it('gives its agents in their order, with what it leaves out', () => {
    expect(read({ agents: [AGENT, { ...AGENT, agentId: 'did:web:b.example' }] })).toEqual({
      ok: true,
      value: [AGENT, { ...AGENT, agentId: 'did:web:b.example' }].map((agent) => ({
        ...agent,
        provider: null,
        documentationUrl: null,
        iconUrl: null,
        extendedCard: 'derived',
        capabilitiesFolder: null,
        handlers: [],
        backends: new Map(),
      })),
    });
  });

  it('takes every member that there is; folders are relative to the file', () => {
    mkdirSync(join(folder, 'capabilities'));
    const agent = {
      ...AGENT,
      provider: { organization: 'Finance', url: 'https://finance.example' },
      documentationUrl: 'https://finance.example/docs',
      iconUrl: 'https://finance.example/icon.png',
      extendedCard: 'on',
    };
    expect(read({ agents: [{ ...agent, capabilities: 'capabilities' }] })).toEqual({
      ok: true,
      value: [
        {
          ...agent,
          capabilitiesFolder: join(folder, 'capabilities'),
          handlers: [],
          backends: new Map(),
        },
      ],
    });
  });

  it('names modules of handlers, relative to the file', () => {
    const agents = read({ agents: [{ ...AGENT, handlers: ['./handlers.mjs'] }] });
    expect(agents.ok && agents.value[0]?.handlers).toEqual([join(folder, 'handlers.mjs')]);
    expect(faults({ agents: [{ ...AGENT, handlers: ['', 7] }] })).toEqual([
      '/agents/0/handlers/0 must be the path of a module',
      '/agents/0/handlers/1 must be the path of a module',
    ]);
    expect(pointers({ handlers: 'handlers.mjs' })).toEqual(['/agents/0/handlers']);
  });

  it('names every fault at once, each with its pointer', () => {
    const document = {
      agents: [
        { agentId: 'a/b', name: ' ', extra: 1, version: '1.0.0', tenant: 7 },
        AGENT,
        AGENT,
        'agent',
      ],
      more: {},
    };
    expect(faults(document)).toEqual([
      '/agents/0/agentId must be an agent id: [A-Za-z0-9][A-Za-z0-9._:~-]{0,127}',
      '/agents/0/tenant must be a text without line breaks of 1 to 255 characters',
      '/agents/0/name must be a text without line breaks of 1 to 200 characters',
      '/agents/0/description is missing',
      '/agents/0/version must be <major>.<minor>: the third number of a card counts its skill lists',
      '/agents/0/extra is not a documented member',
      '/agents/3 must be an object',
      '/more is not a documented member',
    ]);
  });

  it('gives each agent an id of its own', () => {
    expect(faults({ agents: [AGENT, AGENT] })).toEqual(['/agents/1/agentId stands twice']);
  });

  it.each(Object.keys(AGENT))('wants %s, which a card or its callers need', (member) => {
    expect(pointers({ [member]: undefined })).toEqual([`/agents/0/${member}`]);
    expect(pointers({ [member]: '' })).toEqual([`/agents/0/${member}`]);
    expect(pointers({ [member]: null })).toEqual([`/agents/0/${member}`]);
  });

  it.each([
    [{ version: '1' }, '/agents/0/version'],
    [{ version: '01.0' }, '/agents/0/version'],
    [{ version: 1.5 }, '/agents/0/version'],
    [{ extendedCard: true }, '/agents/0/extendedCard'],
    [{ extendedCard: 'ON' }, '/agents/0/extendedCard'],
    [{ provider: 'Finance' }, '/agents/0/provider'],
    [{ provider: null }, '/agents/0/provider'],
    [{ provider: { organization: 'Finance' } }, '/agents/0/provider/url'],
    [{ provider: { organization: 'F', url: 'http://finance.example' } }, '/agents/0/provider/url'],
    [{ iconUrl: 'javascript:alert(1)' }, '/agents/0/iconUrl'],
    [{ documentationUrl: 'https://u:p@finance.example' }, '/agents/0/documentationUrl'],
    [{ documentationUrl: 'docs' }, '/agents/0/documentationUrl'],
    [{ capabilities: 'nowhere' }, '/agents/0/capabilities'],
    [{ capabilities: 'agents.json' }, '/agents/0/capabilities'],
    [{ name: 'x'.repeat(201) }, '/agents/0/name'],
  ])('does not take %j', (changes, pointer) => {
    expect(pointers(changes)).toEqual([pointer]);
  });

  it('takes http on loopback addresses in development alone', () => {
    const document = { agents: [{ ...AGENT, iconUrl: 'http://127.0.0.1/i.png' }] };
    expect(read(document, true).ok).toBe(true);
    expect(read(document, false).ok).toBe(false);
  });

  it.each([
    ['[]', ' must be an object'],
    ['{}', '/agents is missing'],
    ['{"agents":[]}', '/agents must be a list of 1 to 200 agents'],
    ['{"agents":{}}', '/agents must be a list of 1 to 200 agents'],
    ['{"agents":', ' is no unambiguous JSON (json-syntax)'],
    ['{"agents":[],"agents":[]}', '/agents is no unambiguous JSON (json-duplicate-name)'],
  ])('does not take %s', (text, fault) => {
    expect(faults(text)).toEqual([fault]);
  });

  it('says so when it cannot be read', () => {
    expect(readHostedAgents(join(folder, 'none.json'), false)).toEqual({
      ok: false,
      error: [{ pointer: '', detail: 'cannot be read (ENOENT)' }],
    });
  });

  it('keeps a node from starting, with file and pointer', () => {
    writeFileSync(file, JSON.stringify({ agents: [{ ...AGENT, tenant: undefined, x: 1 }] }));
    const config = readConfig({ COUNTERSIGN_DEV: '1', HOSTED_AGENTS: file }, 'host');
    expect(config).toMatchObject({
      ok: false,
      error: [
        { variable: 'HOSTED_AGENTS', detail: `${file}#/agents/0/tenant is missing` },
        {
          variable: 'HOSTED_AGENTS',
          detail: `${file}#/agents/0/x is not a documented member`,
        },
      ],
    });
  });
});
