import type { Contract } from '../../kernel/federated-interaction.js';
import type { AgentId } from '../../kernel/ids.js';
import { demoContract } from './demo-contract.js';

export const PARTNER = 'agent-partner' as AgentId;
export const FINANCE = 'finance' as AgentId;

/** The skills of the finance agent that are called under a contract alone. */
export const MATCH = 'match-invoice-lines';
export const DISPUTE = 'dispute-invoice';
export const RELEASE = 'release-payment';

/** Terms in the words of the manifests: what the partner may do, what with approval, what never. */
export function partnerContract(): Contract {
  return demoContract([PARTNER, FINANCE], {
    purpose: 'Match invoices to purchase orders',
    taskCategory: 'reconciliation',
    requestedOutcome: 'Differences found, and disputed where a person agrees',
    successCriteria: ['Every line compared'],
    allowedActions: ['invoice.reconcile', 'invoice.dispute'],
    prohibitedActions: ['payment.release'],
    allowedData: ['invoice-lines'],
    humanApprovalRequirements: ['invoice.dispute'],
  });
}
