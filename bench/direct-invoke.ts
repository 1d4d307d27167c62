/**
 * Direct invokes of an echo capability over JSON-RPC by 32 connections from a process of their own:
 * this service, with authorization by a contract, the ledger and durable tasks, against the plain
 * Express server of the official SDK, whose executor echoes the same message and which does none of
 * that. The rounds alternate, since machines are noisy. The service runs from `dist`, as in production.
 *
 * Then one call at a time: what the service itself adds to the backend and to the waits for the disk,
 * stage by stage, in this process; and whether that is the same with ten thousand manifests.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { DEFAULT_DIRECT_INVOKE_EXTENSION } from '../src/config/read-extensions.js';
import type { InvokeLoad, InvokeLoadResult } from './direct-invoke-client.js';
import {
  cpuSecondsOf,
  startService,
  stopProcess,
  untilIdle,
  type ChildService,
} from './lib/child-service.js';
import { AGENT, echoSkill, negotiateContract, prepareDirectAgent } from './lib/direct-agent.js';
import { watchRequests, type RequestTimes } from './lib/direct-spans.js';
import { measureStages } from './lib/direct-stages.js';
import { forkTypeScript, LoadProcess } from './lib/load-process.js';
import { QUICK } from './lib/options.js';
import { printCeiling, printFigure, printRatio } from './lib/report.js';
import { openScratch } from './lib/scratch.js';
import { startServiceHere } from './lib/service-here.js';
import { median, quantile } from './lib/statistics.js';

const CONCURRENCY = 32;
const ROUNDS = QUICK ? 2 : 5;
const ROUND_MS = QUICK ? 1500 : 1800;
const WARM_UP_MS = QUICK ? 1500 : 3000;
/** The service has more code to get hot than the peer. */
const FIRST_WARM_UP_MS = QUICK ? 2000 : 6000;
const ALONE_MS = QUICK ? 500 : 800;
const FEW = 10;
const MANY = QUICK ? 1_000 : 10_000;
/** For what a node looks at once, after its start. */
const SURVEY_PATIENCE_MS = QUICK ? 5_000 : 40_000;
/** At most one and a half times as long. */
const FLAT = 0.67;

type Target = Omit<InvokeLoad, 'concurrency' | 'milliseconds'>;

interface Started {
  readonly service: ChildService;
  readonly target: Target;
}

const scratch = openScratch();
const clients = new LoadProcess<InvokeLoad, InvokeLoadResult>(
  new URL('./direct-invoke-client.ts', import.meta.url),
);

/** A service whose agent has so many capabilities, ten of which are called. */
async function serviceWith(manifests: number): Promise<Started> {
  const folder = join(scratch.folder, `${String(manifests)}-manifests`);
  const environment = await prepareDirectAgent(folder, manifests);
  const service = await startService(folder, [], environment);
  const { token } = await negotiateContract(service, folder);
  await untilIdle(service.process, SURVEY_PATIENCE_MS);
  return { service, target: ours(service.port, token, manifests) };
}

function ours(port: number, token: string, manifests: number): Target {
  const skills = Array.from({ length: FEW }, (_, n) => echoSkill((n * manifests) / FEW));
  return { ...TO_AGENT, port, token, skills, answers: 'data' };
}

const TO_AGENT = { path: `/a2a/${AGENT}`, uri: DEFAULT_DIRECT_INVOKE_EXTENSION } as const;

const run = (target: Target, milliseconds: number): Promise<InvokeLoadResult> =>
  clients.run({ ...target, concurrency: CONCURRENCY, milliseconds });
const runAlone = (target: Target, milliseconds: number): Promise<InvokeLoadResult> =>
  clients.run({ ...target, concurrency: 1, milliseconds });
const rateOf = ({ calls, seconds }: InvokeLoadResult): number => calls / seconds;

