import { createRequire } from 'node:module';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { EvidenceBundle } from './evidence-bundle.js';
import type { Contract, FederatedInteraction } from './federated-interaction.js';
import { pointerTo, type JsonPointer } from './json.js';
import type { Fault } from './rejection.js';
import { err, ok, type Result } from './result.js';
import type { Statement } from './statements.js';
import type { Timestamp } from './timestamp.js';

/**
 * Does the value have the shape of a v0.1 contract (`schemas/v0.1/contract.schema.json`, formats
 * asserted, nothing filled in)? Refuses with 1 to 50 faults, each with a JSON pointer to the value
 * or to the missing or unknown member. Says nothing about the domain's rules.
 */
export function validateContract(value: unknown): Result<Contract, readonly Fault[]> {
  return judge<Contract>('contract.schema.json', value);
}

/** As {@link validateContract}, of `schemas/v0.1/federated-interaction.schema.json`. */
export function validateInteraction(
  value: unknown,
): Result<FederatedInteraction, readonly Fault[]> {
  return judge<FederatedInteraction>('federated-interaction.schema.json', value);
}

/**
 * Is the value one of the statements that agents sign (`schemas/v0.1/statement.schema.json`)? The
 * member `statement` chooses which; an unknown one is a fault at `/statement`.
 */
export function validateStatement(value: unknown): Result<Statement, readonly Fault[]> {
  const name =
    typeof value === 'object' && value !== null && 'statement' in value
      ? value.statement
      : undefined;
  if (typeof name !== 'string' || !statementNames().has(name)) {
    return err([{ pointer: '/statement', detail: 'is not the name of a known statement' }]);
  }
  return judge<Statement>(`statement.schema.json#/$defs/${name.replaceAll('/', '~1')}`, value);
}

/** A key as a source of verification keys lists it; its point is not yet judged. */
export interface WireKey {
  readonly keyId: string;
  readonly jwk: { readonly kty: string; readonly crv?: string; readonly x?: string };
  readonly from: Timestamp;
  readonly until: Timestamp | null;
  readonly revoked: Timestamp | null;
}

export interface WireVerificationKeys {
  readonly audience: string;
  readonly agents: Readonly<Record<string, readonly WireKey[]>>;
  readonly platform: readonly (WireKey & { readonly purpose: string })[];
}

/** As {@link validateContract}, of `schemas/v0.1/verification-keys.schema.json`. */
export function validateVerificationKeys(
  value: unknown,
): Result<WireVerificationKeys, readonly Fault[]> {
  return judge<WireVerificationKeys>('verification-keys.schema.json', value);
}

/**
 * As {@link validateContract}, of `schemas/v0.1/evidence-bundle.schema.json`. What the envelopes hold
 * is not looked at: that depends on their types.
 */
export function validateEvidenceBundle(value: unknown): Result<EvidenceBundle, readonly Fault[]> {
  return judge<EvidenceBundle>('evidence-bundle.schema.json', value);
}

/** Relative to src/kernel and dist/kernel alike; `require`, since JSON modules still warn. */
const load = createRequire(import.meta.url);
const SCHEMAS = [
  'definitions',
  'contract',
  'contract-revision',
  'federated-interaction',
  'statement',
  'verification-keys',
  'evidence-bundle',
].map((name) => load(`../../schemas/v0.1/${name}.schema.json`) as WireSchema);
const BASE = 'https://countersign.example/schemas/v0.1/';

interface WireSchema {
  readonly $id: string;
  readonly $defs?: Readonly<Record<string, object>>;
}

function statementNames(): ReadonlySet<string> {
  const definitions = SCHEMAS.find(({ $id }) => $id.endsWith('/statement.schema.json'))?.$defs;
  return new Set(Object.keys(definitions ?? {}).filter((name) => name.includes('/')));
}

/**
 * The regular expression for URIs overflows its stack on some megabytes: longer ones, of which no
 * request body has room, are none.
 */
const MAX_URI_LENGTH = 1024 * 1024;
const uri = (text: string): boolean => text.length <= MAX_URI_LENGTH && isUri(text);
const isUri = fullFormats.uri as (text: string) => boolean;
const FORMATS = { uuid: fullFormats.uuid, 'date-time': fullFormats['date-time'], uri } as const;

