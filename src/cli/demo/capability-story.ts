import type { AgentCard } from '@a2a-js/sdk';
import type { JsonObject } from '../../kernel/json.js';
import type { DemoClient } from './demo-client.js';
import { Partner, pdfPart, textPart, type Outcome } from './partner.js';
import { expectStatus, type Narrator } from './story.js';

/** Who plays in the story: tokens of the local issuer. */
export interface CapabilityCast {
  readonly baseUrl: string;
  readonly client: DemoClient;
  /** Of the finance agent's own tenant, with `capabilities:write`. */
  readonly operator: string;
  /** Of another company, with the scope `recon.run`. */
  readonly partner: string;
  /** The same company, without the scope. */
  readonly stranger: string;
}

const RECONCILE = 'reconcile this against the PO';

/**
 * A capability for partners only, from its first call to its removal: what a card shows, what a
 * router reaches and what runs are one and the same. Throws at the first surprise.
 */
export async function playCapabilityStory(cast: CapabilityCast, say: Narrator): Promise<void> {
  const partner = await Partner.meet(cast.baseUrl, cast.partner);
  const stranger = await Partner.meet(cast.baseUrl, cast.stranger);

  say('10. A finance agent offers two skills; its public card shows the one that is everybody’s');
  const answer = await fetch(`${cast.baseUrl}/.well-known/agent-card.json`);
  const publicCard = (await answer.json()) as { skills: { id: string }[]; version: string };
  const publicIds = publicCard.skills.map(({ id }) => id);
  say(`   public card ${publicCard.version}: ${publicIds.join(', ')}`);
  expectSkills(publicIds, ['lookup-invoice']);

  say('11. A partner with the scope recon.run asks for the extended card');
  const partnerCard = await partner.card();
  say(`   partner’s card ${partnerCard.version}: ${idsOf(partnerCard).join(', ')}`);
  expectSkills(idsOf(partnerCard), ['lookup-invoice', 'reconcile-invoice']);
  const strangerCard = await stranger.card();
  say(`   without the scope:  ${idsOf(strangerCard).join(', ')}`);
  expectSkills(idsOf(strangerCard), ['lookup-invoice']);

  say(`12. The partner sends a PDF and “${RECONCILE}”, and names no skill`);
  const message = [pdfPart('INV-20931.pdf'), textPart(RECONCILE)];
  const done = await partner.send(message);
  expectState(done, 'TASK_STATE_COMPLETED');
  say(`   ${resultOf(done)}`);

  say(
    '13. Without the scope the skill does not exist: not even its name reaches it, or is confirmed',
  );
  for (const outcome of [
    await stranger.send(message),
    await stranger.send(message, 'reconcile-invoice'),
  ]) {
    expectState(outcome, 'TASK_STATE_INPUT_REQUIRED');
    say(`   asked back: ${questionOf(outcome)}`);
  }

  say('14. Another output is a new skill: the old one is deprecated with a pointer, then removed');
  await replace(cast, partner, say);
  const gone = await partner.send(message, 'reconcile-invoice');
  if (gone.kind !== 'refused') throw new Error(`a removed skill answered with ${gone.state}`);
  say(`   the old skill: ${gone.reason}`);
  const card = await partner.card();
  say(`   partner’s card ${card.version}: ${idsOf(card).join(', ')}`);
  expectSkills(idsOf(card), ['lookup-invoice', 'reconcile-invoice-v2']);
}

async function replace(
  { client, operator }: CapabilityCast,
  partner: Partner,
  say: Narrator,
): Promise<void> {
  const old = expectStatus(
    await client.request('GET', '/v1/capabilities/finance/reconcile-invoice', operator),
    200,
  );
  const manifest = old['manifest'] as JsonObject;
  const skill = manifest['skill'] as JsonObject;
  const successor = {
    ...manifest,
    id: 'reconcile-invoice-v2',
    skill: { ...skill, name: 'Reconcile an invoice, line by line' },
    handler: 'recon.v4.reconcile',
  };
  expectStatus(await client.request('POST', '/v1/capabilities', operator, successor), 201);
  const change = async (body: object, status: number): Promise<JsonObject> => {
    const path = '/v1/capabilities/finance/reconcile-invoice/state';
    return expectStatus(await client.request('POST', path, operator, body), status);
  };
  const deprecated = await change(
    { state: 'deprecated', replacement: 'reconcile-invoice-v2', expectedRevision: old['revision'] },
    200,
  );
  const removal = { state: 'removed', expectedRevision: deprecated['revision'] };
  const refused = await change(removal, 409);
  say(`   deprecated: ${await descriptionFor(partner)}`);
  say(`   removing it is refused while it is used: ${JSON.stringify(refused['code'])}`);
  await change({ ...removal, force: true, reason: 'The demo has no 30 days' }, 200);
}

/** What the card says of the old skill. */
async function descriptionFor(partner: Partner): Promise<string> {
  const card = await partner.card();
  const skill = card.skills.find(({ id }) => id === 'reconcile-invoice');
  return skill?.description ?? 'the card no longer shows it';
}

function idsOf(card: AgentCard): string[] {
  return card.skills.map(({ id }) => id);
}

function expectSkills(actual: readonly string[], expected: readonly string[]): void {
  if ([...actual].sort().join() !== [...expected].sort().join()) {
    throw new Error(`the card shows ${actual.join(', ')} instead of ${expected.join(', ')}`);
  }
}

function expectState(outcome: Outcome, state: string): void {
  const actual = outcome.kind === 'task' ? outcome.state : outcome.reason;
  if (actual !== state) throw new Error(`${actual} instead of ${state}`);
}

function resultOf(outcome: Outcome): string {
  const part = outcome.kind === 'task' ? outcome.task.artifacts[0]?.parts[0]?.content : undefined;
  return part?.$case === 'data' ? JSON.stringify(part.value) : 'no data';
}

function questionOf(outcome: Outcome): string {
  const part =
    outcome.kind === 'task' ? outcome.task.status?.message?.parts[0]?.content : undefined;
  return part?.$case === 'text' ? part.value : 'no question';
}
