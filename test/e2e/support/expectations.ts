import { expect } from '@jest/globals';
import { parseVerificationKeys } from '../../../src/audit/verify/verification-keys.js';
import { verifyInteraction } from '../../../src/audit/verify/verify-interaction.js';
import type { FederatedInteraction } from '../../../src/kernel/federated-interaction.js';
import { validateInteraction } from '../../../src/kernel/wire-schema.js';
import type { Answer } from '../../support/service.js';
import { pathOf, type Negotiator } from './negotiator.js';

/** The wire document of a successful answer; every one that is emitted must match the wire schema. */
export function emitted(answer: Answer, status: number): FederatedInteraction {
  expect([answer.status, answer.status === status ? '' : answer.text]).toEqual([status, '']);
  const judged = validateInteraction(answer.body);
  expect(judged.ok ? [] : judged.error).toEqual([]);
  return answer.body as unknown as FederatedInteraction;
}

export function refused(answer: Answer, status: number, code: string): Answer {
  expect([answer.status, answer.body['code']]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  return answer;
}

/** What an offline verifier says of a document, with the keys that the service publishes for it. */
export async function verdictOn(
  document: FederatedInteraction,
  reader: Negotiator,
): Promise<string> {
  const answer = await reader.get(`${pathOf(document)}/verification-keys`);
  const keys = parseVerificationKeys(answer.body);
  if (!keys.ok) throw new Error(JSON.stringify(keys.error));
  const { result, checks } = verifyInteraction(document, keys.value);
  const flaws = checks.filter((check) => check.result === 'failed');
  expect(flaws).toEqual([]);
  return result;
}

/** The types of the events of an interaction, in order. */
export async function eventTypes(
  document: { readonly interactionId: string },
  reader: Negotiator,
): Promise<readonly unknown[]> {
  const answer = await reader.get(`${pathOf(document)}/events?limit=100`);
  return (answer.body as unknown as { type: string }[]).map(({ type }) => type);
}
