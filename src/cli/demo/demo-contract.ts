import { randomUUID } from 'node:crypto';
import type { Contract } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import { timestampOf } from '../../kernel/timestamp.js';

/** In milliseconds. */
export const DAY = 24 * 60 * 60 * 1000;

type Members =
  'purpose' | 'taskCategory' | 'requestedOutcome' | 'successCriteria' | 'allowedActions';

/** A contract of the stories, with an id of its own: what they do not say of it is the same in all. */
export function demoContract(
  parties: readonly AgentId[],
  terms: Pick<Contract, Members> & Partial<Contract>,
): Contract {
  return {
    protocolVersion: '0.1',
    interactionId: randomUUID() as InteractionId,
    parties,
    prohibitedActions: [],
    allowedData: [],
    prohibitedData: [],
    deadline: timestampOf(Date.now() + 7 * DAY),
    evidenceRequirements: ['checksum'],
    delegationRules: [],
    humanApprovalRequirements: [],
    factCheckingPolicy: 'important_claims',
    mediationPolicy: 'mutual_consent',
    retentionDays: 14,
    completionConditions: ['delivered'],
    cancellationConditions: ['either_party_before_completion'],
    signatures: {},
    ...terms,
  };
}
