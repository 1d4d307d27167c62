import { LRUCache } from 'lru-cache';
import type { AgentCapabilities } from '../../capabilities/queries/capability-registry.js';
import {
  compileSchema,
  type SchemaTest,
} from '../../capabilities/queries/schemas/compile-schema.js';
import { hashJson } from '../../kernel/digest.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { breathe } from '../../projections/pause.js';

/** Does the value have the shape of the schema (JSON Schema 2020-12, formats asserted)? */
export type SchemaCheck = (schema: JsonObject, value: Json) => boolean;

/** Compiled schemas that are kept, whatever they belong to. */
const MAX_COMPILED = 1000;

/**
 * Checks values against the input schemas of capabilities, which were judged when they were
 * registered. Compiled once each; to a schema that does not compile, nothing fits.
 */
export class InputSchemas {
  readonly #byIdentity = new WeakMap<JsonObject, SchemaTest | null>();
  readonly #byDigest = new LRUCache<string, { readonly validate: SchemaTest | null }>({
    max: MAX_COMPILED,
  });

  readonly fits: SchemaCheck = (schema, value) => this.#compiled(schema)?.(value) ?? false;

  /** Compiles the schemas of an agent's capabilities ahead of the first message, one by one. */
  async prepare({ all }: AgentCapabilities): Promise<void> {
    for (const { manifest } of all.values()) {
      const schema = manifest.directInvoke?.inputSchema;
      if (schema === undefined || this.#byIdentity.has(schema)) continue;
      this.#compiled(schema);
      await breathe();
    }
  }

  #compiled(schema: JsonObject): SchemaTest | null {
    let validate = this.#byIdentity.get(schema);
    if (validate === undefined) {
      // A revised manifest is a new object, mostly with the schema of before.
      const digest = hashJson(schema);
      const known = this.#byDigest.get(digest) ?? { validate: compile(schema) };
      this.#byDigest.set(digest, known);
      validate = known.validate;
      this.#byIdentity.set(schema, validate);
    }
    return validate;
  }
}

function compile(schema: JsonObject): SchemaTest | null {
  try {
    return compileSchema(schema);
  } catch {
    return null;
  }
}
