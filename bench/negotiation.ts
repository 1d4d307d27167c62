/**
 * Whole negotiations (propose and accept, both signed, attested, durable) over HTTP by 32 concurrent
 * clients in a process of their own, against a floor that does only the unavoidable work of the same
 * flows in one process. The rounds alternate, since machines are noisy.
 *
 * The service runs from `dist`, as in production; then once more under V8's profiler, to print where
 * the time goes.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { privateKeyObject } from '../src/kernel/ed25519.js';
import { termsHash } from '../src/kernel/terms.js';
import { timestampOf } from '../src/kernel/timestamp.js';
import {
  acceptanceText,
  sampleContract,
  type BenchAgent,
  type Load,
  type LoadResult,
} from './negotiation-client.js';
import { cpuSecondsOf, startService, stopProcess, type ChildService } from './lib/child-service.js';
import { splitProfile } from './lib/cpu-profile.js';
import { LoadProcess } from './lib/load-process.js';
import {
  NegotiationFloor,
  readStoredFlow,
  type FloorKeys,
  type FloorResult,
} from './lib/negotiation-floor.js';
import { QUICK } from './lib/options.js';
import { registerAgent } from './lib/register-agent.js';
import { printCeiling, printFigure, printRatio } from './lib/report.js';
import { openScratch } from './lib/scratch.js';
import { median, quantile } from './lib/statistics.js';

const CONCURRENCY = 32;
const ROUNDS = QUICK ? 2 : 5;
const ROUND_MS = QUICK ? 2500 : 6000;
const WARM_UP_MS = QUICK ? 2500 : 5000;

function makeFloor(
  folder: string,
  dataFolder: string,
  alpha: BenchAgent,
  beta: BenchAgent,
): NegotiationFloor {
  const pair = ({ jwk }: BenchAgent): FloorKeys['alpha'] => {
    const privateKey = privateKeyObject(jwk);
    return { privateKey, publicKey: createPublicKey(privateKey) };
  };
  const interactionId = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  const now = timestampOf(Date.now());
  const hash = termsHash(sampleContract(interactionId, alpha.agentId, beta.agentId));
  return new NegotiationFloor(
    folder,
    readStoredFlow(dataFolder),
    CONCURRENCY,
    { alpha: pair(alpha), beta: pair(beta), platform: generateKeyPairSync('ed25519').privateKey },
    {
      digest: hash,
      statement: acceptanceText({
        audience: 'http://127.0.0.1:8080',
        interactionId,
        termsHash: hash,
        expiresAt: now,
        agentId: alpha.agentId,
        acceptedAt: now,
      }),
    },
  );
}

/** The innermost of these that a stack passes through is asked to answer for its time. */
const PARTS: readonly (readonly [pattern: RegExp, part: string])[] = [
  [/kernel\/(ed25519|attestation|statements)/, 'Ed25519 and statements'],
  [/canonicalize|kernel\/(canonical|terms|digest)/, 'canonical JSON and hashes'],
  [/kernel\/strict-json/, 'strict JSON'],
  [/kernel\/wire-schema|node_modules\/ajv/, 'wire schema'],
  [/event-store\/sealing/, 'sealing'],
  [/event-store\/sqlite|better-sqlite3/, 'event store and key store'],
  [/dist\/(projections|processes)|projection\.js/, 'projections and processes'],
  [/dist\/event-store/, 'command execution'],
  [/dist\/interactions\/domain|dist\/agents\/domain/, 'domain'],
  [/dist\/interactions|dist\/agents|@nestjs\/cqrs/, 'handlers and controllers'],
  [/class-validator|class-transformer/, 'request DTOs'],
  [/dist\/http/, 'HTTP edge'],
  [/node_modules\/(fastify|@fastify|@nestjs|rxjs|find-my-way|avvio)/, 'Nest and Fastify'],
  [/^node:(_http|http|net|internal\/streams|stream|events|internal\/timers|timers)/, 'node:http'],
];

function partOf(url: string, functionName: string): string | undefined {
  if (functionName === '(garbage collector)') return 'garbage collector';
  return PARTS.find(([pattern]) => pattern.test(url))?.[1];
}

