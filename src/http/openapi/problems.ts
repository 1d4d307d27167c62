import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { REJECTIONS, type RejectionCode } from '../../kernel/rejection.js';
import { PROBLEM_MEDIA_TYPE } from '../problem.js';
import { REJECTION_STATUS } from '../rejection-status.js';

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
    description: codes.map((code) => `\`${code}\`: ${REJECTIONS[code]}`).join('\n\n'),
    content: { [PROBLEM_MEDIA_TYPE]: { schema: PROBLEM_SCHEMA } },
  };
}

/** What any authenticated operation may answer. */
export const COMMON_PROBLEMS = [
  'request-invalid',
  'http-malformed',
  'token-missing',
  'token-invalid',
  'scope-missing',
  'internal-error',
  'store-unavailable',
  'issuer-unavailable',
  'shutting-down',
  'too-many-streams',
] as const satisfies readonly RejectionCode[];

/** What an operation with a body may answer besides. */
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
  'media-type-unsupported',
] as const satisfies readonly RejectionCode[];
