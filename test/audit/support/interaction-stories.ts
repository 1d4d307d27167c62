import { describe, expect, it } from '@jest/globals';
import type { Reason } from '../../../src/audit/verify/reasons.js';
import type { InteractionEvent } from '../../../src/interactions/domain/events.js';
import type { EventEnvelope } from '../../../src/kernel/envelope.js';
import {
  alpha,
  beta,
  gamma,
  party,
  Scene,
  stranger,
  type Act,
} from '../../support/interaction-fixtures.js';
import { agentRegistered, platformKeyAdded } from './bundles.js';
import type { ChangeAt } from './party-changes.js';
import { reachableRefusals } from './reachable-refusals.js';
import { doubtsAbout, entriesOfStream, inShort } from './scene-log.js';
import { unjudged } from './unjudged.js';

/** A party without keys: what it says, its token says. */
export const keyless = party('agent-keyless', undefined);
/** A party with a key by which it accepts nothing: its owner does. */
export const owned = party('agent-owned', 6, { methods: ['oauth_account'] });
/** More parties than an interaction has room for. */
export const crowd = Array.from({ length: 16 }, (_, nth) =>
  party(`agent-crowd-${String(nth)}`, undefined),
);
const everybody = [alpha, beta, gamma, stranger, keyless, owned, ...crowd];

/** Everybody is registered, and nothing proposed. */
export const before = Scene.empty.with(...everybody);

const prelude: readonly EventEnvelope[] = [
  platformKeyAdded(),
  ...everybody.map(({ agentId, key, agent }) =>
    agentRegistered(agentId, key === undefined ? [] : [key], agent.methods),
  ),
];

/** A command on an interaction as it stands, and what becomes of the parties just before it. */
export interface Story {
  readonly scene: Scene;
  readonly act: Act;
  readonly changes?: readonly ChangeAt[];
  /** What is recorded, where it is not what the command amounts to. */
  readonly recorded?: readonly InteractionEvent[];
}

export const after = (story: Story, ...changes: readonly ChangeAt[]): Story => ({
  ...story,
  changes,
});

/** What the service decides on the last command of a story, and what a log is worth that holds it. */
function told({ scene, act, changes = [], recorded }: Story) {
  const made = changes.map((change) => change(scene.nowMs));
  const now = scene.with(...made.map(({ who }) => who));
  const { command } = act(now);
  const events = recorded ?? unjudged(now, command);
  const stream = `interaction-${events[0]?.data.interactionId ?? ''}`;
  const { length } = scene.log;
  const last = events.map((event, nth) => ({
    ...event,
    recordedAt: scene.now,
    revision: length + nth,
  }));
  const entries = entriesOfStream(stream, [...scene.log, ...last]);
  const doubts = doubtsAbout([
    ...prelude,
    ...entries.slice(0, length),
    ...made.map(({ event }) => event),
    ...entries.slice(length),
  ]);
  const isOfLast = ({ subject }: { readonly subject: string }) =>
    last.some(({ revision }) => new RegExp(`^${stream}@${String(revision)}(?:,|$)`).test(subject));
  return {
    decision: now.decide(act),
    events,
    earlier: doubts.filter((each) => !isOfLast(each)).map(inShort),
    doubts: doubts.filter(isOfLast),
  };
}

/** What stands against a refusal: each log that only who breaks the rule writes; and why no log shows the rest. */
type Placed = readonly (Breach | Untold)[];

interface Breach {
  /** More than one, in the order in which they are found, where a rule cannot be broken for one alone. */
  readonly reason: Reason | readonly Reason[];
  readonly story: () => Story;
}

/**
 * Why no log shows that a rule was broken.
 *
 * - `caller`: who may ask, and whose token a command came with, is not in the log.
 * - `claim`: the hash that a client claims is compared and not recorded.
 * - `head`: the head that a client names is compared and not recorded.
 * - `never`: another rule is broken before; no log leads to where this one is asked.
 * - `size`: it bounds what every answer carries, and no evidence depends on it.
 */
type Untellable = 'caller' | 'claim' | 'head' | 'never' | 'size';

interface Untold {
  readonly because: Untellable;
}

export function fails(
  reason: Breach['reason'],
  ...stories: readonly [() => Story, ...(() => Story)[]]
): readonly Breach[] {
  return stories.map((story) => ({ reason, story }));
}

export function untold(because: Untold['because']): readonly Untold[] {
  return [{ because }];
}

export type Rules = Readonly<Record<string, Placed>>;

/**
 * Every refusal of a decision against its reason. Each command is refused with the very code, is recorded all
 * the same by {@link unjudged}, and fails for the reason alone; and what is allowed is verified, as recorded
 * by the same writer.
 *
 * @param file of `src/interactions/domain`
 * @param allowed stories that are nearly those which break a rule
 */
export function describeRules(
  file: string,
  name: string,
  rules: Rules,
  allowed: Readonly<Record<string, () => Story>>,
): void {
  describe(`what ${name} refuses`, () => {
    it('stands against a reason of the replay, or is said not to be told by a log', () => {
      expect(refusalsOf(file, name)).toEqual(Object.keys(rules).sort());
      for (const placed of Object.values(rules)) expect(placed).not.toEqual([]);
    });

    const cases = Object.entries(rules).flatMap(([refusal, placed]) =>
      placed.flatMap((each, way) => ('because' in each ? [] : [{ refusal, way, ...each }])),
    );
    it.each(cases)('$refusal fails as $reason, way $way', ({ refusal, reason, story }) => {
      const { decision, earlier, doubts } = told(story());
      expect(decision).toMatchObject({ ok: false, error: { code: refusal.split(' ')[1] } });
      expect(earlier.filter(isFailure)).toEqual([]);
      const failed = doubts.filter(({ result }) => result === 'failed');
      expect([...new Set(failed.map((each) => each.reason))]).toEqual([reason].flat());
    });
  });

  it.each(Object.entries(allowed))(`${name} is verified: %s`, (_, story) => {
    const { decision, events, earlier, doubts } = told(story());
    expect(decision).toEqual({ ok: true, value: events });
    const vouchedFor = /^(?:acceptance|act) not-checkable (?:method|act)-without-signature/;
    expect([...earlier, ...doubts.map(inShort)].filter((each) => !vouchedFor.test(each))).toEqual(
      [],
    );
  });
}

export function refusalsOf(file: string, name: string): readonly string[] {
  return reachableRefusals(`interactions/domain/${file}`, name);
}

function isFailure(doubt: string): boolean {
  return doubt.includes(' failed ');
}
