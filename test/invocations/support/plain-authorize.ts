import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import type { AuthorizationCode } from '../../../src/invocations/domain/authorization.js';
import type { Contract } from '../../../src/kernel/federated-interaction.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { millisecondsOf, type Timestamp } from '../../../src/kernel/timestamp.js';
import { BEGINNING } from './agreements.js';
import type { Question } from './authorization-questions.js';

interface Candidate {
  readonly interaction: Interaction;
  readonly contract: Contract;
}

/**
 * The rules for capabilities that ask for a contract, and for partners that may act, once more: rule
 * by rule over every contract, with nothing prepared, kept or sorted. Answers the grant's
 * interaction, or the code.
 */
export function plainlyAuthorize({ capability, pair, request, now }: Question): string {
  const { action, data, callers, agentId } = capability!.manifest;
  const caller = pair.calling!.agentId;
  const { vocabulary } = pair;
  const candidates: readonly Candidate[] = pair.contracts.active
    .map(({ interaction }) => ({
      interaction,
      contract: interaction.revisions[interaction.inForce! - 1]!.contract as Contract,
    }))
    .filter(({ interaction: { parties } }) => parties.includes(caller) && parties.includes(agentId))
    .filter(({ interaction }) => isAhead(interaction.expiresAt, now));
  const { named } = request;
  const meant = candidates.filter(
    ({ interaction }) => named === null || interaction.interactionId === named.interactionId,
  );
  const code = (text: AuthorizationCode): string => text;
  if (named !== null && meant.length === 0) return 'named in vain';
  const prohibited = candidates.flatMap(({ contract: each }) => [
    ...each.prohibitedActions,
    ...each.prohibitedData,
  ]);
  if (prohibited.includes(action!)) return code('action-prohibited');
  if (prohibited.some((entry) => data.includes(entry))) return code('data-prohibited');
  if (prohibited.some((entry) => !vocabulary.has(entry, BEGINNING)))
    return code('prohibition-unclear');
  if (meant.length === 0) return code('contract-required');
  const inRole = meant.filter(
    ({ interaction }) => callers === 'any-party' || interaction.initiatorAgentId === caller,
  );
  if (inRole.length === 0) return code('caller-not-initiator');
  const acting = inRole.filter(({ contract: each }) => each.allowedActions.includes(action!));
  if (acting.length === 0) return code('action-not-allowed');
  const holding = acting.filter(({ contract: each }) =>
    data.every((value) => each.allowedData.includes(value)),
  );
  if (holding.length === 0) return code('data-not-allowed');
  const backend: JsonObject = capability!.manifest.directInvoke?.backend ?? {};
  const passing = holding.filter(
    ({ contract: each }) =>
      backend['type'] !== 'a2a' || each.delegationRules.includes(backend['name'] as string),
  );
  if (passing.length === 0) return code('delegation-not-allowed');
  const inTime = passing.filter(
    ({ contract: { deadline } }) => deadline === undefined || isAhead(deadline, now),
  );
  const [first, second] = inTime;
  if (first === undefined) return code('deadline-passed');
  return second === undefined ? first.interaction.interactionId : code('contract-ambiguous');
}

function isAhead(moment: Timestamp, now: Timestamp): boolean {
  return millisecondsOf(now) < millisecondsOf(moment);
}
