import type { DemoAgent } from './demo-agent.js';
import type { DemoClient } from './demo-client.js';
import { runPartner, type Counterpart } from './partner-link.js';
import { expectStatus, interaction, text, type Narrator } from './story.js';

/** Who plays in the story, besides the partner's own process. */
export interface ContractCast {
  readonly baseUrl: string;
  readonly client: DemoClient;
  /** The hosted agent, for which its owner signs. */
  readonly finance: DemoAgent;
  /** Of a person at the hosted agent's company, with `approvals:decide`. */
  readonly controller: string;
  /** Of the partner's agent. */
  readonly partner: string;
}

/**
 * A contract between two processes, and what it lets one call of the other: seen from the side that
 * is called. Throws at the first answer that the story does not expect.
 */
export async function playContractStory(cast: ContractCast, say: Narrator): Promise<void> {
  const { baseUrl, finance, partner } = cast;
  say(
    '15. The hosted finance agent becomes somebody to have contracts with: its owner signs for it',
  );
  const registered = expectStatus(await finance.registerHosted(), 201);
  const { endpoint } = registered['transport'] as { endpoint: string };
  say(`   ${finance.agentId} is registered with key ${finance.keyId}, served at ${endpoint}`);
  await runPartner({ baseUrl, token: partner }, counterpart(cast, say), say);
}

function counterpart({ client, finance, controller }: ContractCast, say: Narrator): Counterpart {
  return {
    async accept(interactionId) {
      const path = `/v1/interactions/${interactionId}`;
      const proposed = interaction(await finance.get(path), 200);
      const accepted = interaction(await finance.accept(proposed), 201);
      say(`   finance signs ${accepted.termsHash} until ${accepted.expiresAt}: ${accepted.status}`);
    },
    async approve(invocationId) {
      const path = `/v1/approvals/${invocationId}`;
      const asked = expectStatus(await client.request('GET', path, controller), 200);
      const { action, arguments: sent, termsHash, argumentsDigest } = asked;
      say(`   a person at finance reads it: ${JSON.stringify({ action, arguments: sent })}`);
      const decision = {
        decision: 'approve',
        termsHash,
        argumentsDigest,
        reason: 'Line 2 is wrong',
      };
      const decided = expectStatus(
        await client.request('POST', `${path}/decision`, controller, decision),
        200,
      );
      if (decided['state'] !== 'approved') throw new Error(`it is ${text(decided['state'])}`);
      say('   and approves this one call, with these arguments, under these terms');
    },
  };
}
