import { isScope } from '../../kernel/caller.js';
import { ID_FORM, parseAgentId, parseSkillId, type AgentId } from '../../kernel/ids.js';
import { pointerTo, type Json, type JsonObject } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import {
  Faults,
  flag,
  list,
  MemberReader,
  oneOf,
  prose,
  text,
  type Reads,
} from '../../kernel/document-reader.js';
import { backendSummary } from './backend-summary.js';
import { LARGEST_LIMIT, MANIFEST_BOUNDS as BOUNDS } from './manifest-bounds.js';
import { ENFORCED_LIMITS, type DirectInvoke, type Manifest, type Skill } from './manifest.js';
import { parseMediaRange } from './media-range.js';

/**
 * Reads a manifest document. Its members are those of {@link Manifest} in the spelling of documents
 * (`requires_scopes`, `requires_contract`, `direct_invoke {input_schema, output_schema, backend,
 * allow_unauthenticated}`); `agentId` may be left out, and so may what is null, empty or false in
 * most manifests. Who may use a capability is always spelled out: `requires_scopes` and `tenants`
 * have no default. Media types come out in lower case.
 *
 * Refuses with every fault at once (at most 100), each with its JSON pointer. Says nothing about the
 * rules between members (`manifest-rules.ts`) and does not compile the schemas.
 *
 * @param value parsed JSON
 * @param defaultAgent whose capability it is when the document does not say
 */
export function parseManifest(
  value: unknown,
  defaultAgent: AgentId,
): Result<Manifest, readonly Fault[]> {
  const { members, faults } = readManifestMembers(value, defaultAgent);
  // Without a fault every member was read.
  return faults.length === 0 ? ok(members as Manifest) : err(faults);
}

/** A manifest as far as it could be read: null is also what has a fault. */
export type ManifestMembers = {
  readonly [Name in keyof Omit<Manifest, 'directInvoke'>]: Manifest[Name] | null;
} & { readonly directInvoke: DirectInvokeMembers | null };

export type DirectInvokeMembers = {
  readonly [Name in keyof DirectInvoke]: DirectInvoke[Name] | null;
};

/** The same for whoever can do something with a part of it: what there is, with every fault. */
export function readManifestMembers(
  value: unknown,
  defaultAgent: AgentId,
): { readonly members: ManifestMembers; readonly faults: readonly Fault[] } {
  const faults = new Faults();
  const reader = new MemberReader(value, '', faults);
  const members: ManifestMembers = {
    id: reader.required('id', skillId),
    agentId: reader.optional('agentId', agentId, defaultAgent),
    state: reader.required('state', oneOf('preview', 'ga', 'deprecated', 'removed')),
    visibility: reader.required('visibility', oneOf('public', 'extended', 'internal')),
    skill: reader.required('skill', skill),
    requiresScopes: reader.required('requires_scopes', list(scope, [0, BOUNDS.scopes])),
    tenants: reader.required('tenants', tenants),
    handler: reader.required('handler', handler),
    limits: reader.optional('limits', limits, {}),
    owner: reader.required('owner', prose(BOUNDS.identifier, 'one-line')),
    replacement: reader.optional('replacement', skillId, null),
    requiresContract: reader.optional('requires_contract', flag, false),
    action: reader.optional('action', identifier, null),
    data: reader.optional('data', list(identifier, [0, BOUNDS.data]), []),
    callers: reader.optional('callers', oneOf('initiator', 'any-party'), 'initiator' as const),
    directInvoke: reader.optional('direct_invoke', directInvoke, null),
  };
  reader.end();
  if (reader.isObject && sizeOf(value) > BOUNDS.size) {
    faults.add('', `must be at most ${BOUNDS.size} characters as JSON`);
  }
  return { members, faults: faults.all };
}

const skillId = text(128, `a skill id: ${ID_FORM}`, parseSkillId);
const agentId = text(128, `an agent id: ${ID_FORM}`, parseAgentId);
const identifier = prose(BOUNDS.identifier, 'one-line');
const scope = text(255, 'a scope of 1 to 255 printable ASCII characters', (value) =>
  isScope(value) ? value : undefined,
);
const handler = text(BOUNDS.identifier, 'a name of 1 to 255 visible ASCII characters', (value) =>
  /^[\x21-\x7e]+$/.test(value) ? value : undefined,
);
const mediaRange = text(
  129,
  'a media type: type/subtype or type/*, without parameters',
  parseMediaRange,
);

const skill: Reads<Skill> = (value, pointer, faults) => {
  const reader = new MemberReader(value, pointer, faults);
  const modes = list(mediaRange, [1, BOUNDS.modes]);
  const read = {
    name: reader.required('name', prose(BOUNDS.name, 'one-line')),
    description: reader.required('description', prose(BOUNDS.description, 'lines')),
    tags: reader.required('tags', list(prose(BOUNDS.tag, 'one-line'), [1, BOUNDS.tags])),
    examples: reader.optional(
      'examples',
      list(prose(BOUNDS.example, 'lines'), [0, BOUNDS.examples]),
      [],
    ),
    inputModes: reader.required('inputModes', modes),
    outputModes: reader.required('outputModes', modes),
  };
  reader.end();
  return read as Skill;
};

const tenants: Reads<Manifest['tenants']> = (value, pointer, faults) => {
  if (value === '*') return value;
  if (!Array.isArray(value)) return faults.add(pointer, 'must be "*" or a list of tenants');
  return list(tenant, [1, BOUNDS.tenants])(value, pointer, faults);
};

/** In a list, `*` would be the name of a tenant, and read as everybody. */
const tenant = text(BOUNDS.identifier, 'a tenant of 1 to 255 characters, not "*"', (value) =>
  value === '*' ? undefined : value,
);

const limits: Reads<Manifest['limits']> = (value, pointer, faults) => {
  const limit = object(BOUNDS.limitsSize)(value, pointer, faults);
  if (limit === null) return null;
  const entries = Object.entries(limit);
  if (entries.length > BOUNDS.limits) {
    return faults.add(pointer, `must have at most ${BOUNDS.limits} members`);
  }
  for (const [name, member] of entries) {
    const at = pointerTo(pointer, name);
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) {
      faults.add(at, 'must be named [a-z][a-z0-9_]{0,63}');
    }
    const enforced = ENFORCED_LIMITS.find((known) => known === name);
    if (enforced !== undefined && !isWholeUpTo(LARGEST_LIMIT[enforced], member)) {
      faults.add(at, `must be a whole number from 1 to ${LARGEST_LIMIT[enforced]}`);
    }
  }
  return limit;
};

const directInvoke: Reads<DirectInvokeMembers> = (value, pointer, faults) => {
  const reader = new MemberReader(value, pointer, faults);
  const read: DirectInvokeMembers = {
    inputSchema: reader.required('input_schema', object(BOUNDS.schemaSize)),
    outputSchema: reader.required('output_schema', object(BOUNDS.schemaSize)),
    backend: reader.required('backend', backendSummary),
    allowUnauthenticated: reader.optional('allow_unauthenticated', flag, false),
  };
  reader.end();
  return read;
};

/** Any object of JSON, as it is. */
function object(maxSize: number): Reads<JsonObject> {
  return (value, pointer, faults) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return faults.add(pointer, 'must be an object');
    }
    if (sizeOf(value) > maxSize) {
      return faults.add(pointer, `must be at most ${maxSize} characters as JSON`);
    }
    return value as JsonObject;
  };
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

function isWholeUpTo(max: number, value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
}
