import type { Contract, FederatedInteraction } from '../../kernel/federated-interaction.js';
import type { AgentId, InteractionId } from '../../kernel/ids.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { timestampOf } from '../../kernel/timestamp.js';
import type { Answer } from './demo-client.js';
import { DAY, demoContract } from './demo-contract.js';
import { headOf, type DemoAgent } from './demo-agent.js';

/** Where the story is told, one line at a time. */
export type Narrator = (line: string) => void;

/** What a verifier needs, as the service publishes it. */
export interface PlayedStory {
  readonly interactionId: InteractionId;
  readonly document: JsonObject;
  readonly verificationKeys: JsonObject;
}

/**
 * The whole life of one contract, over HTTP: propose, counter, accept, amend, a theft that fails,
 * completion. Throws at the first answer that the story does not expect.
 */
export async function playStory(
  alpha: DemoAgent,
  beta: DemoAgent,
  say: Narrator,
): Promise<PlayedStory> {
  say('1. Two agents register, each with a key of its own and a proof that it holds it');
  for (const agent of [alpha, beta]) {
    const registered = expectStatus(await agent.register(), 201);
    say(
      `   ${agent.agentId} is registered with key ${agent.keyId}, accepts by ${text(registered['methods'])}`,
    );
  }

  const expiresAt = timestampOf(Date.now() + 30 * DAY);
  const first = translation(alpha.agentId, beta.agentId);

  say('2. agent-alpha proposes a translation');
  let document = interaction(await alpha.propose(first, beta.agentId, expiresAt), 201);
  say(`   revision 1, terms hash ${document.termsHash}, status ${document.status}`);

  say('3. agent-beta counters: keep the data only 14 days');
  const second = { ...first, retentionDays: 14 };
  document = interaction(await beta.revise(headOf(document), second, expiresAt), 201);
  say(`   revision 2 carries agent-beta's acceptance alone; revision 1 is superseded`);

  say('4. agent-alpha accepts exactly that hash');
  document = interaction(await alpha.accept(document), 201);
  const attested = document.contractRevisions.at(-1)?.platformAttestation;
  say(
    `   status ${document.status}, attested by ${attested?.keyId ?? 'nobody'}: ${attested?.digest ?? ''}`,
  );

  say('5. The work needs more: agent-alpha proposes an amendment');
  const third = { ...second, allowedActions: ['translate', 'proofread'] };
  document = interaction(await alpha.revise(headOf(document), third, expiresAt), 201);
  say(
    `   revision 3 is open; revision ${String(document.contractRevision)} stays in force meanwhile`,
  );

  say(
    "6. A thief has agent-beta's token, but not its key, and tries to accept, then signs with a key of its own",
  );
  const thief = beta.thief();
  const theft = [await thief.acceptWithoutKey(document), await thief.accept(document)];
  for (const { status, body } of theft) {
    if (status < 400) throw new Error('the theft succeeded');
    say(`   ${String(status)} ${text(body['code'])}: ${text(body['detail'])}`);
  }

  say('7. agent-beta itself accepts the amendment');
  document = interaction(await beta.accept(document), 201);
  say(`   revision ${String(document.contractRevision)} is in force`);

  say('8. Both report the outcome');
  document = interaction(await beta.complete(document), 200);
  document = interaction(await alpha.complete(document), 200);
  say(`   status ${document.status}`);

  const { interactionId } = document;
  const path = `/v1/interactions/${interactionId}`;
  return {
    interactionId,
    document: expectStatus(await alpha.get(path), 200),
    verificationKeys: expectStatus(await alpha.get(`${path}/verification-keys`), 200),
  };
}

function translation(alpha: AgentId, beta: AgentId): Contract {
  return demoContract([alpha, beta], {
    purpose: 'Translate a leaflet',
    taskCategory: 'translation',
    requestedOutcome: 'A German text of all twelve sections',
    successCriteria: ['All 12 sections present'],
    allowedActions: ['translate'],
    prohibitedActions: ['publish'],
    prohibitedData: ['credentials'],
    retentionDays: 30,
  });
}

/** The body of an answer that is as the story expects; throws otherwise. */
export function expectStatus(answer: Answer, status: number): JsonObject {
  if (answer.status !== status) {
    throw new Error(
      `expected ${String(status)}, got ${String(answer.status)}: ${JSON.stringify(answer.body)}`,
    );
  }
  return answer.body;
}

/** The interaction that an answer carries, if it is as the story expects; throws otherwise. */
export function interaction(answer: Answer, status: number): FederatedInteraction {
  return expectStatus(answer, status) as unknown as FederatedInteraction;
}

/** A member of an answer as a reader wants it: what is neither text nor number as JSON. */
export function text(value: Json | undefined): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
