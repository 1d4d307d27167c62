import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { RejectionCode } from '../../kernel/rejection.js';
import { PROBLEM_MEDIA_TYPE } from '../problem.js';
import { REJECTION_STATUS } from '../rejection-status.js';
import { WORDS } from '../rejection-words.js';

/** Reference to the schema of problem documents, which `document.ts` defines. */
const PROBLEM_SCHEMA = { $ref: '#/components/schemas/Problem' };

/**
 * Documents the refusals of one operation in the OpenAPI description: one response per status, its
 * codes listed. Those that any operation may answer (`COMMON_PROBLEMS`) are added by themselves.
 */
export function Problems(...codes: readonly RejectionCode[]): MethodDecorator {
  return applyDecorators(
    ...byStatus(codes).map(([status, ofStatus]) =>
      ApiResponse({ status, ...problemResponse(ofStatus) }),
    ),
  );
}

export function byStatus(
  codes: readonly RejectionCode[],
): readonly (readonly [number, readonly RejectionCode[]])[] {
  const groups = new Map<number, RejectionCode[]>();
  for (const code of codes) {
    const { status } = REJECTION_STATUS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups];
}

export function problemResponse(codes: readonly RejectionCode[]): {
  description: string;
  content: Record<string, { schema: { $ref: string } }>;
} {
  return {
    description: codes.map((code) => `\`${code}\`: ${WORDS[code]}`).join('\n\n'),
    content: { [PROBLEM_MEDIA_TYPE]: { schema: PROBLEM_SCHEMA } },
  };
}

/** What any operation may answer before anybody looks at who asks for what. */
export const HTTP_PROBLEMS = [
  'http-malformed',
  'headers-too-large',
  'request-timeout',
  // For the content coding of the body, which is looked at whether one is read or not.
  'media-type-unsupported',
] as const satisfies readonly RejectionCode[];

/** What any authenticated operation may answer. */
export const COMMON_PROBLEMS = [
  'request-invalid',
  ...HTTP_PROBLEMS,
  'token-missing',
  'token-invalid',
  'scope-missing',
  'internal-error',
  'store-unavailable',
  'issuer-unavailable',
  'shutting-down',
  'too-many-streams',
] as const satisfies readonly RejectionCode[];

/** What an operation that writes may answer besides: one that needs no body reads the one that is sent. */
export const BODY_PROBLEMS = [
  'json-syntax',
  'json-not-utf8',
  'json-too-deep',
  'json-too-many-values',
  'json-duplicate-name',
  'json-forbidden-name',
  'json-lone-surrogate',
  'json-inexact-number',
  'json-too-large',
] as const satisfies readonly RejectionCode[];
