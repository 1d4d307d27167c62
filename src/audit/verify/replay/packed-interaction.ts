import type { Acceptance } from '../../../kernel/federated-interaction.js';
import type { AgentId } from '../../../kernel/ids.js';
import { NOBODY, type ReplayedInteraction, type ReplayedRevision } from './replayed-interaction.js';
import type { Packing } from './resting-states.js';

/** As JSON has it. */
interface PackedRevision extends Omit<ReplayedRevision, 'acceptances'> {
  readonly acceptances: readonly Acceptance[];
}

interface PackedInteraction extends Omit<
  ReplayedInteraction,
  'revisions' | 'reports' | 'consents'
> {
  readonly revisions: readonly PackedRevision[];
  readonly reports: readonly AgentId[];
  readonly consents: readonly AgentId[];
}

/**
 * An interaction of a replay as a text; null where its state is lost before it began. All that it is
 * made of came out of JSON, or is a set or a map of that, so that nothing is lost.
 */
export const INTERACTION_PACKING: Packing<ReplayedInteraction | null> = {
  pack(state) {
    if (state === null) return 'null';
    const packed: PackedInteraction = {
      ...state,
      revisions: state.revisions.map(packedRevision),
      reports: [...state.reports],
      consents: [...state.consents],
    };
    return JSON.stringify(packed);
  },

  unpack(text) {
    const packed = JSON.parse(text) as PackedInteraction | null;
    if (packed === null) return null;
    return {
      ...packed,
      revisions: packed.revisions.map(unpackedRevision),
      reports: setOf(packed.reports),
      consents: setOf(packed.consents),
    };
  },
};

function packedRevision(revision: ReplayedRevision): PackedRevision {
  return { ...revision, acceptances: [...revision.acceptances.values()] };
}

function unpackedRevision(packed: PackedRevision): ReplayedRevision {
  const acceptances = packed.acceptances.map((each) => [each.agentId, each] as const);
  return { ...packed, acceptances: new Map(acceptances) };
}

function setOf(agents: readonly AgentId[]): ReadonlySet<AgentId> {
  return agents.length === 0 ? NOBODY : new Set(agents);
}
