import type { Json, JsonObject } from '../../kernel/json.js';
import type { Fault } from '../../kernel/rejection.js';
import { A2A_ERRORS, type A2aErrorName, type A2aRefusal } from './refusal.js';

/** `domain` of the ErrorInfo of A2A's own errors (A2A v1.0 sections 9.5 and 11.6). */
const A2A_DOMAIN = 'a2a-protocol.org';
/** `domain` of every other one. */
const OWN_DOMAIN = 'countersign.example';

/** What an error says besides code and message: JSON-RPC's `error.data`, HTTP's `error.details`. */
export type ErrorDetails = readonly JsonObject[];

/**
 * The details of a refusal: exactly one `google.rpc.ErrorInfo` (AIP-193), a `google.rpc.BadRequest`
 * when there are faults, a `google.rpc.RetryInfo` when it is known when to ask again. A2A's own errors have their name for a reason, and
 * our code in the metadata; JSON-RPC's have our code for a reason.
 */
export function detailsOf(refusal: A2aRefusal): ErrorDetails {
  const { error, code, metadata, faults, retryAfterSeconds } = refusal;
  const info = isA2aError(error)
    ? errorInfo(
        A2A_DOMAIN,
        upperSnake(error),
        code === undefined ? metadata : { code, ...metadata },
      )
    : ownErrorInfo(code ?? error, metadata);
  return [
    info,
    ...(faults === undefined ? [] : [badRequest(faults)]),
    ...(retryAfterSeconds === undefined ? [] : [retryInfo(retryAfterSeconds)]),
  ];
}

export function ownErrorInfo(
  code: string,
  metadata: Readonly<Record<string, string>> | undefined,
): JsonObject {
  return errorInfo(OWN_DOMAIN, upperSnake(code), metadata);
}

export function badRequest(faults: readonly Fault[]): JsonObject {
  return {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: faults.map(({ pointer, detail }) => ({ field: pointer, description: detail })),
  };
}

function errorInfo(
  domain: string,
  reason: string,
  metadata: Readonly<Record<string, Json>> | undefined,
): JsonObject {
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain,
    ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

/** A `google.protobuf.Duration` in its JSON form. */
function retryInfo(seconds: number): JsonObject {
  return { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` };
}

/** A2A numbers its own errors from -32001 down to -32099; the others are JSON-RPC's. */
function isA2aError(error: A2aErrorName): boolean {
  const { rpc } = A2A_ERRORS[error];
  return rpc > -32100 && rpc < -32000;
}

function upperSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();
}
