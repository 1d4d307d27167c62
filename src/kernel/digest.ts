import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** b64u(SHA-256(bytes)): 43 characters. A string counts as its UTF-8 bytes. */
export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'base64url');
}

/** b64u(SHA-256(JCS(value))): 43 characters. */
export function hashJson(value: unknown): string {
  return sha256(canonicalJson(value));
}
