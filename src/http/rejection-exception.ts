import type { Rejection } from '../kernel/rejection.js';
import type { Result } from '../kernel/result.js';

/**
 * How a handler hands a refusal to the edge: the one throw that is no bug. The filter answers it as
 * the problem document of the rejection's code.
 */
export class RejectionException extends Error {
  override readonly name = 'RejectionException';

  /**
   * @param rejection what is refused and why
   * @param headers response headers that belong to this refusal, such as `WWW-Authenticate`
   */
  constructor(
    readonly rejection: Rejection,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(rejection.code);
  }
}

/**
 * The value of a result, at the edge: `const interaction = orReject(await handler.run(command))`.
 * @throws {RejectionException} when it was refused
 */
export function orReject<T>(result: Result<T, Rejection>): T {
  if (!result.ok) throw new RejectionException(result.error);
  return result.value;
}
