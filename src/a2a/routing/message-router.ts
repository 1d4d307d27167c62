import type { Capability } from '../../capabilities/domain/capability.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { CandidateIndex, type Candidates } from './candidates.js';
import type { ClassifierFeed } from './classifier-feed.js';
import type { RoutingDecision } from './decision.js';
import { decisionFrom, type Finding } from './findings.js';
import type { SchemaCheck } from './input-schemas.js';
import { sureOf, weigh } from './judge-text.js';
import { mediaTypesOf } from './media-types.js';
import { textOf } from './message-text.js';
import type { ModelRouter } from './model-router.js';
import { noneTakes } from './routing-refusals.js';
import {
  byModelStep,
  byTextStep,
  entitledStep,
  fittingStep,
  type Explain,
} from './routing-step.js';
import type { RoutingSubject } from './routing-subject.js';
import { byStructure } from './structure.js';

/** What the router asks besides the registry. */
export interface RouterParts {
  readonly classifier: ClassifierFeed;
  /** Null: off. */
  readonly model: ModelRouter | null;
  readonly fits: SchemaCheck;
  /** Confidence, 0 to 1, below which a text decides nothing. */
  readonly threshold: number;
}

/**
 * Finds out what a message is for, cheapest layer first: media types, shape of data, the client's
 * preference, the meaning of the text; asks back when none of them is sure. Looks at nothing that
 * does not exist for the caller.
 */
export class MessageRouter {
  readonly #index = new CandidateIndex();

  constructor(private readonly parts: RouterParts) {}

  /** Refuses with ContentTypeNotSupported. */
  async route(
    subject: RoutingSubject,
    explain?: Explain,
  ): Promise<Result<RoutingDecision, A2aRefusal>> {
    const { capabilities, caller } = subject;
    const mediaTypes = mediaTypesOf(subject.parts);
    const all = this.#index.of(capabilities, caller);
    const fitting = this.#index.fitting(capabilities, caller, mediaTypes);
    explain?.(() => entitledStep(all));
    explain?.(() => fittingStep(fitting, mediaTypes));
    if (fitting.usable.length + fitting.gone.length === 0) return err(noneTakes(all.usable));
    const finding =
      byStructure(subject, { all, fitting }, this.parts.fits, explain) ??
      (await this.#byMeaning(subject, fitting, explain));
    const decision = decisionFrom(finding, fitting, subject);
    // Only removed capabilities take such parts, and the text is about none of them.
    return decision === undefined ? err(noneTakes(all.usable)) : ok(decision);
  }

  async #byMeaning(
    subject: RoutingSubject,
    fitting: Candidates,
    explain: Explain | undefined,
  ): Promise<Finding> {
    const { classifier, model, threshold } = this.parts;
    const layer = 'text-classifier';
    const text = textOf(subject.parts);
    if (text === '') {
      explain?.(() => byTextStep('The message has no text.', []));
      return { layer, chosen: undefined, weighed: [] };
    }
    const verdict = await classifier.classify(
      subject.capabilities,
      text,
      idsOf(fitting),
      subject.caller,
    );
    const weighed = weigh(fitting, verdict);
    const chosen = verdict.foreign ? undefined : sureOf(weighed, threshold);
    explain?.(() => byTextStep(chosen ?? threshold, weighed));
    if (chosen !== undefined || verdict.foreign || model === null)
      return { layer, chosen, weighed };
    if (explain !== undefined) {
      explain(byModelStep);
      return { layer, chosen, weighed };
    }
    const likeliestFirst = new Set(weighed.map(({ capability }) => capability));
    for (const other of everyOne(fitting)) likeliestFirst.add(other);
    const choice = await model.choose(text, [...likeliestFirst], subject.signal);
    return typeof choice === 'string' || choice.confidence < threshold
      ? { layer: 'model-router', chosen: undefined, weighed }
      : { layer: 'model-router', chosen: choice, weighed: [choice] };
  }
}

function everyOne({ usable, gone }: Candidates): readonly Capability[] {
  return gone.length === 0 ? usable : [...usable, ...gone];
}

function idsOf(fitting: Candidates): Capability['manifest']['id'][] {
  return everyOne(fitting).map(({ manifest }) => manifest.id);
}