async function measureLoaded({ service, target }: Started): Promise<void> {
  const peer = forkTypeScript(new URL('./a2a-peer.ts', import.meta.url));
  const [{ port }] = (await once(peer, 'message')) as [{ port: number }];
  const theirs: Target = { ...target, port, token: null, answers: 'text' };
  await run(target, FIRST_WARM_UP_MS);
  await run(theirs, WARM_UP_MS);
  const rates: { ours: number; theirs: number }[] = [];
  const latencies: number[] = [];
  const cpu = { seconds: 0, calls: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const their = await run(theirs, ROUND_MS);
    const before = cpuSecondsOf(service.process);
    const our = await run(target, ROUND_MS);
    cpu.seconds += cpuSecondsOf(service.process) - before;
    cpu.calls += our.calls;
    latencies.push(...our.latencies);
    const rate = { ours: rateOf(our), theirs: rateOf(their) };
    rates.push(rate);
    console.log(
      `round ${String(round + 1)}: ${rate.ours.toFixed(0)} calls/s, ` +
        `the SDK's server ${rate.theirs.toFixed(0)} calls/s`,
    );
  }
  const alone = await runAlone(theirs, ALONE_MS);
  await stopProcess(peer);
  printFigure('direct-invoke-rate', median(rates.map((rate) => rate.ours)), 'calls/s');
  printFigure('direct-invoke-peer-rate', median(rates.map((rate) => rate.theirs)), 'calls/s');
  printFigure('direct-invoke-service-cpu', (cpu.seconds / cpu.calls) * 1e6, 'us/call');
  printFigure('direct-invoke-p50', quantile(latencies, 0.5), 'ms');
  printFigure('direct-invoke-p99', quantile(latencies, 0.99), 'ms');
  printFigure('direct-invoke-peer-alone-request', median(alone.latencies), 'ms');
  printRatio('direct-invoke', median(rates.map((rate) => rate.ours / rate.theirs)), 1.5);
}

/** One call at a time, by the clock of the client. */
async function measureFlat(few: Started, many: Started): Promise<void> {
  const all = [few, many].map(({ target }) => ({
    target,
    p50s: [] as number[],
    rates: [] as number[],
  }));
  for (const { target } of all) await run(target, WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { target, p50s, rates } of all) {
      const result = await runAlone(target, ALONE_MS);
      p50s.push(median(result.latencies));
      rates.push(rateOf(result));
    }
  }
  const [ofFew = [], ofMany = []] = all.map(({ p50s }) => p50s);
  // Round by round: the disk is not always as fast.
  const flat = median(ofFew.map((p50, round) => p50 / (ofMany[round] ?? NaN)));
  for (const [index, count] of [FEW, MANY].entries()) {
    const { p50s, rates } = all[index] as (typeof all)[number];
    printFigure(`direct-invoke-${String(count)}-manifests-p50`, median(p50s), 'ms');
    printFigure(`direct-invoke-${String(count)}-manifests-rate`, median(rates), 'calls/s');
  }
  printRatio(`direct-invoke-flat-${String(MANY)}-manifests`, flat, FLAT);
}

/** One call at a time to a service in this process, by its own clock. */
async function measureOverhead(): Promise<void> {
  const folder = join(scratch.folder, 'here');
  const service = await startServiceHere(folder, await prepareDirectAgent(folder, FEW));
  const caller = await negotiateContract(service, folder);
  const target = ours(service.port, caller.token, FEW);
  // Until the code is as hot as in a service that has run for a while.
  await run(target, WARM_UP_MS);
  const requests = watchRequests(service);
  await runAlone(target, ALONE_MS);
  requests.length = 0;
  const client = await runAlone(target, 2 * ALONE_MS);
  const watched = [...requests];
  const { stages, decisionUs } = await measureStages(service, caller, target.uri);
  await service.close();

  const p50 = (of: (times: RequestTimes) => number): number => median(watched.map(of));
  printFigure('direct-invoke-alone-request', median(client.latencies), 'ms');
  printFigure(
    'direct-invoke-alone-server',
    p50(({ total }) => total),
    'ms',
  );
  printFigure(
    'direct-invoke-alone-fsync-wait',
    p50(({ commits }) => commits),
    'ms',
  );
  printFigure(
    'direct-invoke-alone-backend',
    p50(({ backend }) => backend),
    'ms',
  );
  printFigure('direct-invoke-alone-dispatch', median(client.dispatch), 'ms');
  printFigure('direct-invoke-alone-backend-as-told', median(client.backend), 'ms');
  let rest = p50(({ total, commits, backend }) => total - commits - backend) * 1000;
  printCeiling('direct-invoke-overhead', rest / 1000, 'ms', 0.7);
  const waiting = ['authorization', 'admission', 'task'] as const;
  const all = [...stages, ...waiting.map((span) => [span, p50((t) => t[span]) * 1000] as const)];
  for (const [stage, microseconds] of all) {
    printFigure(`direct-invoke-stage-${stage}`, microseconds, 'us');
    rest -= microseconds;
  }
  printFigure('direct-invoke-stage-rest', rest, 'us');
  printCeiling('direct-invoke-authorize-decision', decisionUs, 'us', 20);
}

const [few, many] = await Promise.all([serviceWith(FEW), serviceWith(MANY)]);
await measureLoaded(few);
await measureFlat(few, many);
await Promise.all([stopProcess(few.service.process), stopProcess(many.service.process)]);
await measureOverhead();
await clients.stop();
scratch.remove();
