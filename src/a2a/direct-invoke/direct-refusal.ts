import type { JsonPointer } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { DirectCall } from './direct-call.js';

/** The codes of RFC skill-direct-invoke, section 5, in the order in which the checks are made. */
export const DIRECT_INVOKE_CODES = [
  /** Activated, and without a payload. */
  'METADATA_MISSING',
  /** The payload, or the message around it, is none of this extension. */
  'INVALID_METADATA',
  /** Also said of a skill that the caller may not see. */
  'SKILL_NOT_FOUND',
  /** The skill cannot be invoked directly. */
  'SKILL_NOT_BOUND',
  /** No token, and the skill asks for one. */
  'UNAUTHORIZED',
  /** The arguments do not fit the input schema, or nobody produces the expected output mode. */
  'INVALID_ARGUMENTS',
  /** Not authorized; `metadata.refusal` says why. */
  'FORBIDDEN',
  /** The key was used with other arguments, or is spent. */
  'IDEMPOTENCY_CONFLICT',
  /** The deployment has no backend of this name here. */
  'BACKEND_NOT_FOUND',
  /** It gave no answer; `metadata.refusal` says why, and so whether it may have acted. */
  'BACKEND_UNAVAILABLE',
  /** It answered with a failure. */
  'BACKEND_FAILED',
  /** What it answered does not fit the output schema. */
  'OUTPUT_INVALID',
] as const;

export type DirectInvokeCode = (typeof DIRECT_INVOKE_CODES)[number];

/** A code as it goes over the wire. */
export function fullCode(code: DirectInvokeCode): string {
  return `SKILL_DIRECT_INVOKE_${code}`;
}

/** What a refusal says besides its code and its sentence. */
export interface DirectRefusalMore {
  /** The inner code: why it is refused, or failed. */
  readonly refusal?: string;
  readonly faults?: readonly Fault[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
}

/** The ids of a call that its answers repeat. */
export type CallIds = Pick<DirectCall, 'callId' | 'traceId'>;

/**
 * A refusal of a direct invoke: InvalidParams, whose `reason` is the full code, which
 * `metadata.code` repeats; with the ids of the call as far as they were read.
 */
export function directRefusal(
  code: DirectInvokeCode,
  detail: string,
  call: CallIds | null,
  { refusal, faults, metadata, retryAfterSeconds }: DirectRefusalMore = {},
): A2aRefusal {
  return {
    error: 'InvalidParams',
    code: fullCode(code),
    detail,
    metadata: {
      code: fullCode(code),
      ...(refusal === undefined ? {} : { refusal }),
      ...(call === null ? {} : { callId: call.callId }),
      ...(call === null || call.traceId === null ? {} : { traceId: call.traceId }),
      ...metadata,
    },
    ...(faults === undefined ? {} : { faults }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** The faults of a list, each below a pointer. */
export function faultsBelow(pointer: JsonPointer, faults: readonly Fault[]): readonly Fault[] {
  return faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer }));
}
