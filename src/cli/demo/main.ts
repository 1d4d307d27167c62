import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseVerificationKeys } from '../../audit/verify/verification-keys.js';
import { verifyInteraction } from '../../audit/verify/verify-interaction.js';
import { devIssuerKeyFile } from '../../config/data-folder.js';
import { loadDevKey, mintDevToken } from '../../http/authentication/dev-issuer.js';
import type { AgentId } from '../../kernel/ids.js';
import { playAuditStory } from './audit-story.js';
import { Auditor } from './auditor.js';
import { playCapabilityStory } from './capability-story.js';
import { playContractStory } from './contract-story.js';
import { DemoAgent } from './demo-agent.js';
import { DemoClient } from './demo-client.js';
import { FINANCE, PARTNER } from './partner-contract.js';
import { launchService } from './service-process.js';
import { playStory } from './story.js';

const PORT = 8080;
const TOKEN_SECONDS = 3600;
const NEGOTIATING = ['agents:write', 'interactions:write', 'interactions:read'];

const isOnce = process.argv.includes('--once');
const say = (line: string): void => {
  console.log(line);
};

const interrupted = interruption();
const folder = await mkdtemp(join(tmpdir(), 'countersign-demo-'));
const service = await launchService(folder, PORT);
// The last resort, also after a fault that nobody caught: nothing stays behind.
process.once('exit', () => {
  service.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

process.exitCode = await run();
await service.stop();
await rm(folder, { recursive: true, force: true });
if (isOnce && process.exitCode === 0) say('demo ok');

/** The exit code. Whoever interrupts the story ends it there. */
async function run(): Promise<number> {
  try {
    const isPlayed = await Promise.race([play(), interrupted]);
    if (!isPlayed) return 1;
    if (!isOnce) await Promise.race([interrupted, service.ended]);
    return 0;
  } catch (error) {
    console.error(`demo failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

async function play(): Promise<true> {
  await service.ready();
  say(`The service runs at ${service.baseUrl}, its event store in ${folder}`);
  say('');
  const client = new DemoClient(service.baseUrl, service.baseUrl);
  const alpha = new DemoAgent('agent-alpha' as AgentId, client, await tokenFor('agent-alpha'));
  const beta = new DemoAgent('agent-beta' as AgentId, client, await tokenFor('agent-beta'));
  const outcome = await playStory(alpha, beta, say);

  say('9. Anyone verifies the final document offline, with nothing but the public keys');
  const keys = parseVerificationKeys(outcome.verificationKeys);
  if (!keys.ok) throw new Error('the verification keys have not the documented form');
  const verdict = verifyInteraction(outcome.document, keys.value);
  for (const check of verdict.checks)
    say(`   ${check.result.padEnd(13)} ${check.check} ${check.subject}`);
  if (verdict.result !== 'verified') throw new Error(`the document is ${verdict.result}`);

  await playCapabilityStory(
    {
      baseUrl: service.baseUrl,
      client,
      operator: await mint('finance-operator', 'finance', undefined, [
        'capabilities:write',
        'capabilities:read',
      ]),
      partner: await mint('partner', 'partner.example', 'agent-partner', ['recon.run']),
      stranger: await mint('stranger', 'partner.example', 'agent-stranger', []),
    },
    say,
  );

  const financeOwner = await mint('finance-owner', 'finance', FINANCE, NEGOTIATING);
  await playContractStory(
    {
      baseUrl: service.baseUrl,
      client,
      finance: new DemoAgent(FINANCE, client, financeOwner),
      controller: await mint('finance-controller', 'finance', undefined, ['approvals:decide']),
      partner: await tokenFor(PARTNER, 'recon.contract'),
    },
    say,
  );

  const reading = await mint('auditor', 'auditor.example', undefined, ['audit:read-all']);
  await playAuditStory(
    {
      auditor: await Auditor.appoint(client, reading, folder),
      parties: [alpha, beta],
      interactionId: outcome.interactionId,
    },
    say,
  );

  say('');
  say(`API description: ${service.baseUrl}/docs   (OpenAPI 3.1: ${service.baseUrl}/openapi.json)`);
  if (isOnce) return true;
  say('The service stays up until Ctrl-C. To read the partner’s interactions, in this folder:');
  say(
    `  TOKEN=$(npx countersign token --data-folder ${folder} --sub you --tenant ${tenantOf(PARTNER)} --scope interactions:read)`,
  );
  say(`  curl -H "Authorization: Bearer $TOKEN" ${service.baseUrl}/v1/interactions`);
  return true;
}

/**
 * Resolves to false when somebody ends the demo: by a signal, by closing its terminal, or by no
 * longer reading what it says (`| head`).
 */
function interruption(): Promise<false> {
  return new Promise((resolve) => {
    const end = (): void => {
      resolve(false);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    for (const stream of [process.stdout, process.stderr]) stream.on('error', end);
  });
}

/** Each agent has a token of its own tenant and is bound to nobody else. */
function tokenFor(agent: string, ...more: readonly string[]): Promise<string> {
  return mint(`owner-of-${agent}`, tenantOf(agent), agent, [...NEGOTIATING, ...more]);
}

async function mint(
  principal: string,
  tenant: string,
  agent: string | undefined,
  scopes: readonly string[],
): Promise<string> {
  const key = await loadDevKey(devIssuerKeyFile(folder));
  if (key === undefined) throw new Error('the local issuer has no key yet');
  const claims = { principal, tenant, agent, scopes, lifetimeSeconds: TOKEN_SECONDS };
  return await mintDevToken(key, claims, Date.now());
}

function tenantOf(agent: string): string {
  return `${agent}.example`;
}
