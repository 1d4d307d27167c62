import { isObject, type Json, type JsonObject } from '../../kernel/json.js';
import type { TurnFailure } from '../turns/turn-plan.js';
import type { StoredTask } from '../tasks/domain/task.js';
import type { A2aRefusal } from '../wire/refusal.js';
import {
  DIRECT_INVOKE_CODES,
  directRefusal,
  fullCode,
  type CallIds,
  type DirectInvokeCode,
} from './direct-refusal.js';

/** How a direct invoke failed once there was a task. */
export interface DirectFailure {
  readonly code: DirectInvokeCode;
  /** The inner code, null when the outer one says it all. */
  readonly refusal: string | null;
  readonly retryAfterSeconds?: number;
}

/** Metadata of the status with which a direct invoke fails (RFC section 3.6): all that is told of it. */
export function failureMetadata(
  uri: string,
  { callId, traceId }: CallIds,
  { code, refusal, retryAfterSeconds }: DirectFailure,
): JsonObject {
  return {
    [uri]: {
      code: fullCode(code),
      ...(refusal === null ? {} : { refusal }),
      callId,
      ...(traceId === null ? {} : { traceId }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  };
}

/**
 * How a turn failed without a word of its backend. `timed-out` and `interrupted` say, as some codes of
 * backends do (`BackendFailureCode`), that nobody knows what was done. With the same idempotency key the answer stays the same: whoever has it done
 * all the same does so under a new key, and may have it done twice.
 */
export function failureOfTurn(why: TurnFailure): DirectFailure {
  return { code: CODES[why], refusal: why };
}

const CODES = {
  'not-recorded': 'BACKEND_UNAVAILABLE',
  'made-before': 'IDEMPOTENCY_CONFLICT',
  voided: 'FORBIDDEN',
  'approval-denied': 'FORBIDDEN',
  'approval-expired': 'FORBIDDEN',
  'approval-void': 'FORBIDDEN',
  'timed-out': 'BACKEND_UNAVAILABLE',
  interrupted: 'BACKEND_UNAVAILABLE',
  'handler-failed': 'BACKEND_FAILED',
} as const satisfies Record<TurnFailure, DirectInvokeCode>;

/**
 * The error that a unary answer about a task is: of a direct invoke that failed or was rejected, with
 * the id of the task. Undefined for every other task. A replay answers alike, since all of it stands
 * in the task. One that was lost with its process says `interrupted`.
 * @param uri of the extension
 */
export function directFailure(
  { task, routing }: Pick<StoredTask, 'task' | 'routing'>,
  uri: string,
): A2aRefusal | undefined {
  const { state, message } = task.status;
  if (routing?.layer !== 'direct-invoke') return undefined;
  if (state !== 'TASK_STATE_FAILED' && state !== 'TASK_STATE_REJECTED') return undefined;
  const said = task.metadata?.[uri];
  const members = isObject(said) ? said : {};
  const { code, refusal, retryAfterSeconds } = failureIn(members);
  const callId = members['callId'];
  const traceId = textOrNull(members['traceId']);
  const detail = message?.parts[0]?.text ?? 'The direct invoke has failed.';
  return directRefusal(code, detail, typeof callId === 'string' ? { callId, traceId } : null, {
    ...(refusal === null ? {} : { refusal }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    metadata: { taskId: task.id },
  });
}

function failureIn({ code: full, refusal, retryAfterSeconds }: JsonObject): DirectFailure {
  const code = DIRECT_INVOKE_CODES.find((each) => fullCode(each) === full);
  if (code === undefined) return failureOfTurn('interrupted');
  return {
    code,
    refusal: textOrNull(refusal),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  };
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
