import { err, ok, type Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { ReceivedValue } from './version.js';

/** Names what a client asks for, and in answers what was activated. */
export const EXTENSIONS_HEADER = 'a2a-extensions';

/**
 * The extensions that a request activates (A2A v1.0 section 3.2.6): those that it names and the card
 * declares, by exact, case-sensitive URI. Repeated headers and comma lists count as one list, in
 * which others are ignored: a URI with a trailing slash or of another version is another extension.
 * Takes one pass over the header, whatever it holds.
 *
 * Refuses with `ExtensionSupportRequired` when a required one is not named; `metadata.missing` lists
 * their URIs, separated by a comma and a space.
 *
 * @param declared URIs of the card's extensions
 * @param required those of them without which no request is served
 * @returns exact URIs in the order of the card
 */
export function negotiateExtensions(
  header: ReceivedValue,
  declared: readonly string[],
  required: readonly string[],
): Result<ReadonlySet<string>, A2aRefusal> {
  const asked = namedIn(header);
  const missing = required.filter((uri) => !asked.has(uri));
  if (missing.length > 0) {
    const uris = missing.join(', ');
    return err({
      error: 'ExtensionSupportRequired',
      detail: `This agent requires extensions that the request does not name in A2A-Extensions: ${uris}.`,
      metadata: { missing: uris },
    });
  }
  return ok(new Set(declared.filter((uri) => asked.has(uri))));
}

/** The value of the answer's header, undefined when nothing was activated and none is sent. */
export function extensionsHeader(activated: ReadonlySet<string>): string | undefined {
  return activated.size === 0 ? undefined : [...activated].join(', ');
}

function namedIn(header: ReceivedValue): ReadonlySet<string> {
  const lines = header === undefined ? [] : typeof header === 'string' ? [header] : header;
  return new Set(lines.flatMap((line) => line.split(',').map((uri) => uri.trim())));
}
