import { Injectable } from '@nestjs/common';
import type { Capability } from '../capabilities/domain/capability.js';
import { entitlement } from '../capabilities/domain/entitlement.js';
import { SchemaJudges } from '../capabilities/queries/schemas/schema-judges.js';
import { revisionInForce } from '../interactions/domain/revisions.js';
import type {
  ContractsOfPair,
  InteractionSnapshot,
} from '../interactions/queries/contracts-between.js';
import { ERASED } from '../kernel/event.js';
import type { JsonObject } from '../kernel/json.js';
import type { Fault } from '../kernel/rejection.js';
import { compareTimestamps, isBefore, type Timestamp } from '../kernel/timestamp.js';
import { AuthorizationFacts } from './authorization-facts.js';
import type { GoverningTerms } from './domain/authorization.js';
import { judgeCall, type Judgement } from './judge-call.js';
import type { AuthorizationQuestion } from './queries/authorizer.js';

/** Terms that an explanation lists. */
export const MAX_EXPLAINED_TERMS = 100;

/** A call that was made, or might be. */
export interface ExplainedCall extends AuthorizationQuestion {
  /** Null: none were sent. */
  readonly arguments: JsonObject | null;
  /** Null: now. */
  readonly moment: Timestamp | null;
  /** Somebody asks about another caller than themselves, and may. */
  readonly isAboutOther: boolean;
}

/** Terms between the two agents; the deadline is null without one, and when the texts are erased. */
export interface TermsInForce extends GoverningTerms {
  readonly expiresAt: Timestamp;
  readonly deadline: Timestamp | null;
}

/** What is decided about a call, and what that rests on. */
export interface AuthorizationExplanation extends Pick<
  Judgement,
  'decision' | 'capability' | 'basedOn' | 'moment'
> {
  /** The first {@link MAX_EXPLAINED_TERMS}; none where the decision was made without them. */
  readonly inForce: readonly TermsInForce[];
  readonly inForceTotal: number;
  /** What is wrong with the arguments; null when none were sent. */
  readonly arguments: readonly Fault[] | null;
}

/** Explains what a call may or might have done, from the very decision that calls get. */
@Injectable()
export class AuthorizationExplanations {
  constructor(
    private readonly facts: AuthorizationFacts,
    private readonly schemas: SchemaJudges,
  ) {}

  /** Undefined for a capability that does not exist for the caller. */
  async explain(call: ExplainedCall): Promise<AuthorizationExplanation | undefined> {
    const { moment } = call;
    if (moment !== null && !call.isAboutOther && !(await this.#isVisibleToday(call))) {
      return undefined;
    }
    const facts = moment === null ? this.facts.atHead : this.facts.at(moment);
    const { decision, capability, basedOn, contracts, ...judged } = await judgeCall(facts, call);
    if (capability === null) return undefined;
    if (decision.kind === 'refusal' && decision.code === 'not-entitled') return undefined;
    const inForce = contracts === null ? [] : termsInForce(contracts, judged.moment);
    return {
      decision,
      capability,
      basedOn,
      moment: judged.moment,
      inForce: inForce.slice(0, MAX_EXPLAINED_TERMS),
      inForceTotal: inForce.length,
      arguments: call.arguments && this.#faultsOf(call.arguments, capability),
    };
  }

  /** What is hidden from somebody by now is not to be looked up in the past either. */
  async #isVisibleToday({ agentId, skillId, caller }: ExplainedCall): Promise<boolean> {
    const capability = await this.facts.atHead.capability(agentId, skillId);
    return capability !== undefined && entitlement(capability, caller) !== 'none';
  }

  #faultsOf(sent: JsonObject, { manifest: { directInvoke } }: Capability): readonly Fault[] {
    if (directInvoke === null) return [{ pointer: '', detail: 'cannot be sent to this skill' }];
    const judge = this.schemas.of(directInvoke.inputSchema);
    if (judge === null) return [{ pointer: '', detail: 'cannot be checked' }];
    return judge.fits(sent) ? [] : judge.faults(sent);
  }
}

/** Those in force for longest first. */
function termsInForce({ active }: ContractsOfPair, moment: Timestamp): readonly TermsInForce[] {
  return active
    .filter(({ interaction }) => isBefore(moment, interaction.expiresAt))
    .flatMap(termsOf)
    .sort(
      (a, b) =>
        compareTimestamps(b.expiresAt, a.expiresAt) || (a.interactionId < b.interactionId ? -1 : 1),
    );
}

function termsOf({ interaction }: InteractionSnapshot): readonly TermsInForce[] {
  const revision = revisionInForce(interaction);
  if (revision === undefined) return [];
  const { interactionId, expiresAt } = interaction;
  const { termsHash, contract } = revision;
  const deadline = contract === ERASED ? null : (contract.deadline ?? null);
  return [{ interactionId, revision: revision.revision, termsHash, expiresAt, deadline }];
}
