import type { Uuid } from '../../kernel/ids.js';
import type { Json } from '../../kernel/json.js';

/**
 * Knows what a call that waits for an approval was sent with: the arguments of a direct invoke, or those
 * that a backend gets of a message, whose digest is the call's `argumentsDigest`; of any other message
 * `{parts, metadata?, extensions?, referenceTaskIds?}`. They stand in no event of the log: whoever keeps
 * the task has them.
 */
export abstract class ApprovalSubjects {
  /** Undefined: they are gone. For approvers alone. */
  abstract of(taskId: Uuid, invocationId: Uuid): Promise<Json | undefined>;
}
