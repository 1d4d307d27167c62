import type { Contract } from '../../../kernel/federated-interaction.js';
import { err, ok, type Result } from '../../../kernel/result.js';
import { reasonHash, reportHash } from '../../../kernel/statements.js';
import { termsHash } from '../../../kernel/terms.js';
import { isBefore } from '../../../kernel/timestamp.js';
import { validateContract } from '../../../kernel/wire-schema.js';
import { failure, type Flaw } from '../check-result.js';
import { inWords } from '../faults.js';
import type { PlacedEvent } from './entry.js';
import type { InteractionEvent } from './event-data.js';
import { CONTRACT_TEXTS, REASON_TEXTS, REPORT_TEXTS } from './event-shapes.js';
import { answers, isAnswerable, type Report } from './report-items.js';
import { inForce, type ReplayedInteraction } from './replayed-interaction.js';
import { textsOf } from './texts.js';

/**
 * Opens the texts of an event and holds them against what the event records of them: their hash, and
 * that terms are of this interaction, that a report answers the terms. Gives the contract, where
 * there is one.
 */
export function interactionTexts(
  event: InteractionEvent,
  placed: PlacedEvent,
  state: ReplayedInteraction | undefined,
  key: Uint8Array | undefined,
): Result<Contract | null, Flaw> {
  if (placed.envelope.sealed === null) return ok(null);
  const opened = textsOf(placed, key);
  if (!opened.ok) return opened;
  const texts = opened.value;
  switch (event.type) {
    case 'interaction-proposed':
    case 'revision-proposed':
      return terms(texts, event, placed, state);
    case 'revision-rejected':
    case 'revision-withdrawn':
    case 'interaction-cancelled': {
      const fault = REASON_TEXTS(texts, '');
      if (fault !== undefined) return err(failure('data-malformed', `texts: ${fault}`));
      const { reason } = texts as { readonly reason: string | null };
      return reasonHash(reason ?? undefined) === event.data.reasonHash
        ? ok(null)
        : err(failure('text-hash-mismatch', 'reasonHash'));
    }
    case 'outcome-reported': {
      const fault = REPORT_TEXTS(texts, '');
      if (fault !== undefined) return err(failure('data-malformed', `texts: ${fault}`));
      const { report } = texts as { readonly report: Report };
      if (reportHash(report) !== event.data.reportHash) {
        return err(failure('text-hash-mismatch', 'reportHash'));
      }
      const items = state === undefined ? null : (inForce(state)?.itemsHash ?? null);
      const answered = items === null || answers(report, items);
      return answered ? ok(null) : err(failure('report-incomplete'));
    }
    case 'revision-accepted':
    case 'revision-attested':
    case 'interaction-completed':
    case 'interaction-expired':
    case 'erasure-consented':
    case 'texts-erased':
      return ok(null);
  }
}

type Proposed = Extract<InteractionEvent, { type: 'interaction-proposed' | 'revision-proposed' }>;

function terms(
  texts: unknown,
  event: Proposed,
  { envelope }: PlacedEvent,
  state: ReplayedInteraction | undefined,
): Result<Contract, Flaw> {
  const fault = CONTRACT_TEXTS(texts, '');
  if (fault !== undefined) return err(failure('data-malformed', `texts: ${fault}`));
  const parsed = validateContract((texts as { readonly contract: unknown }).contract);
  if (!parsed.ok) return err(failure('schema-violation', inWords(parsed.error)));
  const contract = parsed.value;
  if (termsHash(contract) !== event.data.termsHash) return err(failure('terms-hash-mismatch'));
  if (Object.keys(contract.signatures).length > 0) return err(failure('signatures-not-empty'));
  if (contract.interactionId !== event.data.interactionId) {
    return err(failure('interaction-id-mismatch', 'contract'));
  }
  const parties = event.type === 'interaction-proposed' ? event.data.parties : state?.parties;
  const same =
    parties === undefined ||
    (parties.length === contract.parties.length &&
      new Set(contract.parties).size === parties.length &&
      contract.parties.every((party) => parties.includes(party)));
  if (!same) return err(failure('terms-inconsistent', 'the parties differ'));
  if (!isAnswerable(contract)) return err(failure('report-impossible'));
  const { deadline } = contract;
  return deadline === undefined || isBefore(envelope.recordedAt, deadline)
    ? ok(contract)
    : err(failure('too-late', 'proposed after its deadline'));
}
