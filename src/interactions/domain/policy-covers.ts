import type { AcceptancePolicy } from '../../agents/domain/events.js';
import type { Contract } from '../../kernel/federated-interaction.js';
import { LEAST_RETENTION_DAYS } from './erasure.js';

/**
 * Says whether an owner's stored policy covers a contract beyond doubt: the exact task category is
 * listed, so is every allowed action, retention stays within the ceiling, no data is spoken of, nobody
 * has to approve anything and nothing may be passed on to other agents. Strings compare exactly; anything
 * else is for a person to read. So are terms that do not retain the texts for 30 days, or for as long as
 * the ceiling lets them: else their proposer could have evidence erased that no person ever saw.
 */
export function policyCovers(policy: AcceptancePolicy, contract: Contract): boolean {
  return (
    policy.taskCategories.includes(contract.taskCategory) &&
    contract.allowedActions.every((action) => policy.allowedActions.includes(action)) &&
    contract.retentionDays <= policy.maxRetentionDays &&
    contract.retentionDays >= Math.min(LEAST_RETENTION_DAYS, policy.maxRetentionDays) &&
    contract.allowedData.length === 0 &&
    contract.prohibitedData.length === 0 &&
    contract.humanApprovalRequirements.length === 0 &&
    contract.delegationRules.length === 0
  );
}
