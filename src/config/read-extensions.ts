import { honouredUris } from '../capabilities/domain/card-extensions.js';
import type { EnvironmentReader } from './environment.js';
import type { A2aConfig } from './hosted-agents.js';

/**
 * Names the contract under which a message is sent. The same for every deployment, so that a client
 * knows it before it knows the deployment; a breaking change gets another version.
 */
export const DEFAULT_TRUST_EXTENSION = 'https://countersign.example/extensions/trust/v1';

/** RFC skill-direct-invoke, section 3.1. */
export const DEFAULT_DIRECT_INVOKE_EXTENSION =
  'https://example.com/a2a/extensions/skill-direct-invoke/v1';

const MAX_VOCABULARY = 1000;
const MAX_IDENTIFIER_LENGTH = 255;

type Extensions = Pick<
  A2aConfig,
  'trustExtensionUri' | 'directInvokeExtensionUri' | 'requiredExtensions'
>;

/** The extensions that cards declare, and those without which no call is served. */
export function readExtensions(reader: EnvironmentReader): Extensions {
  const trustUri = readUri(reader, 'TRUST_EXTENSION_URI', DEFAULT_TRUST_EXTENSION);
  const directInvokeUri = readDirectInvoke(reader, trustUri);
  const honoured = honouredUris({ trustUri, directInvokeUri });
  return {
    trustExtensionUri: trustUri,
    directInvokeExtensionUri: directInvokeUri,
    requiredExtensions: readRequired(reader, honoured),
  };
}

/** Identifiers of contracts with commas between them; each once. */
export function readVocabulary(reader: EnvironmentReader): readonly string[] {
  const entries = entriesOf(reader.optional('VOCABULARY'));
  const isFine = entries.every(
    (entry) =>
      entry.length <= MAX_IDENTIFIER_LENGTH && entry.isWellFormed() && !/\p{Cc}/u.test(entry),
  );
  if (!isFine || entries.length > MAX_VOCABULARY) {
    const what = `${MAX_VOCABULARY} identifiers of at most ${MAX_IDENTIFIER_LENGTH} characters`;
    reader.fault('VOCABULARY', `must be at most ${what}, without control characters`);
  }
  return entries;
}

function readDirectInvoke(reader: EnvironmentReader, trustUri: string): string | null {
  const variable = 'DIRECT_INVOKE_EXTENSION_URI';
  const uri = readUri(reader, variable, DEFAULT_DIRECT_INVOKE_EXTENSION);
  // Each is the key of its own metadata.
  if (uri === trustUri) reader.fault(variable, 'must not be TRUST_EXTENSION_URI');
  return reader.choice('DIRECT_INVOKE', ['on', 'off']) === 'off' ? null : uri;
}

/** Absolute, in characters that a comma list of a header can hold, its version at its end. */
const EXTENSION_URI = /^(?:https:\/\/[^\s,"<>\\^`{|}]+\/|urn:[^\s,"<>\\^`{|}]+:)v\d+(?:\.\d+)*$/;

function readUri(reader: EnvironmentReader, variable: string, fallback: string): string {
  const uri = reader.optional(variable) ?? fallback;
  const isAscii = /^[\x21-\x7e]{1,255}$/.test(uri);
  if (!isAscii || !EXTENSION_URI.test(uri)) {
    reader.fault(variable, 'must be an https or urn URI that ends in a version, such as /v1');
  }
  return uri;
}

/** URIs with commas between them. */
function readRequired(reader: EnvironmentReader, honoured: readonly string[]): readonly string[] {
  const uris = entriesOf(reader.optional('REQUIRED_EXTENSIONS'));
  if (!uris.every((uri) => honoured.includes(uri))) {
    reader.fault('REQUIRED_EXTENSIONS', `may name only what cards declare: ${honoured.join(', ')}`);
  }
  return uris;
}

function entriesOf(list = ''): readonly string[] {
  const entries = list.split(',').map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))];
}
