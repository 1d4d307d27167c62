import { createRequire } from 'node:module';

/** What is used of `sodium-native`, which has no types of its own. */
export interface Libsodium {
  /**
   * Cofactorless, RFC 8032 section 5.1.7.
   * @param signature 64 bytes
   * @param key 32 bytes
   */
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean;
  /**
   * RFC 8032 section 5.1.6, which has one answer for a key and a message.
   * @param signature 64 bytes, which are written
   * @param secretKey 64 bytes: of {@link crypto_sign_seed_keypair}
   */
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
  /** Writes the 32 bytes of the public key and the 64 of the secret one that a seed of 32 bytes gives. */
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
  /** Memory between guard pages that is locked against swapping, left out of core dumps and wiped when freed. */
  sodium_malloc(bytes: number): Buffer;
  sodium_memzero(bytes: Uint8Array): void;
}

/**
 * Verifies Ed25519 in less than half of OpenSSL's time, and signs in half of it (decision 9). Undefined where it cannot be loaded,
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
