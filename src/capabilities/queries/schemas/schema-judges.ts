import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hashJson } from '../../../kernel/digest.js';
import type { JsonObject } from '../../../kernel/json.js';
import { judgeBy, type SchemaJudge } from './schema-judge.js';

/** Compiled schemas that are kept, whatever they belong to. */
const MAX_COMPILED = 2000;

/**
 * Judges by the schemas of capabilities, which were judged themselves when they were registered: each
 * is compiled once in a process, for all that ask this one.
 */
@Injectable()
export class SchemaJudges {
  readonly #byIdentity = new WeakMap<JsonObject, SchemaJudge | null>();
  readonly #byDigest = new LRUCache<string, { readonly judge: SchemaJudge | null }>({
    max: MAX_COMPILED,
  });

  /** Null when the schema does not compile: to it, nothing fits. */
  of(schema: JsonObject): SchemaJudge | null {
    const held = this.#byIdentity.get(schema);
    if (held !== undefined) return held;
    // A revised manifest is a new object, mostly with the schema of before.
    const digest = hashJson(schema);
    const known = this.#byDigest.get(digest) ?? { judge: compiled(schema) };
    this.#byDigest.set(digest, known);
    this.#byIdentity.set(schema, known.judge);
    return known.judge;
  }

  /** Has this very object been asked for before? */
  has(schema: JsonObject): boolean {
    return this.#byIdentity.has(schema);
  }
}

function compiled(schema: JsonObject): SchemaJudge | null {
  try {
    return judgeBy(schema);
  } catch {
    return null;
  }
}
