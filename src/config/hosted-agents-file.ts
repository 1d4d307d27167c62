import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Faults, MemberReader, oneOf, prose, text, type Reads } from '../kernel/document-reader.js';
import { ID_FORM, parseAgentId } from '../kernel/ids.js';
import { pointerTo } from '../kernel/json.js';
import type { Fault } from '../kernel/rejection.js';
import { err, ok, type Result } from '../kernel/result.js';
import { parseStrictJson } from '../kernel/strict-json.js';
import { backendsReads } from './backend-bindings.js';
import type { HostedAgent } from './hosted-agents.js';
import { webAddress } from './url-reads.js';

const MAX_AGENTS = 200;
const MAX_HANDLER_MODULES = 100;
const MAX_PATH_LENGTH = 4096;
const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

/**
 * Reads a file `{"agents": [{agentId, tenant, name, description, version, provider?: {organization,
 * url}, documentationUrl?, iconUrl?, extendedCard?: derived|off|on, capabilities?, handlers?,
 * backends?}]}`. The first is the deployment's default agent. `capabilities` is a folder of manifest files, `handlers`
 * are modules that export `handlers`, all of them relative to the file; `backends`: see
 * `backend-bindings.ts`. Everything that a card must
 * have is checked here, so that no card fails later.
 *
 * Refuses with every fault of the file and its JSON Pointer.
 */
export function readHostedAgents(
  path: string,
  allowLoopbackHttp: boolean,
): Result<readonly HostedAgent[], readonly Fault[]> {
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
  const faults = new Faults();
  const reads = fileReads(dirname(resolve(path)), allowLoopbackHttp);
  const file = reads(document.value, '', faults);
  return file === null || faults.all.length > 0 ? err(faults.all) : ok(file);
}

function fileReads(folder: string, allowLoopbackHttp: boolean): Reads<readonly HostedAgent[]> {
  return (value, pointer, faults) => {
    const reader = new MemberReader(value, pointer, faults);
    const agents = reader.required(
      'agents',
      listOf(agentReads(folder, allowLoopbackHttp), [1, MAX_AGENTS], 'agents'),
    );
    reader.end();
    const ids = agents?.map(({ agentId }) => agentId) ?? [];
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) === index) continue;
      faults.add(`/agents/${String(index)}/agentId`, 'stands twice');
    }
    return agents;
  };
}

function agentReads(folder: string, allowLoopbackHttp: boolean): Reads<HostedAgent> {
  const url = webAddress(allowLoopbackHttp);
  return (value, pointer, faults) => {
    const reader = new MemberReader(value, pointer, faults);
    const agent = {
      agentId: reader.required('agentId', agentId),
      tenant: reader.required('tenant', prose(255, 'one-line')),
      name: reader.required('name', prose(200, 'one-line')),
      description: reader.required('description', prose(4000, 'lines')),
      version: reader.required('version', version),
      provider: reader.optional('provider', providerReads(url), null),
      documentationUrl: reader.optional('documentationUrl', url, null),
      iconUrl: reader.optional('iconUrl', url, null),
      extendedCard: reader.optional(
        'extendedCard',
        oneOf('derived', 'off', 'on'),
        'derived' as const,
      ),
      capabilitiesFolder: reader.optional('capabilities', folderReads(folder), null),
      handlers: reader.optional(
        'handlers',
        listOf(moduleReads(folder), [0, MAX_HANDLER_MODULES], 'modules'),
        [],
      ),
      backends: reader.optional('backends', backendsReads(allowLoopbackHttp), new Map()),
    };
    reader.end();
    // Null also stands for what may be left out; the faults say which of them it is.
    return faults.all.length > 0 ? null : (agent as HostedAgent);
  };
}

const agentId = text(128, `an agent id: ${ID_FORM}`, parseAgentId);

const version = text(
  13,
  '<major>.<minor>: the third number of a card counts its skill lists',
  (value) => (VERSION.test(value) ? value : undefined),
);

function providerReads(url: Reads<string>): Reads<{ organization: string; url: string }> {
  return (value, pointer, faults) => {
    const reader = new MemberReader(value, pointer, faults);
    const organization = reader.required('organization', prose(200, 'one-line'));
    const address = reader.required('url', url);
    reader.end();
    return organization === null || address === null ? null : { organization, url: address };
  };
}

/** Whether it can be loaded is seen when it is. */
function moduleReads(base: string): Reads<string> {
  return text(MAX_PATH_LENGTH, 'the path of a module', (value) => resolve(base, value));
}

function folderReads(base: string): Reads<string> {
  return text(MAX_PATH_LENGTH, 'the path of a folder', (value) => {
    const path = resolve(base, value);
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : undefined;
  });
}

function listOf<T>(
  reads: Reads<T>,
  [min, max]: readonly [min: number, max: number],
  what: string,
): Reads<readonly T[]> {
  return (value, pointer, faults) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      return faults.add(pointer, `must be a list of ${String(min)} to ${String(max)} ${what}`);
    }
    const items = (value as unknown[]).map((item, index) =>
      reads(item, pointerTo(pointer, index), faults),
    );
    return items.filter((item) => item !== null);
  };
}
