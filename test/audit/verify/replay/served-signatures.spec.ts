import { describe, expect, it } from '@jest/globals';
import { LogReplay } from '../../../../src/audit/verify/replay/log-replay.js';
import type { InteractionEvent } from '../../../../src/interactions/domain/events.js';
import {
  accept,
  alpha,
  AUDIENCE,
  beta,
  complete,
  consentToErasure,
  contract,
  MINUTE,
  propose,
  revise,
  Scene,
} from '../../../support/interaction-fixtures.js';
import { agentRegistered, platformKeyAdded } from '../../support/bundles.js';
import { doubtsAbout, entriesOf, inShort } from '../../support/scene-log.js';

const prelude = [
  platformKeyAdded(),
  ...[alpha, beta].map(({ agentId, key }) => agentRegistered(agentId, key ? [key] : [])),
];
const a = contract();
const b = contract({ requestedOutcome: 'another one' });

/** Alpha reports on terms that are then left, and agreed anew. */
const agreedAnew = Scene.empty.perform(
  propose(alpha, { contract: a }),
  accept(beta),
  complete(alpha),
  revise(beta, b),
  accept(alpha),
  revise(beta, a),
  accept(alpha),
);

function doubts(scene: Scene): readonly string[] {
  return doubtsAbout([...prelude, ...entriesOf(scene)]).map(
    (each) => `${each.subject.replace(/^.*@/, '@')} ${inShort(each)}`,
  );
}

/** Whoever writes the log records once more, now, what stands in it. */
function again(scene: Scene, type: InteractionEvent['type']): Scene {
  const event = scene.log.find((each) => each.type === type);
  if (event === undefined) throw new Error(`there is no ${type}`);
  const { recordedAt: _, revision: __, ...copied } = event;
  return scene.record([copied as InteractionEvent]).later(MINUTE);
}

describe('a signature serves once in its interaction', () => {
  it('a report on terms that are agreed anew is verified, with a signature of its own', () => {
    expect(doubts(agreedAnew.perform(complete(alpha), complete(beta)))).toEqual([]);
  });

  it('a report fails that carries the signature of an earlier one', () => {
    const replayed = again(agreedAnew, 'outcome-reported');
    const { length } = agreedAnew.log;
    const failed = `@${length}, agent-alpha act failed signature-repeated`;
    expect(doubts(replayed)).toEqual([failed]);
    // It is found by whoever reads without the texts, too, and fails though the rest is in order.
    const [found] = doubtsAbout([
      ...prelude,
      ...entriesOf(replayed).map(({ envelope }) => envelope),
    ]).filter(({ result }) => result === 'failed');
    expect(found).toMatchObject({ check: 'act', reason: 'signature-repeated' });
  });

  it('what is wrong with a signature itself is said first', () => {
    const length = agreedAnew.log.length;
    const late = again(agreedAnew.later(6 * MINUTE), 'outcome-reported');
    expect(doubts(late)).toEqual([`@${length}, agent-alpha act failed signed-at-implausible`]);
  });

  it('consents after the end are verified, when the signatures before it are forgotten', () => {
    const ended = agreedAnew.perform(complete(alpha), complete(beta));
    const consented = ended.perform(consentToErasure(alpha), consentToErasure(beta));
    const log = [...prelude, ...entriesOf(consented).map(({ envelope }) => envelope)];
    const end = prelude.length + ended.log.length;
    const replay = new LogReplay({ audience: AUDIENCE });
    for (const [index, envelope] of log.slice(0, end).entries()) replay.add({ index, envelope });
    replay.release(ended.interaction.interactionId);
    const results = log
      .slice(end)
      .flatMap((envelope, nth) => replay.add({ index: end + nth, envelope }));
    expect(results.filter(({ result }) => result !== 'verified')).toEqual([]);
    expect(results.map(({ check }) => check)).toContain('act');
  });
});
