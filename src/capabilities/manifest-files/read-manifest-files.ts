import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostedAgent } from '../../config/hosted-agents.js';
import type { AgentId } from '../../kernel/ids.js';
import type { JsonPointer } from '../../kernel/json.js';
import { pointerTo } from '../../kernel/json.js';
import { REJECTIONS, type Fault } from '../../kernel/rejection.js';
import { parseStrictJson } from '../../kernel/strict-json.js';
import { readManifest } from '../commands/read-manifest.js';
import type { Manifest } from '../domain/manifest.js';
import { capabilityStream } from '../domain/stream.js';

/** A manifest, and where it stands. */
export interface FiledManifest {
  /** Path of the file, with the pointer to the manifest where the file holds several. */
  readonly place: string;
  readonly manifest: Manifest;
}

/** What the folders hold, and all that is wrong in them, each with file and JSON pointer. */
export interface FiledManifests {
  readonly manifests: readonly FiledManifest[];
  readonly faults: readonly string[];
}

const LIMITS = { maxBytes: 64 * 1024 * 1024, maxDepth: 64, maxValues: Infinity } as const;
const MAX_MANIFESTS = 100_000;

/**
 * Reads the manifest files of all hosted agents: `*.json` of each folder, in the order of their
 * names, one manifest or a list each. A manifest that names no agent is its folder's. Nothing is
 * left out silently: a folder that cannot be read is a fault.
 */
export async function readManifestFiles(agents: readonly HostedAgent[]): Promise<FiledManifests> {
  const manifests = new Map<string, FiledManifest>();
  const faults: string[] = [];
  for (const [folder, agentId] of foldersOf(agents)) {
    for (const file of await filesOf(folder, faults)) {
      const read = await readManifests(file, agentId);
      faults.push(...read.faults);
      for (const filed of read.manifests) {
        const { manifest, place } = filed;
        const stream = capabilityStream(manifest.agentId, manifest.id);
        const other = manifests.get(stream);
        if (other !== undefined) faults.push(`${place}: is the same capability as ${other.place}`);
        else if (!agents.some((each) => each.agentId === manifest.agentId)) {
          faults.push(`${place}: /agentId: ${manifest.agentId} is not hosted here`);
        } else manifests.set(stream, filed);
      }
    }
  }
  if (manifests.size > MAX_MANIFESTS) faults.push(`more than ${MAX_MANIFESTS} manifests`);
  return { manifests: [...manifests.values()], faults };
}

/** Each folder once, with the first agent whose folder it is. */
function foldersOf(agents: readonly HostedAgent[]): ReadonlyMap<string, AgentId> {
  const folders = new Map<string, AgentId>();
  for (const { agentId, capabilitiesFolder } of agents) {
    if (capabilitiesFolder === null || folders.has(capabilitiesFolder)) continue;
    folders.set(capabilitiesFolder, agentId);
  }
  return folders;
}

async function filesOf(folder: string, faults: string[]): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    faults.push(`${folder}: cannot be read (${codeOf(error)})`);
    return [];
  }
}

async function readManifests(file: string, agentId: AgentId): Promise<FiledManifests> {
  const fault = (detail: string): FiledManifests => ({
    manifests: [],
    faults: [`${file}: ${detail}`],
  });
  let bytes: Buffer;
  try {
    const { size } = await stat(file);
    if (size > LIMITS.maxBytes) return fault('is larger than 64 MiB');
    bytes = await readFile(file);
  } catch (error) {
    return fault(`cannot be read (${codeOf(error)})`);
  }
  const parsed = parseStrictJson(bytes, LIMITS);
  if (!parsed.ok) {
    const { code, pointer } = parsed.error;
    return fault(
      code === 'json-too-large' ? 'is larger than 64 MiB' : at(pointer, REJECTIONS[code]),
    );
  }
  const documents: readonly (readonly [JsonPointer, unknown])[] = Array.isArray(parsed.value)
    ? parsed.value.map((document, index) => [pointerTo('', index), document])
    : [['', parsed.value]];
  const manifests: FiledManifest[] = [];
  const faults: string[] = [];
  for (const [pointer, document] of documents) {
    const { found, wrong } = readDocument(document, agentId);
    faults.push(...wrong.map((each) => `${file}: ${at(pointer + each.pointer, each.detail)}`));
    const place = pointer === '' ? file : `${file}: ${pointer}`;
    if (found !== undefined) manifests.push({ place, manifest: found });
  }
  return { manifests, faults };
}

function readDocument(
  document: unknown,
  agentId: AgentId,
): { readonly found: Manifest | undefined; readonly wrong: readonly Fault[] } {
  const manifest = readManifest(document, agentId);
  return manifest.ok
    ? { found: manifest.value, wrong: [] }
    : { found: undefined, wrong: manifest.error.faults ?? [] };
}

function at(pointer: JsonPointer, detail: string): string {
  return pointer === '' ? detail : `${pointer}: ${detail}`;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}
