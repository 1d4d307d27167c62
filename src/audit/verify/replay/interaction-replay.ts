import type { Contract } from '../../../kernel/federated-interaction.js';
import {
  conclude,
  failure,
  gap,
  outweighing,
  type CheckResult,
  type Flaw,
} from '../check-result.js';
import { dataFlaw } from './data-flaw.js';
import { subjectOf, type PlacedEvent, type ReplayOptions } from './entry.js';
import { interactionEvent, type FirstProposalData, type InteractionEvent } from './event-data.js';
import { INTERACTION_SHAPES } from './event-shapes.js';
import { begin, forgetSettledTerms, record, type LaterEvent } from './interaction-fold.js';
import { interactionTexts } from './interaction-texts.js';
import { INTERACTION_PACKING } from './packed-interaction.js';
import {
  isEnded,
  newest,
  NOBODY,
  openProposal,
  type ReplayedInteraction,
} from './replayed-interaction.js';
import type { ReplayedPlatformKeys } from './replayed-platform-keys.js';
import { RestingStates } from './resting-states.js';
import { servedFlaw } from './served-signatures.js';
import { acceptanceFlaw, actFlaw, attestationFlaw, type Party } from './signatures.js';
import { beginningFlaw, transitionFlaw } from './transitions.js';

const PREFIX = 'interaction-';

/** The interactions of a replay: judged and folded, event by event. */
export class InteractionReplay {
  /** By id; null where an interaction's state is lost before it began. */
  readonly #interactions: RestingStates<ReplayedInteraction | null>;
  /** Ids of those whose last command owes an event: hardly ever more than one. */
  readonly #owing = new Set<string>();

  constructor(
    private readonly options: ReplayOptions,
    /** Undefined: there is no such agent. */
    private readonly partyNamed: (agentId: string) => Party | undefined,
    private readonly platformKeys: ReplayedPlatformKeys,
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
    const flaw = this.#transitionFlaw(event, placed, known ?? undefined);
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

  #transitionFlaw(
    event: InteractionEvent,
    placed: PlacedEvent,
    state: ReplayedInteraction | undefined,
  ): Flaw | undefined {
    if (event.type === 'interaction-proposed') {
      if (state !== undefined) return failure('illegal-transition', 'it was proposed before');
      if (event.data.audience !== this.options.audience) return failure('audience-differs');
      return beginningFlaw(event.data, placed) ?? this.#partiesFlaw(event.data.parties);
    }
    if (state === undefined) return failure('illegal-transition', 'nothing was proposed');
    const isConsent = event.type === 'revision-proposed' || event.type === 'revision-accepted';
    return (
      transitionFlaw(state, event, placed) ??
      (isConsent ? this.#partiesFlaw(state.parties) : undefined)
    );
  }

  /** Nothing comes into force with a party that is not registered, or no more. */
  #partiesFlaw(parties: readonly string[]): Flaw | undefined {
    for (const agentId of parties) {
      const party = this.partyNamed(agentId);
      const isThere = party !== undefined && (typeof party === 'string' || !party.isRetired);
      if (!isThere) return failure('party-unknown', agentId);
    }
    return undefined;
  }

  #begin(
    data: FirstProposalData,
    placed: PlacedEvent,
    contract: Contract | null,
  ): readonly CheckResult[] {
    const state = begin(data, placed, contract, this.options.documents === true);
    this.#interactions.set(data.interactionId, state);
    return this.#acceptance(state, data.acceptance, null, placed, undefined);
  }

  #continue(
    state: ReplayedInteraction,
    event: LaterEvent,
    placed: PlacedEvent,
    contract: Contract | null,
  ): readonly CheckResult[] {
    const results: CheckResult[] = [];
    const { envelope } = placed;
    const subject = subjectOf(envelope);
    const served = servedFlaw(state, event);
    switch (event.type) {
      case 'revision-accepted': {
        const { acceptance, policyRevision } = event.data;
        results.push(...this.#acceptance(state, acceptance, policyRevision, placed, served));
        break;
      }
      case 'revision-attested': {
        const open = openProposal(state);
        const flaw =
          open && attestationFlaw(event.data.attestation, open, state, this.platformKeys, envelope);
        results.push(conclude('attestation', `${subject}, revision ${event.data.revision}`, flaw));
        break;
      }
      case 'revision-rejected':
      case 'revision-withdrawn':
      case 'interaction-cancelled':
      case 'outcome-reported':
      case 'erasure-consented': {
        const party = this.partyNamed(event.data.agentId) ?? 'events-missing';
        const flaw = actFlaw(event, state, party, envelope.recordedAt);
        const about = `${subject}, ${event.data.agentId}`;
        results.push(conclude('act', about, outweighing(flaw, served)));
        break;
      }
      case 'revision-proposed':
      case 'interaction-completed':
      case 'interaction-expired':
      case 'texts-erased':
    }
    const { consents } = state;
    record(state, event, placed, contract);
    // A consent that its party did not sign lets nothing go.
    if (event.type === 'erasure-consented' && hasFailed(results)) state.consents = consents;
    if (state.expected === null) this.#owing.delete(state.interactionId);
    else this.#owing.add(state.interactionId);
    if (event.type === 'revision-proposed') {
      results.push(...this.#acceptance(state, event.data.acceptance, null, placed, served));
    }
    if (this.options.documents !== true) forgetSettledTerms(state);
    return results;
  }

  /**
   * Of the newest proposal.
   *
   * @param served that its signature served before
   */
  #acceptance(
    state: ReplayedInteraction,
    acceptance: FirstProposalData['acceptance'],
    policyRevision: number | null,
    { envelope }: PlacedEvent,
    served: Flaw | undefined,
  ): readonly CheckResult[] {
    const revision = newest(state);
    if (revision === undefined) return [];
    const { agentId } = acceptance;
    const party = this.partyNamed(agentId) ?? 'events-missing';
    const flaw = acceptanceFlaw(
      acceptance,
      policyRevision,
      revision,
      state,
      party,
      envelope.recordedAt,
    );
    const subject = `${subjectOf(envelope)}, revision ${revision.revision}, ${agentId}`;
    return [conclude('acceptance', subject, outweighing(flaw, served))];
  }
}

function hasFailed(results: readonly CheckResult[]): boolean {
  return results.some(({ result }) => result === 'failed');
}

function owed(type: string, { partial }: ReplayOptions): Flaw {
  const detail = `${type} must follow, by the same command`;
  return partial === true ? gap('events-missing', detail) : failure('illegal-transition', detail);
}
