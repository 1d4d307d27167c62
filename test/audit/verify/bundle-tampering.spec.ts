import { describe, expect, it } from '@jest/globals';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import type { EventEnvelope } from '../../../src/kernel/envelope.js';
import type { Json, JsonObject } from '../../../src/kernel/json.js';
import { bundleOf, golden, goldenBundle, logKey, preludeOf, trusting } from '../support/bundles.js';

const trust = trusting(logKey);

type Path = readonly (string | number)[];

/** Every place below which nothing stands. */
function leaves(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, child]: [string, Json]) =>
    leaves(child, [...path, Array.isArray(value) ? Number(name) : name]),
  );
  return inner.length === 0 ? [path] : inner;
}

function changed(value: Json, [name, ...rest]: Path): Json {
  if (name === undefined) return another(value);
  if (Array.isArray(value)) {
    return value.map((child: Json, index) => (index === name ? changed(child, rest) : child));
  }
  const object = value as Readonly<Record<string, Json>>;
  return { ...object, [name]: changed(object[name] ?? null, rest) };
}

/** As much like the value as can be, and another one. */
function another(value: Json): Json {
  if (typeof value === 'string') {
    const last = value.at(-1) ?? 'A';
    return (
      value.slice(0, -1) + (last === 'A' || last === 'Z' ? 'B' : 'A') + (last === 'Z' ? 'Z' : '')
    );
  }
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return value === null ? 'x' : { x: 1 };
}

const named = (paths: readonly Path[]) => paths.map((path) => [path.join('/'), path] as const);

describe('no member of an event can be changed in a bundle', () => {
  const bundle = JSON.parse(JSON.stringify(goldenBundle('rejected'))) as JsonObject & {
    readonly streams: JsonObject;
  };
  const paths = leaves(bundle.streams, ['streams']).filter((path) => path.includes('envelope'));

  it('there are many of them', () => {
    expect(paths.length).toBeGreaterThan(150);
  });

  it('one by one', () => {
    const unnoticed = named(paths).filter(
      ([, path]) => verifyBundle(changed(bundle, path), trust).result !== 'failed',
    );
    expect(unnoticed.map(([name]) => name)).toEqual([]);
  });

  it('nor taken away, nor one added', () => {
    const told = bundle.streams as unknown as Record<string, { readonly envelope: JsonObject }[]>;
    for (const [stream, entries] of Object.entries(told)) {
      for (const [index, entry] of entries.entries()) {
        const { envelope } = entry;
        const others = Object.keys(envelope).map((name) =>
          Object.fromEntries(Object.entries(envelope).filter(([member]) => member !== name)),
        );
        for (const other of [...others, { ...envelope, extra: 1 }]) {
          const forged = {
            ...bundle,
            streams: {
              ...told,
              [stream]: entries.map((each, at) =>
                at === index ? { ...each, envelope: other } : each,
              ),
            },
          };
          expect(verifyBundle(forged, trust).result).toBe('failed');
        }
      }
    }
  });
});

describe('nothing else in a bundle can be changed', () => {
  const bundle = JSON.parse(JSON.stringify(goldenBundle('rejected'))) as Json;
  const paths = leaves(bundle).filter((path) => !path.includes('envelope'));

  it('one by one', () => {
    const unnoticed = named(paths).filter(
      ([, path]) => verifyBundle(changed(bundle, path), trust).result === 'verified',
    );
    expect(unnoticed.map(([name]) => name)).toEqual([]);
  });
});

/** A log whose operator rewrites an event, and signs the tree over it. */
describe('a log cannot be rewritten by its own operator where parties have signed', () => {
  const told = golden('negotiated-amended-completed');
  const [dataKey = null] = Object.values(told.dataKeys);
  const log = [...preludeOf(told), ...told.events];

  const rewritten = (at: number, path: Path) =>
    bundleOf({
      log: log.map((event, index) =>
        index === at
          ? (changed(event as unknown as Json, path) as unknown as EventEnvelope)
          : event,
      ),
      document: told.document,
      dataKey,
    });

  it('no member of what an event of the interaction says', () => {
    const unnoticed: string[] = [];
    for (const [at, event] of log.entries()) {
      if (!event.stream.startsWith('interaction-')) continue;
      for (const path of leaves(event.data, ['data'])) {
        const { result } = verifyBundle(rewritten(at, path), trust);
        if (result !== 'failed') unnoticed.push(`${event.type} ${path.join('/')}`);
      }
    }
    expect(unnoticed).toEqual([]);
  });

  it('no key, and nothing of its proof', () => {
    const unnoticed: string[] = [];
    for (const [at, event] of log.entries()) {
      if (event.type !== 'agent-registered' && event.type !== 'platform-key-added') continue;
      for (const path of leaves(event.data, ['data'])) {
        const { result } = verifyBundle(rewritten(at, path), trust);
        if (result !== 'failed') unnoticed.push(`${event.type} ${path.join('/')}`);
      }
    }
    // Who owns an agent, and where it is reached, nobody signs.
    const vouchedFor = /(tenant|owner|clients\/0|protocolBinding|endpoint)$/;
    expect(unnoticed.filter((path) => !vouchedFor.test(path))).toEqual([]);
  });

  it('nor the sealed texts, the type, the place or the moment', () => {
    const unnoticed: string[] = [];
    for (const [at, event] of log.entries()) {
      if (!event.stream.startsWith('interaction-')) continue;
      for (const name of [
        'sealed',
        'type',
        'stream',
        'revision',
        'recordedAt',
        'schemaVersion',
        'id',
      ]) {
        const { result } = verifyBundle(rewritten(at, [name]), trust);
        if (result === 'verified') unnoticed.push(`${event.type}@${event.revision} ${name}`);
      }
    }
    // An id is the platform's own; of events with texts the seal depends on it.
    expect(unnoticed.filter((path) => !path.endsWith(' id'))).toEqual([]);
  });
});
