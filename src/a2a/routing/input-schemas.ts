import type { AgentCapabilities } from '../../capabilities/queries/capability-registry.js';
import type { SharedWork } from '../../capabilities/queries/schemas/work-budget.js';
import type { SchemaJudges } from '../../capabilities/queries/schemas/schema-judges.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { letOthersRun } from '../../threads/let-others-run.js';

/** Does the value have the shape of the schema (JSON Schema 2020-12, formats asserted)? */
export type SchemaCheck = (schema: JsonObject, value: Json, shared: SharedWork) => boolean;

/**
 * Checks values against the input schemas of capabilities, which were judged when they were
 * registered. Compiled once each; to a schema that does not compile, nothing fits.
 */
export class InputSchemas {
  constructor(private readonly judges: SchemaJudges) {}

  readonly fits: SchemaCheck = (schema, value, shared) =>
    this.judges.of(schema)?.fits(value, shared) ?? false;

  /** Compiles the schemas of an agent's capabilities ahead of the first message, one by one. */
  async prepare({ all }: AgentCapabilities): Promise<void> {
    for (const { manifest } of all.values()) {
      const schema = manifest.directInvoke?.inputSchema;
      if (schema === undefined || this.judges.has(schema)) continue;
      this.judges.of(schema);
      await letOthersRun();
    }
  }
}
