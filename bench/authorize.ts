/**
 * Whether a call may be made: the decision alone with ten thousand contracts in force between the two
 * agents, and the whole question, from the heads of the streams of a real log, with logs of several
 * sizes. It costs the same however many contracts and manifests there are; the ratios say so: the
 * smallest log's time over the larger one's, 1 when they are equal.
 *
 * Contracts stand in the log as a proposal and its attestation, sealed under one key in memory: no
 * signature is looked at, and keys are asked for only where a stream is read for the first time.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedContracts } from '../src/interactions/contracts/logged-contracts.js';
import type { InteractionId } from '../src/kernel/ids.js';
import { timestampOf } from '../src/kernel/timestamp.js';
import { authorize } from '../src/invocations/domain/authorize.js';
import type { AuthorizationQuestion, Authorizer } from '../src/invocations/queries/authorizer.js';
import { AuthorizingNode } from './lib/authorizing-node.js';
import { callerAgent, callerOf, CONTRACTS_AT_MS, HOSTED, skillOf } from './lib/contract-log.js';
import { QUICK } from './lib/options.js';
import { printCeiling, printFigure, printRatio } from './lib/report.js';
import { openScratch } from './lib/scratch.js';
import { median, quantile } from './lib/statistics.js';

const IN_FORCE = 10_000;
const CONTRACTS = QUICK ? [100, 10_000] : [100, 10_000, 1_000_000];
const MANIFESTS = [10, 10_000];
/** Agents that ask; each has a contract of its own, and some are kept for first questions. */
const CALLERS = 100;
const REGULARS = 16;
const USED_SKILLS = 10;
const ROUNDS = QUICK ? 5 : 15;
const QUESTIONS = QUICK ? 1_000 : 4_000;

/** Of the times of work that is done one after the other, in microseconds. */
async function p50(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await work(n);
    times.push((performance.now() - start) * 1000);
  }
  return quantile(times, 0.5);
}

function question(n: number, skill: number): AuthorizationQuestion {
  const caller = callerOf(callerAgent(n));
  return { agentId: HOSTED, skillId: skillOf(skill), caller, named: null };
}

/** Asks, and insists on a grant. */
async function ask(authorizer: Authorizer, asked: AuthorizationQuestion): Promise<void> {
  const { decision } = await authorizer.authorize(asked);
  if (decision.kind !== 'grant') throw new Error(`refused: ${decision.code}`);
}

