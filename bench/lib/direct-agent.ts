import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '../../src/capabilities/domain/manifest.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { privateKeyObject, signEd25519 } from '../../src/kernel/ed25519.js';
import type { AgentId, SkillId } from '../../src/kernel/ids.js';
import { termsHash } from '../../src/kernel/terms.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { acceptanceText, sampleContract, type BenchAgent } from '../negotiation-client.js';
import { ContractLog } from './contract-log.js';
import { oneKeyStore } from './one-key-store.js';
import { registerAgent, tenantOf } from './register-agent.js';

/** The agent whose capabilities are invoked. */
export const AGENT = 'echo' as AgentId;
const SCOPE = 'echo.run';
/** What the contract allows, and all that it prohibits: known words, so that none of it is prose. */
const ACTION = 'translate';
const PROHIBITED = 'publish,credentials';

export const echoSkill = (n: number): string => `echo-${String(n)}`;

/**
 * Makes the data folder of a service that has not been started yet, whose agent has so many
 * capabilities: each asks for a contract, and gives back what it is given.
 * @returns the service's settings
 */
export async function prepareDirectAgent(
  folder: string,
  manifests: number,
): Promise<Readonly<Record<string, string>>> {
  mkdirSync(folder);
  const agents = {
    agents: [
      {
        agentId: AGENT,
        tenant: tenantOf(AGENT),
        name: 'Echo',
        description: 'Says what it is told.',
        version: '1.0',
        handlers: [fileURLToPath(new URL('./direct-echo-handler.mjs', import.meta.url))],
      },
    ],
  };
  const file = join(folder, 'agents.json');
  writeFileSync(file, JSON.stringify(agents));
  // As they stand in the log once they are registered; one by one it would take minutes.
  const store = await openSqliteEventStore(join(folder, 'events.db'));
  const log = new ContractLog(store, oneKeyStore(randomBytes(32)), Date.now());
  await log.manifests(0, manifests, echoManifest);
  await store.close();
  return { HOSTED_AGENTS: file, TEXT_CLASSIFIER: 'words', VOCABULARY: PROHIBITED };
}

/**
 * Registers the hosted agent and one that calls it, and has them agree on a contract that allows the
 * calls: proposed, accepted and attested over REST.
 * @returns the agent that calls
 */
export async function negotiateContract(
  service: { readonly port: number },
  folder: string,
): Promise<BenchAgent> {
  const hosted = await registerAgent(service, folder, AGENT);
  const caller = await registerAgent(service, folder, 'caller', [SCOPE]);
  const audience = `http://127.0.0.1:${String(service.port)}`;
  const interactionId = randomUUID();
  const contract = sampleContract(interactionId, caller.agentId, hosted.agentId);
  const hash = termsHash(contract);
  const expiresAt = timestampOf(Date.now() + 3_600_000);
  const acceptance = ({ agentId, keyId, jwk }: BenchAgent): object => {
    const acceptedAt = timestampOf(Date.now());
    const members = { audience, interactionId, termsHash: hash, expiresAt, agentId, acceptedAt };
    return {
      keyId,
      acceptedAt,
      value: signEd25519(privateKeyObject(jwk), acceptanceText(members)),
    };
  };
  await post(`${audience}/v1/interactions`, caller.token, {
    interactionId,
    agentId: caller.agentId,
    responderAgentId: hosted.agentId,
    contract,
    expiresAt,
    acceptance: acceptance(caller),
  });
  await post(`${audience}/v1/interactions/${interactionId}/acceptances`, hosted.token, {
    agentId: hosted.agentId,
    head: { revision: 1, status: 'proposed', termsHash: hash },
    acceptance: acceptance(hosted),
  });
  return caller;
}

async function post(url: string, token: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`${url}: ${await response.text()}`);
}

function echoManifest(n: number): Manifest {
  const id = echoSkill(n) as SkillId;
  // Each has schemas of its own.
  const schema = {
    title: id,
    type: 'object',
    properties: { text: { type: 'string', minLength: 1, maxLength: 1000 } },
    required: ['text'],
    additionalProperties: false,
  };
  return {
    id,
    agentId: AGENT,
    state: 'ga',
    visibility: 'extended',
    skill: {
      name: 'Echo',
      description: 'Says what it is told.',
      tags: ['echo'],
      examples: ['Say hello back.', 'Repeat after me.', 'Echo this.'],
      inputModes: ['application/json'],
      outputModes: ['application/json'],
    },
    requiresScopes: [SCOPE],
    tenants: '*',
    handler: 'echo',
    limits: {},
    owner: 'bench',
    replacement: null,
    requiresContract: true,
    action: ACTION,
    data: [],
    callers: 'initiator',
    directInvoke: {
      inputSchema: schema,
      outputSchema: schema,
      backend: { type: 'in-process' },
      allowUnauthenticated: false,
    },
  };
}
