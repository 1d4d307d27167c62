import type { KnownIdentifiers } from '../../capabilities/domain/known-identifiers.js';
import type { Manifest } from '../../capabilities/domain/manifest.js';
import type { Interaction } from '../../interactions/domain/interaction.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import { oncePerObject } from '../../kernel/once-per-object.js';
import { compareTimestamps } from '../../kernel/timestamp.js';
import {
  look,
  type Look,
  type Prohibition,
  type Ruling,
  type Shortfall,
  type Standing,
} from './contract-look.js';

/** What two agents agreed on, as their interactions tell it; the same object while nothing changed. */
export interface PairContracts {
  /** Those whose status is active, all of them; an expiry may be due that is not yet recorded. */
  readonly active: readonly { readonly interaction: Interaction }[];
  /** Whether there was ever one between them. */
  readonly hadAny: boolean;
  /** False: a stream between them could not be read completely. */
  readonly isReliable: boolean;
}

/**
 * All contracts of a pair and one capability. Of several that rule the same, the one that is in
 * force for longest is kept, and of equals the one whose id sorts first: if it is over, all are.
 */
export interface PairRules {
  readonly inForce: Ruling | undefined;
  /** Its texts are erased. */
  readonly unreadable: Ruling | undefined;
  readonly rulings: ReadonlyMap<Prohibition | Shortfall, Ruling>;
  /** The two that allow the call for longest. */
  readonly allowing: readonly Standing[];
  /** Of those that allow the call, the one that is in force for longest, past its deadline or not. */
  readonly beyondDeadline: Standing | undefined;
  /** Undefined: it is not among the contracts, or unreadable. */
  standing(id: InteractionId): Standing | undefined;
}

/**
 * Worked out once for contracts, vocabulary, manifest and calling agent, each as an object that never
 * changes: a decision then costs look-ups alone, however many contracts there are. When one contract
 * changes, only that one is read anew.
 */
export function rulesOf(
  contracts: PairContracts,
  known: KnownIdentifiers,
  manifest: Manifest,
  callingAgent: { readonly agentId: AgentId },
): PairRules {
  return remembered(known)(manifest)(callingAgent)(contracts);
}

const remembered = oncePerObject((known: KnownIdentifiers) =>
  oncePerObject((manifest: Manifest) =>
    oncePerObject(({ agentId }: { readonly agentId: AgentId }) => {
      const lookAt = oncePerObject((each: Interaction) => look(each, known, manifest, agentId));
      return oncePerObject((contracts: PairContracts) => summary(contracts, lookAt));
    }),
  ),
);

function summary(
  { active }: PairContracts,
  lookAt: (interaction: Interaction) => Look | null,
): PairRules {
  const rulings = new Map<Prohibition | Shortfall, Ruling>();
  const standings = new Map<InteractionId, Standing>();
  let inForce: Ruling | undefined;
  let unreadable: Ruling | undefined;
  let beyondDeadline: Standing | undefined;
  let allowing: readonly Standing[] = [];
  for (const { interaction } of active) {
    const seen = lookAt(interaction);
    if (seen === null) continue;
    const { ruling, prohibitions, standing } = seen;
    inForce = longer(inForce, ruling);
    for (const [code, each] of prohibitions) rulings.set(code, longer(rulings.get(code), each));
    if (standing === null) {
      unreadable = longer(unreadable, ruling);
      continue;
    }
    standings.set(interaction.interactionId, standing);
    const { shortfall } = standing;
    if (shortfall !== null) {
      rulings.set(shortfall, longer(rulings.get(shortfall), standing));
    } else {
      beyondDeadline = longer(beyondDeadline, standing);
      allowing = [...allowing, standing].sort(untilLatestFirst).slice(0, 2);
    }
  }
  const standing = (id: InteractionId): Standing | undefined => standings.get(id);
  return { inForce, unreadable, rulings, allowing, beyondDeadline, standing };
}

function longer<R extends Ruling>(one: R | undefined, other: R): R {
  if (one === undefined) return other;
  const order = compareTimestamps(one.expiresAt, other.expiresAt) || idOrder(one, other);
  return order >= 0 ? one : other;
}

function untilLatestFirst(one: Standing, other: Standing): number {
  return compareTimestamps(other.until, one.until) || idOrder(other, one);
}

/** Positive when the id of the first sorts first. */
function idOrder(one: Ruling, other: Ruling): number {
  return one.terms.interactionId < other.terms.interactionId ? 1 : -1;
}
