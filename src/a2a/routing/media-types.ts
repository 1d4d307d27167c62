import { parseMediaRange } from '../../capabilities/domain/media-range.js';
import type { Part } from '../wire/types.js';

/** Of acceptedOutputModes alone: a capability says what it takes. */
const ANY = '*/*';

/**
 * The media type of a part, `type/subtype` in lower case without parameters: `text/plain` of text and
 * `application/json` of data, whatever they call themselves: a text is no PDF. Of the rest what the
 * part says, else `application/octet-stream`. What is no media type gives the empty text, which no
 * capability takes.
 */
function mediaTypeOf({ text, data, mediaType }: Part): string {
  if (text !== undefined) return 'text/plain';
  if (data !== undefined) return 'application/json';
  if (mediaType === undefined || mediaType === '') return 'application/octet-stream';
  return essenceOf(mediaType);
}

/** The different media types of the parts, sorted. */
export function mediaTypesOf(parts: readonly Part[]): readonly string[] {
  return [...new Set(parts.map(mediaTypeOf))].sort();
}

/** Does one of the modes (`type/subtype`, `type/*`) hold the media type? */
function takes(modes: readonly string[], mediaType: string): boolean {
  const ofType = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`;
  return modes.some((mode) => mode === mediaType || mode === ofType || mode === ANY);
}

/** Do the modes hold all of the media types? */
export function takesAll(modes: readonly string[], mediaTypes: readonly string[]): boolean {
  return mediaTypes.every((mediaType) => mediaType !== '' && takes(modes, mediaType));
}

/**
 * The output modes of a capability that a client accepts, in the capability's order; of a wildcard
 * on either side, the narrower of the two. A client that names none accepts all.
 */
export function acceptedModes(
  offered: readonly string[],
  accepted: readonly string[] | undefined,
): readonly string[] {
  if (accepted === undefined || accepted.length === 0) return offered;
  const wanted = accepted.map(essenceOfRange);
  const modes = offered.flatMap((mode) =>
    wanted.flatMap((range) => (range === '' ? [] : (narrower(mode, range) ?? []))),
  );
  return [...new Set(modes)];
}

/**
 * The media types of what a backend gives, which is data: `application/json` always; and what else of
 * the modes is JSON (RFC 6839 section 3.1).
 */
export function jsonModes(modes: readonly string[]): readonly string[] {
  return ['application/json', ...modes.filter((mode) => mode.endsWith('+json'))];
}

function narrower(mode: string, range: string): string | undefined {
  if (takes([range], mode)) return mode;
  return takes([mode], range) ? range : undefined;
}

function essenceOfRange(text: string): string {
  const range = bare(text);
  return range === ANY ? range : (parseMediaRange(range) ?? '');
}

function essenceOf(text: string): string {
  const essence = parseMediaRange(bare(text)) ?? '';
  return essence.endsWith('/*') ? '' : essence;
}

function bare(text: string): string {
  const end = text.indexOf(';');
  return (end === -1 ? text : text.slice(0, end)).trim();
}
