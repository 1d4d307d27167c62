import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { FederatedInteraction } from '../../../src/kernel/federated-interaction.js';
import { taskIdOf } from '../../a2a/transports/support/bindings.js';
import type { TestService } from '../../support/service.js';
import { Approver, verdictOf } from './approver.js';
import { outcomeOf } from './direct-calls.js';
import { agree, callerFor } from './finance.js';
import { documentOf, type Negotiator } from './negotiator.js';

/** Nobody writes such a text by chance, in whatever spelling. */
export const marker = (what: string): string => `“${what}” „Größe“ \\ ${randomUUID()}`;

export interface Story {
  readonly document: FederatedInteraction;
  /** What was written. */
  readonly texts: readonly string[];
  /** The one that the interaction list holds in clear. */
  readonly listed: string;
  /** The reason of an approver. */
  readonly denied: string;
}

/** Everything that people write about one contract: terms, reasons, a report, entries of approvals. */
export async function tellStory(
  service: TestService,
  partner: Negotiator,
  finance: Negotiator,
  retentionDays: number,
): Promise<Story> {
  const [purpose, listed, criterion, entry] = [
    marker('purpose'),
    marker('category'),
    marker('criterion'),
    marker('entry'),
  ];
  const [denied, amendment, rejected, ended] = [
    marker('denied'),
    marker('amendment'),
    marker('rejected'),
    marker('ended'),
  ];
  const document = await agree(partner, finance, {
    purpose,
    taskCategory: listed,
    successCriteria: [criterion],
    humanApprovalRequirements: [entry],
    retentionDays,
  });
  const client = await callerFor(service, partner);
  const reply = await client.invoke('reconcile', { invoice: 'INV-1' });
  expect(outcomeOf(reply)).toBe('AUTH_REQUIRED');
  const approver = await Approver.of(service);
  const approval = await approver.pendingFor(taskIdOf(reply));
  expect((await approver.read(approval.invocationId)).body['entries']).toEqual([entry]);
  expect(verdictOf(await approver.decide(approval, 'deny', { reason: denied }))).toBe('denied');
  const terms = { ...document.contract, purpose: amendment };
  const amended = documentOf(await partner.revise(document, terms));
  const active = documentOf(await finance.reject(amended, rejected));
  const reported = documentOf(await partner.complete(active));
  const texts = [purpose, listed, criterion, entry, denied, amendment, rejected, ended];
  await finance.cancel(reported, ended);
  return { document, texts, listed, denied };
}
