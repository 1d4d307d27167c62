import { ApiResponse } from '@nestjs/swagger';

/** How 304 is described. Documents that all share (`shared-answers.ts`) are described so by themselves. */
export const NOT_MODIFIED = {
  description: 'The client has it: `If-None-Match` names its ETag.',
};

/** Describes the 304 of an operation that tells it itself whether the client has its document. */
export function NotModified(): MethodDecorator {
  return ApiResponse({ status: 304, ...NOT_MODIFIED });
}
