import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DEFAULT_DIRECT_INVOKE_EXTENSION as DIRECT_INVOKE,
  DEFAULT_TRUST_EXTENSION as TRUST,
} from '../../config/read-extensions.js';
import type { FederatedInteraction } from '../../kernel/federated-interaction.js';
import { isObject, type JsonObject } from '../../kernel/json.js';
import { millisecondsOf, timestampOf } from '../../kernel/timestamp.js';
import { completed, expectEqual, refused, taskIn } from './call-expectations.js';
import type { DemoAgent } from './demo-agent.js';
import { resultOf, saidUnder, type DirectCaller } from './direct-caller.js';
import type { DirectRequest } from './direct-request.js';
import { DISPUTE, FINANCE, MATCH, RELEASE } from './partner-contract.js';
import type { Counterpart } from './partner-link.js';
import { expectStatus, text, type Narrator } from './story.js';

/** The partner's agent, the client that it calls with, and the other side of its contract. */
export interface PartnerCast {
  readonly agent: DemoAgent;
  readonly caller: DirectCaller;
  readonly counterpart: Counterpart;
}

const INVOICE = 'INV-20931';
/** RFC section 3.6: no model has a part in a direct invoke. */
const NO_MODEL = { llmPlanningLatencyMs: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export async function playAllowedCall(
  { agent, caller }: PartnerCast,
  { interactionId }: FederatedInteraction,
  say: Narrator,
): Promise<void> {
  say(`18. It calls ${MATCH} by id and arguments under the contract`);
  const call = { ...matching(interactionId), idempotencyKey: randomUUID() };
  const explained = await explain(agent, call);
  expectEqual(explained['rule'], 'allowed-action');
  say(`   why it may: ${decisionOf(explained)}`);
  const first = completed(await caller.invoke(call));
  const result = {
    invoice: INVOICE,
    onBehalfOf: 'agent-partner.example',
    lines: [{ line: 2, result: 'different', field: 'quantity' }],
  };
  expectEqual(resultOf(first), result);
  say(`   ${JSON.stringify(resultOf(first))}`);
  const { metrics = null } = saidUnder(DIRECT_INVOKE, first);
  if (!isObject(metrics)) throw new Error('the task says nothing of its metrics');
  const { serverDispatchLatencyMs, backendLatencyMs, ...rest } = metrics;
  expectEqual(rest, NO_MODEL);
  say(
    `   its first call: ${text(serverDispatchLatencyMs)} ms in the service, ${text(backendLatencyMs)} ms in the backend, no tokens`,
  );
  const steps: string[] = [];
  for await (const step of caller.stream(matching(interactionId))) steps.push(step);
  expectEqual(steps, ['submitted', 'artifact', 'completed']);
  say(`   as a stream: ${steps.join(', ')}`);
  const again = completed(await caller.invoke(call));
  expectEqual(again.id, first.id);
  say(`   the same idempotency key again: the first task, ${again.id}`);
  const other = { ...call, arguments: { invoice: INVOICE, lines: [1] } };
  refused(await caller.invoke(other), 'IDEMPOTENCY_CONFLICT', 'idempotency-key-reused', say);
}

export async function playProhibitedCall(
  { caller }: PartnerCast,
  { interactionId }: FederatedInteraction,
  say: Narrator,
): Promise<void> {
  say(`19. ${RELEASE} is on its card, but the contract prohibits payment.release`);
  const call = { skillId: RELEASE, arguments: { invoice: INVOICE }, under: interactionId };
  refused(await caller.invoke(call), 'FORBIDDEN', 'action-prohibited', say);
}

export async function playApprovedCall(
  { caller, counterpart }: PartnerCast,
  { interactionId }: FederatedInteraction,
  say: Narrator,
): Promise<void> {
  say(`20. ${DISPUTE} waits for a person of the other side`);
  const wrong = { invoice: INVOICE, line: 2, reason: '12 invoiced, 10 ordered' };
  const call = { skillId: DISPUTE, arguments: wrong, under: interactionId };
  const waiting = taskIn(await caller.invoke(call), 'auth_required');
  const { approval = null } = saidUnder(TRUST, waiting);
  const invocationId = isObject(approval) ? approval['invocationId'] : undefined;
  if (typeof invocationId !== 'string') throw new Error('the task names no approval');
  say(`   task ${waiting.id}: auth_required; the partner subscribes to it`);
  const steps: string[] = [];
  for await (const step of caller.subscribe(waiting.id)) {
    // The first says how the task stands: from then on nothing is missed.
    if (steps.push(step) === 1) await counterpart.approve(invocationId);
  }
  say(`   told meanwhile: ${steps.join(', ')}`);
  expectEqual(steps.slice(0, 1), ['auth_required']);
  expectEqual(steps.slice(-2), ['artifact', 'completed']);
  const result = resultOf(await caller.task(waiting.id));
  expectEqual(result, { invoice: INVOICE, line: 2, status: 'disputed' });
  say(`   ${JSON.stringify(result)}`);
}

export async function playExpiredCall(
  { agent, caller }: PartnerCast,
  { interactionId, expiresAt }: FederatedInteraction,
  say: Narrator,
): Promise<void> {
  say('21. The second contract said the same, and has expired');
  const end = millisecondsOf(expiresAt);
  await sleep(Math.max(0, end - Date.now()) + 1);
  refused(await caller.invoke(matching(interactionId)), 'FORBIDDEN', 'contract-expired', say);
  const before = timestampOf(end - 1);
  const explained = await explain(agent, matching(interactionId), { at: before });
  expectEqual(explained['decision'], 'grant');
  say(`   at ${before} it was a ${decisionOf(explained)}`);
}

function matching(under: FederatedInteraction['interactionId']): DirectRequest {
  return { skillId: MATCH, arguments: { invoice: INVOICE, lines: [2] }, under };
}

/** What the service says of a call without making it. */
async function explain(
  agent: DemoAgent,
  call: DirectRequest,
  more: object = {},
): Promise<JsonObject> {
  const { skillId, under } = call;
  const question = { agentId: FINANCE, skillId, arguments: call.arguments, interactionId: under };
  return expectStatus(
    await agent.post('/v1/authorizations/explain', { ...question, ...more }),
    200,
  );
}

function decisionOf({ decision, rule, terms }: JsonObject): string {
  const { revision, termsHash } = terms as JsonObject;
  return `${text(decision)} by ${text(rule)} of revision ${text(revision)}, ${text(termsHash)}`;
}
