import { createRequire } from 'node:module';

/** What is used of `sodium-native`, which has no types of its own. */
interface Libsodium {
  /**
   * Cofactorless, RFC 8032 section 5.1.7.
   * @param signature 64 bytes
   * @param key 32 bytes
   */
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean;
}

/**
 * Verifies Ed25519 in less than half of OpenSSL's time (decision 9). Undefined where it cannot be loaded,
 * as where the package has no binary for the machine: OpenSSL does all then.
 */
export const libsodium: Libsodium | undefined = load();

function load(): Libsodium | undefined {
  const require = createRequire(import.meta.url);
  try {
    return require('sodium-native') as Libsodium;
  } catch {
    return undefined;
  }
}
