import { hashJson } from '../../kernel/digest.js';
import { deriveUuid, type Uuid } from '../../kernel/ids.js';
import type { A2aRequest } from '../turns/agent-operations.js';
import type { DirectTurn } from '../turns/turn-plan.js';
import type { RoutingRecord } from '../routing/decision.js';
import type { DirectCall } from './direct-call.js';
import { failureMetadata, failureOfTurn } from './direct-failure.js';
import { payloadPointer } from './read-direct-call.js';
import { inWordsOfDirect } from './turn-refusal.js';

/**
 * What is different about the turn of a direct invoke, whether it can be run or not.
 * @param uri of the extension
 */
export function directTurn(
  { agent, caller }: Pick<A2aRequest, 'agent' | 'caller'>,
  call: DirectCall,
  uri: string,
): Omit<DirectTurn, 'refusedLast'> {
  const { idempotencyKey: key, skillId } = call;
  return {
    argumentsDigest: hashJson(call.arguments),
    byKey:
      caller === null || key === null
        ? null
        : invocationByKey([caller.tenant, caller.principal, agent.agentId, skillId, key]),
    failure: (why) => failureMetadata(uri, call, failureOfTurn(why)),
    refusal: (refusal) => inWordsOfDirect(refusal, call, payloadPointer(uri)),
  };
}

/** One key of one principal for one skill is one invocation, wherever and by whatever message it arrives. */
function invocationByKey(name: readonly string[]): Uuid {
  return deriveUuid(['idempotency', ...name]);
}

/** Nothing was routed: the caller named the skill. */
export function directRouting({ skillId }: DirectCall): RoutingRecord {
  const candidates = [{ skillId, confidence: 1 }];
  const considered = { skillIds: [skillId], total: 1 };
  return { layer: 'direct-invoke', candidates, confidence: 1, considered };
}
