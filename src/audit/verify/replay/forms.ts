import { decodeBase64Url } from '../../../kernel/base64url.js';
import {
  parseAgentId,
  parseInteractionId,
  parseKeyId,
  parseTermsHash,
  parseUuid,
} from '../../../kernel/ids.js';
import { parseTimestamp } from '../../../kernel/timestamp.js';
import { members, oneOf, textThat, when } from './shapes.js';

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
export const signatureValue = textThat(
  (value) => decodeBase64Url(value)?.length === 64,
  'a signature',
);
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
