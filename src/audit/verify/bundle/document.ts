import { canonicalJson } from '../../../kernel/canonical-json.js';
import type { FederatedInteraction } from '../../../kernel/federated-interaction.js';
import { validateInteraction } from '../../../kernel/wire-schema.js';
import { failure, gap, type Flaw } from '../check-result.js';
import { inWords } from '../faults.js';
import type { ReplayedInteraction } from '../replay/replayed-interaction.js';
import { expiredDocument, wireDocument } from '../replay/wire-document.js';

/**
 * The document is, byte for byte of its canonical form, what the events lead to.
 *
 * @param erasure the event that proves that the texts are erased; null where none does
 */
export function documentFlaw(
  document: unknown,
  state: ReplayedInteraction | undefined,
  erasure: string | null,
): Flaw | undefined {
  if (document === null) {
    return erasure === null ? gap('document-missing') : gap('erased', erasure);
  }
  const parsed = validateInteraction(document);
  if (!parsed.ok) return failure('schema-violation', inWords(parsed.error));
  if (state === undefined || !state.sound) return gap('state-unknown');
  const replayed = wireDocument(state);
  if (replayed === undefined) {
    return state.status === parsed.value.status
      ? gap('texts-missing')
      : failure('document-differs', '/status');
  }
  const difference = firstDifference(replayed, parsed.value);
  if (difference === undefined) return undefined;
  const expired = expiredDocument(state);
  if (expired !== undefined && firstDifference(expired, parsed.value) === undefined) {
    return gap('expiry-unrecorded');
  }
  return failure('document-differs', difference);
}

/** A pointer to the first member, in the order of the replayed document, that differs. */
function firstDifference(
  replayed: FederatedInteraction,
  given: FederatedInteraction,
): string | undefined {
  if (canonicalJson(replayed) === canonicalJson(given)) return undefined;
  const members = new Map(Object.entries(given));
  for (const [name, value] of Object.entries(replayed) as [string, unknown][]) {
    const other: unknown = members.get(name);
    if (other === undefined || canonicalJson(value) !== canonicalJson(other)) return `/${name}`;
  }
  return '/';
}
