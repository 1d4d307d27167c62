/**
 * Messages to an echo handler over JSON-RPC by 32 concurrent clients in a process of their own: this
 * service, with durable tasks, authentication and entitlement on, against the plain Express server of
 * the official SDK with its tasks in memory and none of that. The rounds alternate, since machines are
 * noisy. The service runs from `dist`, as in production.
 */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillId } from '../src/kernel/ids.js';
import type { MessageLoad, MessageLoadResult } from './a2a-client.js';
import { mintCallerToken } from './lib/caller-token.js';
import { startService, stopProcess } from './lib/child-service.js';
import { writeEchoAgent, type EchoAgent } from './lib/echo-agent.js';
import { forkTypeScript, LoadProcess } from './lib/load-process.js';
import { QUICK } from './lib/options.js';
import { printFigure, printRatio } from './lib/report.js';
import { openScratch } from './lib/scratch.js';
import { median, quantile } from './lib/statistics.js';

const CONCURRENCY = 32;
const ROUNDS = QUICK ? 2 : 5;
const ROUND_MS = QUICK ? 2500 : 5000;
const WARM_UP_MS = QUICK ? 2000 : 4000;
const AGENT = 'echo';

const ECHO: EchoAgent = {
  agentId: AGENT,
  name: 'Echo',
  description: 'Says what it is told.',
  scope: 'echo.run',
  skills: [
    {
      skillId: 'echo' as SkillId,
      name: 'Echo',
      description: 'Says what it is told.',
      tags: ['echo'],
      examples: ['Say hello back.', 'Repeat after me.', 'Echo this.'],
    },
  ],
};

const scratch = openScratch();
const dataFolder = join(scratch.folder, 'service');
mkdirSync(dataFolder);
const service = await startService(dataFolder, [], {
  HOSTED_AGENTS: writeEchoAgent(scratch.folder, ECHO),
  TEXT_CLASSIFIER: 'words',
});
const peer = forkTypeScript(new URL('./a2a-peer.ts', import.meta.url));
const [{ port: peerPort }] = (await once(peer, 'message')) as [{ port: number }];
const clients = new LoadProcess<MessageLoad, MessageLoadResult>(
  new URL('./a2a-client.ts', import.meta.url),
);
const path = `/a2a/${AGENT}`;
const ours = { port: service.port, path, token: await mintCallerToken(dataFolder, ECHO.scope) };
const theirs = { port: peerPort, path, token: null };

const run = (
  target: typeof ours | typeof theirs,
  milliseconds: number,
): Promise<MessageLoadResult> => clients.run({ ...target, concurrency: CONCURRENCY, milliseconds });
const rateOf = ({ messages, seconds }: MessageLoadResult): number => messages / seconds;

await run(ours, WARM_UP_MS);
await run(theirs, WARM_UP_MS);
const rates: { ours: number; theirs: number }[] = [];
const latencies: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const their = await run(theirs, ROUND_MS);
  const our = await run(ours, ROUND_MS);
  latencies.push(...our.latencies);
  const rate = { ours: rateOf(our), theirs: rateOf(their) };
  rates.push(rate);
  console.log(
    `round ${String(round + 1)}: ${rate.ours.toFixed(0)} messages/s, ` +
      `the SDK's server ${rate.theirs.toFixed(0)} messages/s`,
  );
}
await Promise.all([clients.stop(), stopProcess(service.process), stopProcess(peer)]);
scratch.remove();

printFigure('a2a-rate', median(rates.map((rate) => rate.ours)), 'messages/s');
printFigure('a2a-peer-rate', median(rates.map((rate) => rate.theirs)), 'messages/s');
printFigure('a2a-request-p50', quantile(latencies, 0.5), 'ms');
printFigure('a2a-request-p99', quantile(latencies, 0.99), 'ms');
printRatio('a2a', median(rates.map((rate) => rate.ours / rate.theirs)), 1);