function makeAjv(allErrors: boolean): Ajv2020 {
  // Our own schemas are checked by the tests; to check them at each start would double its length.
  const ajv = new Ajv2020({ strict: true, validateSchema: false, allErrors, verbose: true });
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format);
  for (const schema of SCHEMAS) ajv.addSchema(schema);
  return ajv;
}

/** Stops at the first fault: what a good document costs, and all that a huge bad one gets. */
const quick = makeAjv(false);
/** Lists all faults; made when the first bad document comes. */
let thorough: Ajv2020 | undefined;

function compiled(ajv: Ajv2020, ref: string): ValidateFunction {
  const validate = ajv.getSchema(`${BASE}${ref}`);
  if (validate === undefined) throw new Error(`no schema ${ref}`);
  return validate;
}

/**
 * Weight, in values and characters of names, up to which all faults are searched. An honest contract
 * weighs a tenth of it; a hostile one of 256 KiB could hold 100 000 faults, or 1000 under a name of
 * 200 000 characters, and to list them would cost more than it helps.
 */
const MAX_WEIGHT_TO_SEARCH = 20_000;
const MAX_FAULTS = 50;
/** A pointer that is longer gives way to the nearest ancestor that is not: names may be huge. */
const MAX_POINTER_LENGTH = 256;

function judge<T>(ref: string, value: unknown): Result<T, readonly Fault[]> {
  let validate = compiled(quick, ref);
  if (validate(value)) return ok(value as T);
  if (weighsAtMost(value, MAX_WEIGHT_TO_SEARCH)) {
    validate = compiled((thorough ??= makeAjv(true)), ref);
    validate(value);
  }
  return err(faultsOf(validate.errors ?? []));
}

/** Weighs without recursion, and stops once it is too much. */
function weighsAtMost(value: unknown, limit: number): boolean {
  const pending = [value];
  let weight = 0;
  while (pending.length > 0) {
    const next = pending.pop();
    weight += 1;
    if (weight + pending.length > limit) return false;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, child] of Object.entries(next) as [string, unknown][]) {
      weight += Array.isArray(next) ? 0 : name.length;
      if (weight + pending.push(child) > limit) return false;
    }
  }
  return true;
}

/** One fault per place, in the document's order of discovery. */
function faultsOf(errors: readonly ErrorObject[]): readonly Fault[] {
  const faults = new Map<JsonPointer, Fault>();
  for (const error of errors) {
    // Only says that the branch failed; the fault inside the branch is listed by itself.
    if (error.keyword === 'if') continue;
    const fault = faultOf(error);
    if (!faults.has(fault.pointer)) faults.set(fault.pointer, fault);
    if (faults.size === MAX_FAULTS) break;
  }
  return [...faults.values()];
}

function faultOf(error: ErrorObject): Fault {
  const at = (pointer: JsonPointer, detail: string): Fault =>
    pointer.length <= MAX_POINTER_LENGTH
      ? { pointer, detail }
      : { pointer: ancestorOf(pointer), detail: `has a member with a long name that ${detail}` };
  const params = error.params as Readonly<Record<string, unknown>>;
  const { keyword, instancePath } = error;
  if (keyword === 'required') {
    return at(pointerTo(instancePath, String(params['missingProperty'])), 'is missing');
  }
  if (keyword === 'additionalProperties') {
    const member = pointerTo(instancePath, String(params['additionalProperty']));
    return at(member, 'is not a member of this object');
  }
  if (keyword === 'const') {
    return at(instancePath, `must be ${JSON.stringify(params['allowedValue'])}`);
  }
  if (keyword === 'enum') {
    return at(instancePath, `must be one of ${JSON.stringify(params['allowedValues'])}`);
  }
  if (keyword === 'format' || keyword === 'pattern') {
    return at(instancePath, `is not a ${titleOf(error.parentSchema)}`);
  }
  return at(instancePath, error.message ?? 'is not valid');
}

function titleOf(schema: ErrorObject['parentSchema']): string {
  const title: unknown = schema?.['title'];
  return typeof title === 'string' ? title : 'valid value';
}

function ancestorOf(pointer: JsonPointer): JsonPointer {
  let ancestor = pointer;
  while (ancestor.length > MAX_POINTER_LENGTH) {
    ancestor = ancestor.slice(0, ancestor.lastIndexOf('/'));
  }
  return ancestor;
}
