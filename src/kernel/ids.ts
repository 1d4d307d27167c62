import { hash } from 'node:crypto';
import type { Brand } from './brand.js';
import { canonicalJson } from './canonical-json.js';

/** A registered agent's id: DIDs fit, `/` does not. */
export type AgentId = Brand<string, 'AgentId'>;
/** A skill's id, unique within its agent for ever; the form of agent ids. */
export type SkillId = Brand<string, 'SkillId'>;
/** A lower-case UUID, neither nil nor max. */
export type InteractionId = Brand<string, 'InteractionId'>;
/** The name of an agent's or the platform's key, unique within its owner for ever. */
export type KeyId = Brand<string, 'KeyId'>;
/** b64u(SHA-256(JCS(terms))): 43 characters. */
export type TermsHash = Brand<string, 'TermsHash'>;
/** A derived or random UUID, lower case. */
export type Uuid = Brand<string, 'Uuid'>;

/** What agents and skills are named by: for messages and API descriptions, without anchors. */
export const ID_FORM = '[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}';
/** What keys are named by. */
export const KEY_ID_FORM = '[A-Za-z0-9][A-Za-z0-9._:~#-]{0,159}';

const ID = new RegExp(`^${ID_FORM}$`);
const KEY_ID = new RegExp(`^${KEY_ID_FORM}$`);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SHA256 = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/**
 * Of 1 to 128 ASCII characters, case-sensitive, as {@link ID_FORM} has them: the characters of a DID's
 * method and identifier (W3C DID Core, section 3.1). Undefined for any other text.
 */
export function parseAgentId(text: string): AgentId | undefined {
  return ID.test(text) ? (text as AgentId) : undefined;
}

/** In the form of agent ids; undefined for any other text. */
export function parseSkillId(text: string): SkillId | undefined {
  return ID.test(text) ? (text as SkillId) : undefined;
}

/**
 * Of 1 to 160 ASCII characters, case-sensitive, as {@link KEY_ID_FORM} has them: an agent's id, and `#`
 * with a fragment behind it, fit. Undefined for any other text.
 */
export function parseKeyId(text: string): KeyId | undefined {
  return KEY_ID.test(text) ? (text as KeyId) : undefined;
}

/**
 * A UUID of RFC 9562 in lower case, with hyphens: its variant (section 4.1) and a version of 1 to 8
 * (section 4.2). Nil and max fall out by themselves: they carry no version. Undefined for any other text.
 */
export function parseInteractionId(text: string): InteractionId | undefined {
  return UUID.test(text) ? (text as InteractionId) : undefined;
}

/** In the form of {@link parseInteractionId}; undefined for any other text. */
export function parseUuid(text: string): Uuid | undefined {
  return UUID.test(text) ? (text as Uuid) : undefined;
}

/** A SHA-256 in its one base64url spelling (RFC 4648 section 5, no padding); undefined for any other text. */
export function parseTermsHash(text: string): TermsHash | undefined {
  return SHA256.test(text) ? (text as TermsHash) : undefined;
}

/** Our UUIDv5 namespace: fixed for ever, since stream names and event ids are derived under it. */
const NAMESPACE = Buffer.from('6f2d1c9ee4f14c0fa1e7b5a8d3c95b42', 'hex');

/** UUIDv5 (RFC 9562 section 5.5) over JCS(name) in the service's own namespace. */
export function deriveUuid(name: readonly unknown[]): Uuid {
  const named = Buffer.concat([NAMESPACE, Buffer.from(canonicalJson(name))]);
  const hex = hash('sha1', named, 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}` as Uuid;
}
