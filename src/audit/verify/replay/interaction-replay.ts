import type { Contract } from '../../../kernel/federated-interaction.js';
import { conclude, failure, gap, type CheckResult, type Flaw } from '../check-result.js';
import { dataFlaw } from './data-flaw.js';
import { subjectOf, type PlacedEvent, type ReplayOptions } from './entry.js';
import { interactionEvent, type FirstProposalData } from './event-data.js';
import { INTERACTION_SHAPES } from './event-shapes.js';
import { begin, forgetSettledTerms, record, type LaterEvent } from './interaction-fold.js';
import { interactionTexts } from './interaction-texts.js';
import { interactionTransitionFlaw } from './interaction-transition.js';
import { INTERACTION_PACKING } from './packed-interaction.js';
import { isEnded, NOBODY, type ReplayedInteraction } from './replayed-interaction.js';
import { RestingStates } from './resting-states.js';
import { servedFlaw } from './served-signatures.js';
import { acceptanceResults, signatureResults, type Signers } from './signature-results.js';

const PREFIX = 'interaction-';

/** The interactions of a replay: judged and folded, event by event. */
export class InteractionReplay {
  /** By id; null where an interaction's state is lost before it began. */
  readonly #interactions: RestingStates<ReplayedInteraction | null>;
  /** Ids of those whose last command owes an event: hardly ever more than one. */
  readonly #owing = new Set<string>();

  constructor(
    private readonly options: ReplayOptions,
    private readonly signers: Signers,
  ) {
    const place = options.restingPlace?.('interactions');
    this.#interactions = new RestingStates(INTERACTION_PACKING, place);
  }

  find(interactionId: string): ReplayedInteraction | undefined {
    return this.#interactions.peek(interactionId) ?? undefined;
  }

  rest(): void {
    this.#interactions.rest();
  }

  loseTrack(stream: string): void {
    const id = stream.slice(PREFIX.length);
    const known = this.#interactions.get(id);
    if (known) known.sound = false;
    else this.#interactions.set(id, null);
  }

  release(interactionId: string): void {
    const state = this.#interactions.get(interactionId);
    if (!state || !isEnded(state)) return;
    state.revisions = [];
    state.reports = NOBODY;
    // A consent to the erasure, which may still come, says something else than all before.
    state.signatures = [];
  }

  finish(): readonly CheckResult[] {
    const results: CheckResult[] = [];
    for (const id of this.#owing) {
      const state = this.find(id);
      if (state === undefined || !state.sound || state.expected === null) continue;
      const subject = subjectOf({
        stream: PREFIX + state.interactionId,
        revision: state.revision + 1,
      });
      results.push(conclude('transition', subject, owed(state.expected.type, this.options)));
    }
    return results;
  }

  /** @param isFirst that nothing of its stream came before is known: nothing is looked for */
  add(placed: PlacedEvent, isFirst: boolean): readonly CheckResult[] {
    const { stream } = placed.envelope;
    const subject = subjectOf(placed.envelope);
    const data = dataFlaw(INTERACTION_SHAPES, placed);
    const results = [conclude('event-data', subject, data)];
    if (data !== undefined) {
      this.loseTrack(stream);
      return results;
    }
    const event = interactionEvent(placed.envelope);
    const known = isFirst ? undefined : this.#interactions.get(stream.slice(PREFIX.length));
    const isLost = known === null || known?.sound === false;
    // The texts of an erased interaction open no more: what its events record of them remains.
    const key = this.options.dataKey?.(stream);
    const texts = interactionTexts(event, placed, isLost ? undefined : (known ?? undefined), key);
    if (placed.envelope.sealed !== null) {
      results.push(conclude('texts', subject, texts.ok ? undefined : texts.error));
    }
    if (isLost) {
      results.push(conclude('transition', subject, gap('state-unknown')));
      return results;
    }
    const contract = texts.ok ? texts.value : null;
    const { audience } = this.options;
    const flaw = interactionTransitionFlaw(known, event, placed, audience, this.signers);
    results.push(conclude('transition', subject, flaw));
    if (flaw?.result === 'failed') {
      this.loseTrack(stream);
      return results;
    }
    if (event.type === 'interaction-proposed') {
      results.push(...this.#begin(event.data, placed, contract));
    } else if (known) {
      results.push(...this.#continue(known, event, placed, contract));
    }
    return results;
  }

  #begin(
    data: FirstProposalData,
    placed: PlacedEvent,
    contract: Contract | null,
  ): readonly CheckResult[] {
    const state = begin(data, placed, contract, this.options.documents === true);
    this.#interactions.set(data.interactionId, state);
    return acceptanceResults(state, data.acceptance, null, placed, undefined, this.signers);
  }

  #continue(
    state: ReplayedInteraction,
    event: LaterEvent,
    placed: PlacedEvent,
    contract: Contract | null,
  ): readonly CheckResult[] {
    const served = servedFlaw(state, event);
    const results = [...signatureResults(state, event, placed, served, this.signers)];
    const { consents } = state;
    record(state, event, placed, contract);
    // A consent that its party did not sign lets nothing go.
    if (event.type === 'erasure-consented' && hasFailed(results)) state.consents = consents;
    if (state.expected === null) this.#owing.delete(state.interactionId);
    else this.#owing.add(state.interactionId);
    if (event.type === 'revision-proposed') {
      const { acceptance } = event.data;
      results.push(...acceptanceResults(state, acceptance, null, placed, served, this.signers));
    }
    if (this.options.documents !== true) forgetSettledTerms(state);
    return results;
  }
}

function hasFailed(results: readonly CheckResult[]): boolean {
  return results.some(({ result }) => result === 'failed');
}

function owed(type: string, { partial }: ReplayOptions): Flaw {
  const detail = `${type} must follow, by the same command`;
  return partial === true ? gap('events-missing', detail) : failure('illegal-transition', detail);
}