const scratch = openScratch();
const dataFolder = join(scratch.folder, 'service');
mkdirSync(dataFolder);
const clients = new LoadProcess<Load, LoadResult>(
  new URL('./negotiation-client.ts', import.meta.url),
);
const service = await startService(dataFolder, []);
const alpha = await registerAgent(service, dataFolder, 'agent-alpha');
const beta = await registerAgent(service, dataFolder, 'agent-beta');
const load = (target: ChildService, a: BenchAgent, b: BenchAgent, milliseconds: number): Load => ({
  port: target.port,
  audience: `http://127.0.0.1:${String(target.port)}`,
  alpha: a,
  beta: b,
  concurrency: CONCURRENCY,
  milliseconds,
});

await clients.run(load(service, alpha, beta, WARM_UP_MS));
const floor = makeFloor(scratch.folder, dataFolder, alpha, beta);
floor.run(500);

const ratios: number[] = [];
const ourRates: number[] = [];
const floors: FloorResult[] = [];
const latencies: number[] = [];
const cpu = { service: 0, clients: 0, flows: 0 };
for (let round = 0; round < ROUNDS; round++) {
  const floorResult = floor.run(ROUND_MS / 2);
  const before = cpuSecondsOf(service.process);
  const result = await clients.run(load(service, alpha, beta, ROUND_MS));
  cpu.service += cpuSecondsOf(service.process) - before;
  cpu.clients += result.cpuSeconds;
  cpu.flows += result.flows;
  const ourRate = result.flows / result.seconds;
  ourRates.push(ourRate);
  floors.push(floorResult);
  ratios.push(ourRate / (floorResult.flows / floorResult.seconds));
  latencies.push(...result.latencies);
  console.log(
    `round ${String(round + 1)}: ${ourRate.toFixed(0)} flows/s over HTTP, ` +
      `floor ${(floorResult.flows / floorResult.seconds).toFixed(0)} flows/s`,
  );
}
floor.close();
await stopProcess(service.process);

// Once more from scratch under the profiler, which slows it down: shares, not rates.
const profileFolder = join(scratch.folder, 'profile');
const profiledData = join(scratch.folder, 'profiled');
mkdirSync(profiledData);
const profiled = await startService(profiledData, [
  '--cpu-prof',
  `--cpu-prof-dir=${profileFolder}`,
]);
const profiledAlpha = await registerAgent(profiled, profiledData, 'agent-alpha');
const profiledBeta = await registerAgent(profiled, profiledData, 'agent-beta');
await clients.run(load(profiled, profiledAlpha, profiledBeta, WARM_UP_MS));
await stopProcess(profiled.process);
await clients.stop();
console.log('where the service spends its time:');
for (const file of readdirSync(profileFolder)) {
  for (const { part, share } of splitProfile(join(profileFolder, file), partOf)) {
    if (share >= 0.005) console.log(`  ${(share * 100).toFixed(1).padStart(5)} %  ${part}`);
  }
}
scratch.remove();

const floorRates = floors.map(({ flows, seconds }) => flows / seconds);
printFigure('negotiation-rate', median(ourRates), 'flows/s');
printFigure('negotiation-floor-rate', median(floorRates), 'flows/s');
printFigure('negotiation-floor-signing', median(floors.map((f) => f.signing)), 'us/flow');
printFigure('negotiation-floor-verifying', median(floors.map((f) => f.verifying)), 'us/flow');
printFigure('negotiation-floor-storing', median(floors.map((f) => f.storing)), 'us/flow');
printFigure('negotiation-service-cpu', (cpu.service / cpu.flows) * 1e6, 'us/flow');
printFigure('negotiation-client-cpu', (cpu.clients / cpu.flows) * 1e6, 'us/flow');
printFigure('negotiation-request-p50', quantile(latencies, 0.5), 'ms');
printCeiling('negotiation-request-p99', quantile(latencies, 0.99), 'ms', 50);
printRatio('negotiation', median(ratios), 0.5);
