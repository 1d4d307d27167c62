import { err, ok, type Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';

/** Name of the header, and of the query parameter that stands in for it. */
export const VERSION_HEADER = 'a2a-version';
export const VERSION_PARAMETER = 'A2A-Version';

/** The protocol version that is served, as `<major>.<minor>`. */
const A2A_VERSION = '1.0';

/** What a request speaks that names no version (A2A v1.0 section 3.6.2). */
const UNNAMED = '0.3';

const VERSION = /^(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})(?:\.\d{1,4})?$/;

/** A header or query parameter as the framework hands it over: repeated ones come as a list. */
export type ReceivedValue = string | readonly string[] | undefined;

/**
 * The protocol version of a request (A2A v1.0 section 3.6): major and minor number count, a patch
 * number is read and ignored. Every version that is named, in the header or in the query, must be
 * served, so that no proxy between decides which of two was meant.
 *
 * Refuses with `VersionNotSupported`; what was sent is not repeated.
 */
export function negotiateVersion(
  header: ReceivedValue,
  queryValue: ReceivedValue,
): Result<typeof A2A_VERSION, A2aRefusal> {
  const named = [...valuesOf(header), ...valuesOf(queryValue)].filter((value) => value !== '');
  const asked = named.length === 0 ? [UNNAMED] : named;
  return asked.every(isServed) ? ok(A2A_VERSION) : err(NOT_SUPPORTED);
}

const NOT_SUPPORTED: A2aRefusal = {
  error: 'VersionNotSupported',
  detail: `This agent speaks A2A ${A2A_VERSION}: send A2A-Version: ${A2A_VERSION}. A request without a version counts as ${UNNAMED}.`,
  metadata: { supportedVersions: A2A_VERSION },
};

function isServed(text: string): boolean {
  const [, major = '', minor = ''] = VERSION.exec(text) ?? [];
  return `${major}.${minor}` === A2A_VERSION;
}

function valuesOf(received: ReceivedValue): string[] {
  if (received === undefined) return [];
  return (typeof received === 'string' ? [received] : received).map((value) => value.trim());
}
