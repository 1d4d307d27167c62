import type { Json } from '../../../kernel/json.js';
import type { Message, Part } from '../../wire/types.js';

const PER_OBJECT = 64;

/** About how many characters parts are as JSON: an estimate that costs less than writing them. */
export function weightOfParts(parts: readonly Part[]): number {
  let weight = 0;
  for (const { text, raw, url, data, metadata } of parts) {
    weight += PER_OBJECT + (text?.length ?? 0) + (raw?.length ?? 0) + (url?.length ?? 0);
    if (data !== undefined) weight += weightOf(data);
    if (metadata !== undefined) weight += weightOf(metadata);
  }
  return weight;
}

export function weightOfMessage({ parts, metadata }: Message): number {
  return PER_OBJECT + weightOfParts(parts) + (metadata === undefined ? 0 : weightOf(metadata));
}

function weightOf(json: Json): number {
  if (typeof json === 'string') return json.length;
  if (typeof json !== 'object' || json === null) return 8;
  let weight = 2;
  for (const [name, member] of Object.entries(json)) weight += name.length + weightOf(member);
  return weight;
}
