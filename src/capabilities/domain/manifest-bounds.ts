import type { EnforcedLimit } from './manifest.js';

/** How large a manifest may be: lengths in UTF-16 code units, sizes in those of JSON without spaces. */
export const MANIFEST_BOUNDS = {
  size: 128 * 1024,
  name: 200,
  description: 4_000,
  tags: 32,
  tag: 64,
  examples: 100,
  example: 1_000,
  modes: 32,
  scopes: 32,
  tenants: 1_000,
  /** Of tenants, owners, handlers, actions and kinds of data. */
  identifier: 255,
  data: 100,
  limits: 32,
  limitsSize: 8 * 1024,
  schemaSize: 48 * 1024,
} as const;

/** Largest value of each limit that is enforced: larger ones would only look like limits. */
export const LARGEST_LIMIT = {
  max_message_bytes: 2 ** 30,
  max_parts: 10_000,
  max_execution_seconds: 86_400,
  max_concurrent: 100_000,
  max_calls_per_minute: 1_000_000,
} as const satisfies Record<EnforcedLimit, number>;
