/** Where commands find an access token that is not to stand among their arguments. */
export const TOKEN_VARIABLE = 'COUNTERSIGN_TOKEN';

/** Undefined when it is unset or empty. */
export function tokenOfEnvironment(): string | undefined {
  const token = process.env[TOKEN_VARIABLE];
  return token === '' ? undefined : token;
}
