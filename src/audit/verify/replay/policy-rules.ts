import { failure, gap, type Flaw } from '../check-result.js';
import type { Contract } from '../../../kernel/federated-interaction.js';
import type { Policy } from './event-data.js';
import type { ReplayedAgent } from './replayed-agent.js';
import {
  UNAGREED_DAYS,
  type ReplayedInteraction,
  type ReplayedRevision,
} from './replayed-interaction.js';

/**
 * The policy that an acceptance names is the agent's here, was in force before the terms were proposed, and
 * covers them beyond doubt. Terms that would have the texts erased earlier than earlier terms no policy
 * covers, whatever it says.
 */
export function policyFlaw(
  named: number | null,
  { contract, index }: ReplayedRevision,
  { revisions }: ReplayedInteraction,
  party: ReplayedAgent,
): Flaw | undefined {
  if (named === null) return undefined;
  if (named > party.revision) return party.missing(named);
  const { policy } = party;
  if (policy?.revision !== named) return notInForce(`revision ${named}`);
  // By places in the log: which was first, no clock tells.
  if (policy.index > index || !party.acceptedByPolicyBefore(index)) {
    return notInForce(`revision ${named}, when the terms were proposed`);
  }
  if (contract === null) return gap('texts-missing', 'contract');
  const shortens = ({ retentionDays }: ReplayedRevision): boolean =>
    retentionDays !== null && retentionDays > contract.retentionDays;
  if (revisions.some(shortens)) return notInForce('earlier terms retain the texts for longer');
  if (policy.rules === undefined) return gap('texts-missing', 'policy');
  if (!covers(policy.rules, contract)) return notInForce('the terms are not covered');
  return revisions.some(({ retentionDays }) => retentionDays === null)
    ? gap('texts-missing', 'contract')
    : undefined;
}

function covers(
  { taskCategories, allowedActions, maxRetentionDays }: Policy,
  contract: Contract,
): boolean {
  return (
    taskCategories.includes(contract.taskCategory) &&
    contract.allowedActions.every((action) => allowedActions.includes(action)) &&
    contract.retentionDays <= maxRetentionDays &&
    contract.retentionDays >= Math.min(UNAGREED_DAYS.least, maxRetentionDays) &&
    [
      contract.allowedData,
      contract.prohibitedData,
      contract.humanApprovalRequirements,
      contract.delegationRules,
    ].every((list) => list.length === 0)
  );
}

function notInForce(why: string): Flaw {
  return failure('policy-not-in-force', why);
}
