import type { Fault } from '../../kernel/rejection.js';

/**
 * A2A's own errors (A2A v1.0 section 5.4) and JSON-RPC's: name → codes of the two bindings. `reason`
 * is the name in UPPER_SNAKE without "Error", under the domain `a2a-protocol.org`.
 */
export const A2A_ERRORS = {
  TaskNotFound: { rpc: -32001, http: 404, status: 'NOT_FOUND' },
  TaskNotCancelable: { rpc: -32002, http: 400, status: 'FAILED_PRECONDITION' },
  PushNotificationNotSupported: { rpc: -32003, http: 400, status: 'UNIMPLEMENTED' },
  UnsupportedOperation: { rpc: -32004, http: 400, status: 'UNIMPLEMENTED' },
  ContentTypeNotSupported: { rpc: -32005, http: 400, status: 'INVALID_ARGUMENT' },
  InvalidAgentResponse: { rpc: -32006, http: 500, status: 'INTERNAL' },
  ExtendedAgentCardNotConfigured: { rpc: -32007, http: 400, status: 'FAILED_PRECONDITION' },
  ExtensionSupportRequired: { rpc: -32008, http: 400, status: 'FAILED_PRECONDITION' },
  VersionNotSupported: { rpc: -32009, http: 400, status: 'UNIMPLEMENTED' },
  ParseError: { rpc: -32700, http: 400, status: 'INVALID_ARGUMENT' },
  InvalidRequest: { rpc: -32600, http: 400, status: 'INVALID_ARGUMENT' },
  MethodNotFound: { rpc: -32601, http: 404, status: 'UNIMPLEMENTED' },
  InvalidParams: { rpc: -32602, http: 400, status: 'INVALID_ARGUMENT' },
  Internal: { rpc: -32603, http: 500, status: 'INTERNAL' },
  /** Not now: the same request may be sent again. */
  Unavailable: { rpc: -32603, http: 503, status: 'UNAVAILABLE' },
  /** Too many of this caller; -32000 is JSON-RPC's own room for servers, and none of A2A's codes. */
  RateLimited: { rpc: -32000, http: 429, status: 'RESOURCE_EXHAUSTED' },
} as const satisfies Record<string, { rpc: number; http: number; status: string }>;

export type A2aErrorName = keyof typeof A2A_ERRORS;

/** Why an A2A operation was refused: a value. All of it may be shown to the caller. */
export interface A2aRefusal {
  readonly error: A2aErrorName;
  /** One sentence about this occurrence; never names what the caller may not know. */
  readonly detail: string;
  /**
   * A stable code of ours that says more than the name: `reason` of the one ErrorInfo under our domain
   * for JSON-RPC's own errors, `metadata.code` beside the prescribed reason for A2A's.
   */
  readonly code?: string;
  /** Of the ErrorInfo; values are texts. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Of a BadRequest: JSON Pointers into the params and what is wrong there. */
  readonly faults?: readonly Fault[];
  /** When to ask again: `Retry-After`, and a `google.rpc.RetryInfo` among the details. */
  readonly retryAfterSeconds?: number;
}
