import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { LRUCache } from 'lru-cache';
import type { AgentCapabilities } from '../../capabilities/queries/capability-registry.js';
import { hashJson } from '../../kernel/digest.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { breathe } from '../../projections/pause.js';

/** Does the value have the shape of the schema (JSON Schema 2020-12, formats asserted)? */
export type SchemaCheck = (schema: JsonObject, value: Json) => boolean;

/** Compiled schemas that are kept, whatever they belong to. */
const MAX_COMPILED = 1000;

/**
 * Checks values against the input schemas of capabilities, which were judged when they were
 * registered. Compiled once each; a schema that does not compile, or fails at a value, fits nothing.
 */
export class InputSchemas {
  readonly #byIdentity = new WeakMap<JsonObject, ValidateFunction | null>();
  readonly #byDigest = new LRUCache<string, { readonly validate: ValidateFunction | null }>({
    max: MAX_COMPILED,
  });

  readonly fits: SchemaCheck = (schema, value) => {
    const validate = this.#compiled(schema);
    if (validate === null) return false;
    try {
      return validate(value);
    } catch {
      // A recursive schema on a deep value: the stack ends before the value does.
      return false;
    }
  };

  /** Compiles the schemas of an agent's capabilities ahead of the first message, one by one. */
  async prepare({ all }: AgentCapabilities): Promise<void> {
    for (const { manifest } of all.values()) {
      const schema = manifest.directInvoke?.inputSchema;
      if (schema === undefined || this.#byIdentity.has(schema)) continue;
      this.#compiled(schema);
      await breathe();
    }
  }

  #compiled(schema: JsonObject): ValidateFunction | null {
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

/** An instance each: Ajv keeps whatever it ever compiled. */
function compile(schema: JsonObject): ValidateFunction | null {
  try {
    return new Ajv2020({
      strict: false,
      validateSchema: false,
      logger: false,
      formats: fullFormats,
    }).compile(schema);
  } catch {
    return null;
  }
}
