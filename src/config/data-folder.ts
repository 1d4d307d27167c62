import { join } from 'node:path';

/** `DATA_FOLDER` when it is not set. */
export const DEFAULT_DATA_FOLDER = './data';

/** Where the local issuer's private key lies; the command that mints tokens reads it there. */
export function devIssuerKeyFile(dataFolder: string): string {
  return join(dataFolder, 'dev-issuer.jwk.json');
}
