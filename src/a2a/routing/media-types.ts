import { parseMediaRange } from '../../capabilities/domain/media-range.js';
import type { Part } from '../wire/types.js';

/** Of acceptedOutputModes alone: a capability says what it takes. */
const ANY = '*/*';

/**
 * The media type of a part, `type/subtype` in lower case without parameters: as the part says, else
 * `text/plain` for text, `application/json` for data, `application/octet-stream` for the rest. What
 * is no media type gives the empty text, which no capability takes.
 */
function mediaTypeOf(part: Part): string {
  if (part.mediaType !== undefined && part.mediaType !== '') return essenceOf(part.mediaType);
  if (part.text !== undefined) return 'text/plain';
  return part.data === undefined ? 'application/octet-stream' : 'application/json';
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
