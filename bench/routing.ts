/**
 * The text classifier on a data file (`npm run bench:routing -- FILE.json`, the one in `bench/data`
 * without), and its times among two hundred skills; the memory of a whole service that routes by them. `--words`
 * leaves the encoder out of the classifier.
 *
 * A file holds `{skills: [{id, name, description, examples}], test: [{text, skill}]}`; `skill` is
 * null where a text is meant for none of them.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseAgentId, type AgentId, type SkillId } from '../src/kernel/ids.js';
import { WorkerTextClassifier } from '../src/a2a/routing/text/worker-text-classifier.js';
import { QUICK } from './lib/options.js';
import { printCeiling, printFigure, printRatio } from './lib/report.js';
import { manySkills, readRoutingData, type RoutingCase } from './lib/routing-data.js';
import { isRouted, judge, qualityOf, share } from './lib/routing-quality.js';
import { routingServiceMemory } from './lib/routing-service.js';
import { structureP50 } from './lib/routing-structure.js';
import { quantile } from './lib/statistics.js';

const OWN_DATA = new URL('data/routing-skills.json', import.meta.url);
const ENTITLED = 10;
const ENTITLED_ROUNDS = QUICK ? 1 : 2;
const MOST_FOREIGN = QUICK ? 300 : 1_500;
const MOST_CASES = QUICK ? 600 : Infinity;
const MESSAGES = QUICK ? 2_000 : 10_000;
const TIMED_QUESTIONS = QUICK ? 300 : 1_000;

const file = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
const encoder = !process.argv.includes('--words');
const agent = parseAgentId('bench') as AgentId;

const open = () =>
  new WorkerTextClassifier({
    encoder,
    onFailure: (error) => {
      console.error('the classifier thread ended', error);
      process.exitCode = 1;
    },
  });

/** Evenly spread over the file, so that a part of it looks like the whole. */
function part(cases: readonly RoutingCase[], most: number): RoutingCase[] {
  const step = Math.max(1, cases.length / most);
  return Array.from(
    { length: Math.floor(cases.length / step) },
    (_, i) => cases[Math.floor(i * step)] as RoutingCase,
  );
}

async function measureQuality(): Promise<void> {
  const { skills, test } = readRoutingData(file ?? OWN_DATA);
  const classifier = open();
  const began = performance.now();
  await classifier.learn(agent, skills);
  printFigure('routing-first-answer', performance.now() - began, 'ms');
  await classifier.settled(agent);
  printFigure('routing-learned', performance.now() - began, 'ms');
  const ids = skills.map(({ skillId }) => skillId);
  const cases = part(test, MOST_CASES);
  const quality = qualityOf(await judge(classifier, agent, cases, ids));
  printFigure('routing-skills', ids.length, 'skills');
  printFigure('routing-cases', cases.length, 'texts');
  printFigure('routing-accuracy', quality.accuracy * 100, '%');
  printFigure('routing-coverage', quality.coverage * 100, '%');
  printFigure('routing-out-of-scope-recall', quality.outOfScopeRecall * 100, '%');
  printFigure('routing-calibration-error', quality.calibrationError * 100, '%');
  printRatio('routing-precision', quality.precision, 0.92);
  if (ids.length >= 2 * ENTITLED) await measureForeign(classifier, cases, ids);
  const overlaps = (await classifier.warnings(agent)).filter(
    ({ code }) => code === 'skills-overlap',
  );
  printFigure('routing-overlap-warnings', overlaps.length, 'pairs');
  await classifier.close();
}

/** A caller who may use ten of the skills writes what is meant for another one. */
async function measureForeign(
  classifier: WorkerTextClassifier,
  cases: readonly RoutingCase[],
  ids: readonly SkillId[],
): Promise<void> {
  const askedBack: number[] = [];
  for (let round = 0; round < ENTITLED_ROUNDS; round++) {
    const step = Math.floor(ids.length / ENTITLED);
    const entitled = Array.from({ length: ENTITLED }, (_, i) => ids[i * step + round] as SkillId);
    const foreign = cases.filter(({ skill }) => skill !== null && !entitled.includes(skill));
    const judged = await judge(classifier, agent, part(foreign, MOST_FOREIGN), entitled);
    askedBack.push(share(judged, (one) => !isRouted(one)));
  }
  printRatio('routing-foreign-asked-back', Math.min(...askedBack), 0.98);
}

async function measureTimes(): Promise<void> {
  const skills = manySkills();
  const ids = skills.map(({ skillId }) => skillId);
  const classifier = open();
  await classifier.learn(agent, skills);
  await classifier.settled(agent);
  const texts = Array.from(
    { length: TIMED_QUESTIONS },
    (_, i) =>
      `please ${skills[i % skills.length]?.name ?? ''} number ${i} before the friday meeting`,
  ).map((text) => text.split(' ').slice(0, 8).join(' '));

  const delay = monitorEventLoopDelay({ resolution: 1 });
  const times: number[] = [];
  delay.enable();
  for (const text of texts) {
    const asked = performance.now();
    await classifier.classify(agent, text, ids);
    times.push(performance.now() - asked);
  }
  delay.disable();
  printCeiling('routing-text-p50', quantile(times, 0.5), 'ms', 8);
  printFigure('routing-text-p95', quantile(times, 0.95), 'ms');
  printCeiling('routing-event-loop-p99', delay.percentile(99) / 1e6, 'ms', 10);

  const [first, ...others] = skills;
  if (first === undefined) return;
  const changed = { ...first, examples: [...first.examples, 'stop the bill before it is paid'] };
  const began = performance.now();
  await classifier.learn(agent, [changed, ...others]);
  printCeiling('routing-one-skill-changed', performance.now() - began, 'ms', 1_000);
  await classifier.settled(agent);
  printCeiling('routing-memory', process.memoryUsage().rss / 2 ** 20, 'MiB', 400);
  await classifier.close();
}

async function measureStructure(): Promise<void> {
  printCeiling('routing-structure-p50', await structureP50(200), 'ms', 0.2);
  printFigure('routing-structure-10000-p50', await structureP50(10_000), 'ms');
}

async function measureMemory(): Promise<void> {
  const { learned, loaded } = await routingServiceMemory(manySkills(), MESSAGES);
  printCeiling('routing-service-memory', learned, 'MiB', 400);
  printFigure('routing-service-memory-loaded', loaded, 'MiB');
}

await measureMemory();
await measureQuality();
await measureStructure();
await measureTimes();
