import { backendName } from '../capabilities/domain/backend-summary.js';
import { Faults, flag, MemberReader, oneOf, text, type Reads } from '../kernel/document-reader.js';
import { pointerTo, type JsonPointer } from '../kernel/json.js';
import type { BackendBinding } from './hosted-agents.js';
import { webAddress } from './url-reads.js';

const MAX_BINDINGS = 200;
const DEFAULT_TIMEOUT_MS = 10_000;
const TIMEOUT_MS = [100, 300_000] as const;

/** What manifests may give as their `handler`. */
const HANDLER = /^[\x21-\x7e]{1,255}$/;

/** Names of MCP tools. */
const TOOL = /^[A-Za-z0-9._/-]{1,128}$/;

/**
 * Reads `{"<handler>": {kind: http|a2a|mcp, name, url, audience?, timeoutMs?, idempotent?, tool?}}`: the
 * backends of an agent that are outside of this process. `url` is fixed, https, without user and
 * fragment; `audience` is the `url` when not given, `timeoutMs` 10 000 (100 to 300 000), `idempotent`
 * false; an MCP backend needs a `tool`, and no other has one.
 */
export function backendsReads(
  allowLoopbackHttp: boolean,
): Reads<ReadonlyMap<string, BackendBinding>> {
  return (value, pointer, faults) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return faults.add(pointer, 'must be an object');
    }
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    if (entries.length > MAX_BINDINGS) {
      return faults.add(pointer, `must have at most ${String(MAX_BINDINGS)} members`);
    }
    const bindings = new Map<string, BackendBinding>();
    for (const [handler, entry] of entries) {
      const at = pointerTo(pointer, handler);
      if (!HANDLER.test(handler)) {
        faults.add(at, 'must be named as a handler: 1 to 255 visible ASCII characters');
        continue;
      }
      const binding = readBinding(entry, at, faults, allowLoopbackHttp);
      if (binding !== null) bindings.set(handler, binding);
    }
    return bindings;
  };
}

function readBinding(
  value: unknown,
  pointer: JsonPointer,
  faults: Faults,
  allowLoopbackHttp: boolean,
): BackendBinding | null {
  const own = new Faults();
  const reader = new MemberReader(value, pointer, own);
  const kind = reader.required('kind', oneOf('http', 'a2a', 'mcp'));
  const name = reader.required('name', backendName);
  const url = reader.required('url', urlReads(allowLoopbackHttp));
  const audience = reader.optional('audience', audienceReads, url);
  const timeoutMs = reader.optional('timeoutMs', timeout, DEFAULT_TIMEOUT_MS);
  const isIdempotent = reader.optional('idempotent', flag, false);
  const tool = kind === 'mcp' ? reader.required('tool', toolReads) : null;
  // Asked of no other kind, so that there it is no documented member.
  reader.end();
  for (const fault of own.all) faults.add(fault.pointer, fault.detail);
  if (own.all.length > 0) return null;
  // Without a fault every member was read.
  return { kind, name, url, audience, timeoutMs, isIdempotent, tool } as BackendBinding;
}

const toolReads = text(128, 'the name of an MCP tool', (value) =>
  TOOL.test(value) ? value : undefined,
);

const audienceReads = text(2048, 'a text without spaces and control characters', (value) =>
  /^[^\s\p{Cc}]+$/u.test(value) ? value : undefined,
);

function urlReads(allowLoopbackHttp: boolean): Reads<string> {
  const address = webAddress(allowLoopbackHttp);
  return (value, pointer, faults) => {
    const url = address(value, pointer, faults);
    if (url === null || new URL(url).hash === '') return url;
    return faults.add(pointer, 'must carry no fragment');
  };
}

const timeout: Reads<number> = (value, pointer, faults) => {
  const [min, max] = TIMEOUT_MS;
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  return faults.add(
    pointer,
    `must be a whole number of ${String(min)} to ${String(max)} milliseconds`,
  );
};