async function nodeWith(folder: string, contracts: number, manifests: number) {
  const began = performance.now();
  mkdirSync(folder);
  const node = await AuthorizingNode.open(folder);
  const agents = Array.from({ length: CALLERS }, (_, n) => callerAgent(n));
  await node.log.agents([...agents, HOSTED]);
  await node.log.manifests(0, manifests);
  await node.log.contracts(contracts, callerAgent);
  await node.caughtUp();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${String(contracts)} contracts, ${String(manifests)} manifests: ${seconds} s`);
  return node;
}

/** One contract each of other agents, and many between two. */
async function measureOnePair(node: AuthorizingNode): Promise<void> {
  const agent = callerAgent(CALLERS);
  await node.log.agents([agent]);
  const ids = await node.log.contracts(IN_FORCE, () => agent);
  await node.caughtUp();
  const { authorizer, contracts } = node.deciding();
  const [named] = ids as readonly [InteractionId];
  const asked = { ...question(CALLERS, 0), named: { interactionId: named, termsHash: null } };
  const began = performance.now();
  await ask(authorizer, asked);
  const firstMs = performance.now() - began;
  const between = await contracts.now(agent, HOSTED);
  if (between.active.length !== IN_FORCE) throw new Error('some contracts are missing');
  printFigure('authorize-pair-of-10k-first', firstMs, 'ms');
  printFigure(
    'authorize-pair-of-10k-question',
    await p50(QUESTIONS, () => ask(authorizer, asked)),
    'us',
  );
  const foundUs = await p50(QUESTIONS, () => contracts.now(agent, HOSTED));
  printCeiling('contracts-between-unchanged', foundUs, 'us', 10);
  await printDecision(node, contracts, asked);
}

/** The pure function, with everything that it takes at hand. */
async function printDecision(
  node: AuthorizingNode,
  contracts: LoggedContracts,
  asked: AuthorizationQuestion,
): Promise<void> {
  const pair = await node.pairOf(asked, contracts);
  const now = timestampOf(CONTRACTS_AT_MS + 60_000);
  const { capability, between } = pair;
  const decide = () => authorize(capability, asked.caller, between, asked, now);
  if (decide().kind !== 'grant') throw new Error('no grant');
  // The clock is too coarse for one: a hundred at a time.
  const times: number[] = [];
  for (let n = 0; n < QUESTIONS; n++) {
    const start = performance.now();
    for (let each = 0; each < 100; each++) decide();
    times.push((performance.now() - start) * 10);
  }
  printCeiling('authorize-decision-10k-in-force', quantile(times, 0.5), 'us', 20);
}

interface Series {
  readonly label: string;
  /** The same questions of every log. */
  readonly regular: number[];
  /** Of pairs that nobody has asked for before. */
  readonly first: number[];
  /** Each about another manifest than the last thousands: what the processor's caches cost. */
  readonly scattered: number[];
}

/** One of {@link USED_SKILLS} that lie evenly among all of them. */
function spread(n: number, manifests: number): number {
  return ((n % USED_SKILLS) * Math.max(1, Math.floor(manifests / USED_SKILLS))) % manifests;
}

function times(): Pick<Series, 'regular' | 'first' | 'scattered'> {
  return { regular: [], first: [], scattered: [] };
}

/** Questions in turns, so that a noisy machine slows all alike. */
async function measureNodes(
  nodes: readonly (readonly [label: string, node: AuthorizingNode, manifests: number])[],
): Promise<readonly Series[]> {
  const all = nodes.map(([label, node, manifests]) => {
    const { authorizer } = node.deciding();
    return { label, node, manifests, authorizer, ...times() };
  });
  for (const { authorizer, manifests } of all) {
    for (let n = 0; n < manifests; n++) await ask(authorizer, question(n % REGULARS, n));
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { node, authorizer, manifests, regular, first, scattered } of all) {
      regular.push(
        await p50(QUESTIONS, (n) => ask(authorizer, question(n % REGULARS, spread(n, manifests)))),
      );
      scattered.push(
        await p50(QUESTIONS, (n) =>
          ask(authorizer, question(n % REGULARS, (n * 7_919) % manifests)),
        ),
      );
      const fresh = node.deciding().authorizer;
      // What is the same for every pair is known; the pair is new.
      await ask(fresh, question(0, 0));
      first.push(await p50(CALLERS - REGULARS, (n) => ask(fresh, question(REGULARS + n, 0))));
    }
  }
  return all;
}

function printSeries(kind: 'contracts' | 'manifests', series: readonly Series[]): void {
  const [smallest, ...larger] = series as readonly [Series, ...Series[]];
  for (const { label, regular, first, scattered } of series) {
    printFigure(`authorize-${label}`, median(regular), 'us');
    if (kind === 'contracts') printFigure(`authorize-${label}-first`, median(first), 'us');
    else printFigure(`authorize-${label}-scattered`, median(scattered), 'us');
  }
  for (const { label, regular, first } of larger) {
    printRatio(`authorize-flat-${label}`, median(smallest.regular) / median(regular), FLAT);
    if (kind === 'contracts') {
      printRatio(`authorize-flat-${label}-first`, median(smallest.first) / median(first), FLAT);
    }
  }
}

/** At most one and a half times the smallest log's time. */
const FLAT = 0.67;

async function main(): Promise<void> {
  const scratch = openScratch();
  const open: AuthorizingNode[] = [];
  const make = async (name: string, contracts: number, manifests: number) => {
    const node = await nodeWith(join(scratch.folder, name), contracts, manifests);
    open.push(node);
    return [name, node, manifests] as const;
  };
  try {
    const byContracts = [];
    for (const count of CONTRACTS)
      byContracts.push(await make(`${String(count)}-contracts`, count, 1));
    const byManifests = [];
    for (const count of MANIFESTS)
      byManifests.push(await make(`${String(count)}-manifests`, 100, count));
    const contracts = await measureNodes(byContracts);
    const manifests = await measureNodes(byManifests);
    const [, node] = byContracts[0] as (typeof byContracts)[number];
    await measureOnePair(node);
    printSeries('contracts', contracts);
    printSeries('manifests', manifests);
  } finally {
    for (const node of open) await node.close();
    scratch.remove();
  }
}

await main();
