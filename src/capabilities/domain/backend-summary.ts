import { canonicalJson } from '../../kernel/canonical-json.js';
import { Faults, MemberReader, text, type Reads } from '../../kernel/document-reader.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Manifest } from './manifest.js';

const NAME_LENGTH = 100;

/** No place for an address, a path or a credential: everybody reads it on a card. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,98}[A-Za-z0-9])?$/;

/** Reads what cards call a backend, or its type. */
export const backendName: Reads<string> = text(
  NAME_LENGTH,
  'a name of 1 to 100 letters, digits, spaces, dots, dashes and underscores',
  (value) => (NAME.test(value) ? value : undefined),
);

/** Reads what a card may say of a backend: `{type, name?}`, both in the form of {@link backendName}. */
export const backendSummary: Reads<JsonObject> = (value, pointer, faults) => {
  const own = new Faults();
  const reader = new MemberReader(value, pointer, own);
  reader.required('type', backendName);
  reader.optional('name', backendName, null);
  reader.end();
  for (const fault of own.all) faults.add(fault.pointer, fault.detail);
  return own.all.length === 0 ? (value as JsonObject) : null;
};

/**
 * Does a manifest's `direct_invoke.backend`, which cards publish, equal what the backend says of itself
 * that is bound to its handler? Without a binding there is nothing that it could contradict: no card
 * says it then, and such calls are refused when they are made.
 */
export function isSummaryTrue({ directInvoke }: Manifest, bound: JsonObject | null): boolean {
  if (directInvoke === null || bound === null) return true;
  return canonicalJson(directInvoke.backend) === canonicalJson(bound);
}
