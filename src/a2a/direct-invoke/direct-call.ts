import type { SkillId } from '../../kernel/ids.js';
import type { JsonObject } from '../../kernel/json.js';

/** The payload of a direct invoke as its message carried it (RFC section 3.3), well-formed. */
export interface DirectCall {
  readonly callId: string;
  readonly skillId: SkillId;
  readonly arguments: JsonObject;
  readonly traceId: string | null;
  readonly idempotencyKey: string | null;
  /** A media type, lower case, without parameters. */
  readonly expectedOutputMode: string | null;
}
