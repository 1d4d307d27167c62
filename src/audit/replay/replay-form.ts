import { CLOUD_EVENTS_BATCH } from '../../http/cloud-event.js';
import { NDJSON } from '../../http/ndjson.js';

/** How a replay is written: one page, a live stream, or an export. */
export type ReplayForm = 'page' | 'live' | 'export';

const FORMS: ReadonlyMap<string, ReplayForm> = new Map<string, ReplayForm>([
  [CLOUD_EVENTS_BATCH, 'page'],
  ['application/json', 'page'],
  ['application/*', 'page'],
  ['*/*', 'page'],
  ['text/event-stream', 'live'],
  [NDJSON, 'export'],
]);

/** RFC 9110 section 12.4.2; a malformed weight is none. */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * What an `Accept` prefers, the first of equals; a page for whoever knows none of the three (RFC 9110
 * section 12.5.1 lets a server disregard the field).
 */
export function preferredForm(accept: string | undefined): ReplayForm {
  let best: { readonly form: ReplayForm; readonly weight: number } | undefined;
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const form = FORMS.get(type.toLowerCase());
    const weight = weightOf(parameters);
    if (form === undefined || weight <= (best?.weight ?? 0)) continue;
    best = { form, weight };
  }
  return best?.form ?? 'page';
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [, weight] = WEIGHT.exec(parameter) ?? [];
    if (weight !== undefined) return Number(weight);
  }
  return 1;
}
