import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseAgentId } from '../kernel/ids.js';
import { pointerTo, type Json, type JsonObject, type JsonPointer } from '../kernel/json.js';
import type { Fault } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';
import { parseStrictJson } from '../kernel/strict-json.js';
import { DocumentReader } from './document-reader.js';
import type { HostedAgent } from './hosted-agents.js';

const MAX_AGENTS = 200;
const MAX_HANDLER_MODULES = 100;
const REQUIRED = ['agentId', 'tenant', 'name', 'description', 'version'];
const OPTIONAL = ['provider', 'documentationUrl', 'iconUrl', 'extendedCard', 'capabilities'];
const EXTENDED_CARD = ['derived', 'off', 'on'] as const;
const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

/** What a file of hosted agents says. */
export interface HostedAgentsFile {
  /** The first is the deployment's default agent. */
  readonly agents: readonly HostedAgent[];
  /** Absolute paths of the modules that implement their capabilities. */
  readonly handlers: readonly string[];
}

/**
 * Reads a file `{"agents": [{agentId, tenant, name, description, version, provider?: {organization,
 * url}, documentationUrl?, iconUrl?, extendedCard?: derived|off|on, capabilities?}], "handlers"?:
 * [module]}`. `capabilities` is a folder of manifest files, `handlers` are modules that export
 * `handlers`, all of them relative to the file. Everything that a card must have is checked here, so
 * that no card fails later.
 *
 * Refuses with every fault of the file and its JSON Pointer.
 */
export function readHostedAgents(
  path: string,
  allowLoopbackHttp: boolean,
): Result<HostedAgentsFile, readonly Fault[]> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return err([{ pointer: '', detail: `cannot be read (${code ?? 'unknown'})` }]);
  }
  const document = parseStrictJson(bytes);
  if (!document.ok) {
    const { code, pointer } = document.error;
    return err([{ pointer, detail: `is no unambiguous JSON (${code})` }]);
  }
  const reader = new DocumentReader(allowLoopbackHttp);
  const folder = dirname(resolve(path));
  const members = reader.object(document.value, '', ['agents'], ['handlers']);
  const agents = agentsOf(reader, members['agents'], folder);
  const handlers = handlersOf(reader, members['handlers'] ?? [], folder);
  return reader.faults.length === 0 ? ok({ agents, handlers }) : err(reader.faults);
}

function handlersOf(reader: DocumentReader, modules: Json, folder: string): string[] {
  const isList = Array.isArray(modules) && modules.length <= MAX_HANDLER_MODULES;
  const paths: readonly Json[] = isList ? modules : [];
  if (!isList)
    reader.fault('/handlers', `must be a list of at most ${String(MAX_HANDLER_MODULES)}`);
  return paths.flatMap((module, index) => {
    if (typeof module === 'string' && module !== '') return [resolve(folder, module)];
    reader.fault(pointerTo('/handlers', index), 'must be the path of a module');
    return [];
  });
}

function agentsOf(
  reader: DocumentReader,
  entries: Json | undefined,
  folder: string,
): HostedAgent[] {
  if (entries === undefined) return [];
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_AGENTS) {
    reader.fault('/agents', `must be a list of 1 to ${String(MAX_AGENTS)} agents`);
    return [];
  }
  const agents = entries.map((entry: Json, index) =>
    agentOf(reader, entry, pointerTo('/agents', index), folder),
  );
  const ids = agents.map(({ agentId }) => agentId);
  for (const [index, id] of ids.entries()) {
    if (id === '' || ids.indexOf(id) === index) continue;
    reader.fault(`${pointerTo('/agents', index)}/agentId`, 'stands twice');
  }
  return agents;
}

function agentOf(
  reader: DocumentReader,
  entry: Json,
  at: JsonPointer,
  folder: string,
): HostedAgent {
  const agent = reader.object(entry, at, REQUIRED, OPTIONAL);
  const url = (member: string): string | null =>
    agent[member] === undefined ? null : reader.url(agent, member, at);
  return {
    agentId: reader.parsed(
      agent,
      'agentId',
      at,
      parseAgentId,
      'must match [A-Za-z0-9][A-Za-z0-9._:~-]{0,127}',
    ),
    tenant: reader.text(agent, 'tenant', at, 255),
    name: reader.text(agent, 'name', at, 200),
    description: reader.text(agent, 'description', at, 4000),
    version: reader.parsed(
      agent,
      'version',
      at,
      (text) => (VERSION.test(text) ? text : undefined),
      'must be <major>.<minor>: the third number of a card counts its skill lists',
    ),
    provider: providerOf(reader, agent['provider'], pointerTo(at, 'provider')),
    documentationUrl: url('documentationUrl'),
    iconUrl: url('iconUrl'),
    extendedCard: extendedCardOf(reader, agent, at),
    capabilitiesFolder: capabilitiesFolderOf(reader, agent, at, folder),
  };
}

function providerOf(
  reader: DocumentReader,
  value: Json | undefined,
  at: JsonPointer,
): HostedAgent['provider'] {
  if (value === undefined) return null;
  const provider = reader.object(value, at, ['organization', 'url'], []);
  return {
    organization: reader.text(provider, 'organization', at, 200),
    url: reader.url(provider, 'url', at),
  };
}

function extendedCardOf(
  reader: DocumentReader,
  agent: JsonObject,
  at: JsonPointer,
): HostedAgent['extendedCard'] {
  if (agent['extendedCard'] === undefined) return 'derived';
  return reader.parsed(
    agent,
    'extendedCard',
    at,
    (text) => EXTENDED_CARD.find((each) => each === text),
    `must be one of ${EXTENDED_CARD.join(', ')}`,
  );
}

function capabilitiesFolderOf(
  reader: DocumentReader,
  agent: JsonObject,
  at: JsonPointer,
  folder: string,
): string | null {
  if (agent['capabilities'] === undefined) return null;
  const path = resolve(folder, reader.text(agent, 'capabilities', at, 4096));
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    reader.fault(pointerTo(at, 'capabilities'), 'is no folder');
  }
  return path;
}
