import {
  parseAgentId,
  parseInteractionId,
  parseKeyId,
  parseTermsHash,
  parseUuid,
} from '../../../kernel/ids.js';
import { parseTimestamp } from '../../../kernel/timestamp.js';
import { members, oneOf, textThat, when } from './shapes.js';

/**
 * How many bytes a text holds in the one canonical spelling of base64url; undefined for another text.
 * As `decodeBase64Url`, without the bytes.
 */
export function base64UrlLength(text: string): number | undefined {
  const rest = text.length % 4;
  if (rest === 1 || !BASE64URL.test(text)) return undefined;
  if (rest === 2 && !ENDS_ONE_BYTE.test(text)) return undefined;
  if (rest === 3 && !ENDS_TWO_BYTES.test(text)) return undefined;
  return Math.floor((text.length * 3) / 4);
}

const BASE64URL = /^[A-Za-z0-9_-]*$/;
/** Without stray bits in the last character. */
const ENDS_ONE_BYTE = /[AQgw]$/;
const ENDS_TWO_BYTES = /[AEIMQUYcgkosw048]$/;

/** The spellings of which the log's events are made. */

export const uuid = textThat((text) => parseUuid(text) !== undefined, 'a UUID');
export const interactionId = textThat(
  (text) => parseInteractionId(text) !== undefined,
  'an interaction id',
);
export const agentId = textThat((text) => parseAgentId(text) !== undefined, 'an agent id');
export const keyId = textThat((text) => parseKeyId(text) !== undefined, 'a key id');
export const hash = textThat((text) => parseTermsHash(text) !== undefined, 'a SHA-256');
export const moment = textThat((text) => parseTimestamp(text) !== undefined, 'a moment');
export const text = textThat((value) => value.isWellFormed(), 'a text');
export const name = textThat((value) => value !== '' && value.isWellFormed(), 'a name');
export const count = when((value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a count');
export const revisionNumber = when(
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  'a number from 1',
);
export const signatureValue = textThat((value) => base64UrlLength(value) === 64, 'a signature');
export const signature = members({
  algorithm: oneOf('Ed25519'),
  keyId,
  value: signatureValue,
});

const SERVER_MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The server's own spelling: with milliseconds. */
export const serverMoment = textThat(
  (value) => SERVER_MOMENT.test(value) && parseTimestamp(value) !== undefined,
  "a moment in the server's spelling",
);
