import { describe, expect, it } from '@jest/globals';
import { failureOfThrown } from '../../../src/a2a/transports/failure.js';
import { RejectionException } from '../../../src/http/rejection-exception.js';
import { REJECTION_STATUS, retryAfterSeconds } from '../../../src/http/rejection-status.js';
import { REJECTIONS, type RejectionCode } from '../../../src/kernel/rejection.js';

const CODES = Object.keys(REJECTIONS) as RejectionCode[];

/** What A2A or JSON-RPC have a word for: HTTP status, that of JSON-RPC, its code, google.rpc.Code. */
const NAMED: Partial<Record<RejectionCode, readonly [number, number, number, string]>> = {
  'json-not-utf8': [400, 200, -32700, 'INVALID_ARGUMENT'],
  'json-syntax': [400, 200, -32700, 'INVALID_ARGUMENT'],
  'json-too-deep': [400, 200, -32600, 'INVALID_ARGUMENT'],
  'json-too-many-values': [400, 200, -32600, 'INVALID_ARGUMENT'],
  'json-duplicate-name': [400, 200, -32600, 'INVALID_ARGUMENT'],
  'json-forbidden-name': [400, 200, -32600, 'INVALID_ARGUMENT'],
  'json-lone-surrogate': [400, 200, -32600, 'INVALID_ARGUMENT'],
  'json-inexact-number': [400, 200, -32600, 'INVALID_ARGUMENT'],
  'media-type-unsupported': [400, 415, -32005, 'INVALID_ARGUMENT'],
};

/** What any other code is called, by its HTTP status. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  410: 'NOT_FOUND',
  412: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  428: 'FAILED_PRECONDITION',
  431: 'INVALID_ARGUMENT',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
};

describe('a refusal of the edge, as A2A says it', () => {
  it.each(CODES)('%s has one form, and keeps code, words and faults', (code) => {
    const status: number = REJECTION_STATUS[code].status;
    const isOurs = status >= 500;
    const form = NAMED[code] ?? [status, status, isOurs ? -32603 : -32000, STATUS_NAMES[status]];
    const reason = code.replaceAll('-', '_').toUpperCase();
    const info =
      code === 'media-type-unsupported'
        ? {
            reason: 'CONTENT_TYPE_NOT_SUPPORTED',
            domain: 'a2a-protocol.org',
            metadata: { code },
          }
        : { reason, domain: 'countersign.example' };
    const errorInfo = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', ...info };
    const retryAfter = retryAfterSeconds(code);

    const { http, rpcHttp, code: rpc, ...rest } = told({ code });
    expect([http, rpcHttp, rpc, rest.status]).toEqual(form);
    expect(rest.details).toEqual([errorInfo]);
    expect(rest.headers).toEqual(
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    );
    expect(rest.message).toBe(OWN_WORDS.get(code) ?? REJECTIONS[code]);

    const faults = [{ pointer: '/a', detail: 'is wrong' }] as const;
    const atLength = told({ code, detail: 'In other words.', faults });
    expect(atLength.message).toBe('In other words.');
    if (code !== 'media-type-unsupported') {
      expect(atLength.details).toEqual([
        errorInfo,
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: '/a', description: 'is wrong' }],
        },
      ]);
    }
  });
});

/** What the catalogue leaves to the transport. */
const OWN_WORDS: ReadonlyMap<RejectionCode, string> = new Map([
  ['json-too-large', 'The request is larger than 4 MiB.'],
  ['media-type-unsupported', 'Requests are application/json or application/a2a+json, in UTF-8.'],
]);

function told(
  rejection: ConstructorParameters<typeof RejectionException>[0],
): ReturnType<typeof failureOfThrown> {
  return failureOfThrown(new RejectionException(rejection), 'correlation');
}
