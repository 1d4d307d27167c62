import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseVerificationKeys } from '../../audit/verify/verification-keys.js';
import { verifyInteraction } from '../../audit/verify/verify-interaction.js';
import { devIssuerKeyFile } from '../../config/data-folder.js';
import { loadDevKey, mintDevToken } from '../../http/authentication/dev-issuer.js';
import type { AgentId } from '../../kernel/ids.js';
import { DemoAgent } from './demo-agent.js';
import { DemoClient } from './demo-client.js';
import { startService } from './service-process.js';
import { playStory } from './story.js';

const PORT = 8080;
const TOKEN_SECONDS = 3600;

const isOnce = process.argv.includes('--once');
const say = (line: string): void => {
  console.log(line);
};

const folder = await mkdtemp(join(tmpdir(), 'countersign-demo-'));
const service = await startService(folder, PORT);
const stop = async (): Promise<void> => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
};
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      resolve();
    });
});

try {
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

  say('');
  say(`API description: ${service.baseUrl}/docs   (OpenAPI 3.1: ${service.baseUrl}/openapi.json)`);
  if (!isOnce) {
    say('The service stays up until Ctrl-C. A token to try it with:');
    say(
      `  npx countersign token --data-folder ${folder} --sub you --tenant demo --scope "interactions:read"`,
    );
    await Promise.race([interrupted, service.ended]);
  }
  await stop();
  if (isOnce) say('demo ok');
} catch (error) {
  console.error(`demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
  await stop();
}

/** Each agent has a token of its own tenant and is bound to nobody else. */
async function tokenFor(agent: string): Promise<string> {
  const key = await loadDevKey(devIssuerKeyFile(folder));
  if (key === undefined) throw new Error('the local issuer has no key yet');
  return mintDevToken(
    key,
    {
      principal: `owner-of-${agent}`,
      tenant: `${agent}.example`,
      agent,
      scopes: ['agents:write', 'interactions:write', 'interactions:read'],
      lifetimeSeconds: TOKEN_SECONDS,
    },
    Date.now(),
  );
}
