import type { SqliteLocation } from './config.js';
import type { EnvironmentReader } from './environment.js';

const LATER_ENGINES = ['esdb:', 'esdb+discover:', 'kurrentdb:', 'postgres:', 'postgresql:'];

/** A store by its URL; `sqlite:<path>` is the only engine so far. */
export function readStore(
  reader: EnvironmentReader,
  variable: string,
  fallback: string,
): SqliteLocation {
  const text = reader.optional(variable) ?? `sqlite:${fallback}`;
  const path = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : '';
  if (LATER_ENGINES.some((scheme) => text.startsWith(scheme))) {
    reader.fault(
      variable,
      `${text.split(':')[0] ?? ''} is not available in this version; use sqlite:<path>`,
    );
  } else if (path === '' || path.startsWith('//') || path.startsWith(':')) {
    // `:memory:` and `file:` forms would lose every acknowledged event.
    reader.fault(variable, 'must be sqlite:<path of a file>');
  }
  return { engine: 'sqlite', path };
}
