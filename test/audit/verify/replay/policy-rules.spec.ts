import { describe, expect, it } from '@jest/globals';
import type { Reason } from '../../../../src/audit/verify/reasons.js';
import type { EventEnvelope, Sealed } from '../../../../src/kernel/envelope.js';
import type { Contract } from '../../../../src/kernel/federated-interaction.js';
import { timestampOf, type Timestamp } from '../../../../src/kernel/timestamp.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  contract,
  DAY,
  DEADLINE_MS,
  gamma,
  GENEROUS_POLICY,
  MINUTE,
  propose,
  revise,
  Scene,
  START_MS,
  stranger,
  type Party,
} from '../../../support/interaction-fixtures.js';
import { agentChanged, agentRegistered, platformKeyAdded } from '../../support/bundles.js';
import { reachableRefusals } from '../../support/reachable-refusals.js';
import { doubtsAbout, entriesOf, inShort, type LogEntry } from '../../support/scene-log.js';

/** What alpha proposes to beta and gamma, of whom beta leaves it to its policy. */
const terms = contract({ parties: [alpha.agentId, beta.agentId, gamma.agentId] });
const BY_POLICY = ['ed25519', 'policy_auto_accept'];
const LONG_BEFORE = timestampOf(START_MS - DAY);

const registered = ({ agentId, key }: Party, methods?: readonly string[]): EventEnvelope =>
  agentRegistered(agentId, key === undefined ? [] : [key], methods);
const others = [platformKeyAdded(), registered(alpha), registered(gamma)];

function changedAgent(
  { agentId, key }: Party,
  revision: number,
  type: string,
  data: object,
  at: Timestamp = LONG_BEFORE,
): EventEnvelope {
  if (key === undefined) throw new Error('it signs its changes');
  const event = agentChanged(agentId, revision, type, data, key, at);
  return type === 'agent-retired' ? { ...event, sealed: 'A'.repeat(40) as Sealed } : event;
}
const policy = (revision: number, rules: object | null = GENEROUS_POLICY, at?: Timestamp) =>
  changedAgent(beta, revision, 'agent-policy-changed', { policy: rules }, at);
const methods = (revision: number, list: readonly string[], at?: Timestamp) =>
  changedAgent(beta, revision, 'agent-methods-changed', { methods: list }, at);
const retired = (who: Party, revision: number, at?: Timestamp) =>
  changedAgent(who, revision, 'agent-retired', { reasonHash: null }, at);

/** Beta as it stands before the terms are proposed, by its policy of revision 1. */
const ready = [registered(beta, BY_POLICY), policy(1)];

interface Named {
  readonly revision?: number;
  readonly policyRevision?: number;
  readonly who?: Party;
}

/** An acceptance by policy of whatever was proposed last, which nothing asked for. */
function acceptedByPolicy(scene: Scene, named: Named = {}): Scene {
  const newest = scene.interaction.revisions.at(-1);
  if (newest === undefined) throw new Error('nothing was proposed');
  const { agentId } = named.who ?? beta;
  return scene.record([
    {
      type: 'revision-accepted',
      data: {
        interactionId: scene.interaction.interactionId,
        revision: named.revision ?? newest.revision,
        acceptance: {
          agentId,
          method: 'policy_auto_accept',
          termsHash: newest.termsHash,
          acceptedAt: scene.now,
        },
        policyRevision: named.policyRevision ?? 1,
      },
      texts: null,
    },
  ]);
}

const proposed = (change: Partial<Contract> = {}): Scene =>
  Scene.empty.perform(
    propose(alpha, { contract: { ...terms, ...change }, responder: beta.agentId }),
  );

interface Story {
  readonly scene: Scene;
  /** Beta's events before the terms were proposed, and before they were accepted. */
  readonly before?: readonly EventEnvelope[];
  readonly between?: readonly EventEnvelope[];
}

/** What is found of the last event, the acceptance; everything before it is as it should be. */
function found({ scene, before = ready, between = [] }: Story) {
  const entries = entriesOf(scene);
  const log: readonly (LogEntry | EventEnvelope)[] = [
    ...others,
    ...before,
    ...entries.slice(0, -1),
    ...between,
    ...entries.slice(-1),
  ];
  const subject = `@${entries.length - 1}`;
  const doubts = doubtsAbout(log);
  const earlier = doubts.filter((each) => !each.subject.includes(subject));
  expect(earlier.filter(({ result }) => result === 'failed')).toEqual([]);
  return doubts.filter((each) => each.subject.includes(subject)).map(inShort);
}

const BY_PLATFORM_ONLY = ['acceptance not-checkable method-without-signature (policy_auto_accept)'];
const notInForce = (why: string) => [`acceptance failed policy-not-in-force (${why})`];
const BETWEEN = timestampOf(START_MS + MINUTE);

describe('an acceptance by a policy that was in force before the proposal and covers the terms', () => {
  it('is as good as the platform says', () => {
    expect(found({ scene: acceptedByPolicy(proposed()) })).toEqual(BY_PLATFORM_ONLY);
  });

  it('also when the policy rested meanwhile', () => {
    const between = [methods(2, ['ed25519'], BETWEEN), methods(3, BY_POLICY, BETWEEN)];
    expect(found({ scene: acceptedByPolicy(proposed()), between })).toEqual(BY_PLATFORM_ONLY);
  });
});

describe('an acceptance fails by a policy', () => {
  const scene = acceptedByPolicy(proposed());

  it('that was set after the proposal, whatever the moments say', () => {
    const before = [registered(beta, BY_POLICY)];
    for (const at of [BETWEEN, LONG_BEFORE]) {
      expect(found({ scene, before, between: [policy(1, GENEROUS_POLICY, at)] })).toEqual(
        notInForce('revision 1, when the terms were proposed'),
      );
    }
  });

  it('that the methods did not allow when the terms were proposed', () => {
    for (const before of [
      [registered(beta), policy(1)],
      [...ready, methods(2, ['ed25519'])],
    ]) {
      const between = [methods(before.length, BY_POLICY, BETWEEN)];
      expect(found({ scene, before, between })).toEqual(
        notInForce('revision 1, when the terms were proposed'),
      );
    }
  });

  it('that another one took the place of', () => {
    expect(found({ scene, between: [policy(2, GENEROUS_POLICY, BETWEEN)] })).toEqual(
      notInForce('revision 1'),
    );
    expect(found({ scene, between: [policy(2, null, BETWEEN)] })).toEqual(notInForce('revision 1'));
  });

  it.each<[string, Partial<Contract>, number]>([
    ['no day', { retentionDays: 0 }, 30],
    ['less than 30 days', { retentionDays: 29 }, 100],
    ['less than its ceiling', { retentionDays: 9 }, 10],
    ['more than its ceiling', { retentionDays: 31 }, 30],
  ])('where the terms retain the texts for %s', (_, change, maxRetentionDays) => {
    const before = [
      registered(beta, BY_POLICY),
      policy(1, { ...GENEROUS_POLICY, maxRetentionDays }),
    ];
    expect(found({ scene: acceptedByPolicy(proposed(change)), before })).toEqual(
      notInForce('the terms are not covered'),
    );
  });

  it('where the terms retain the texts for less long than earlier ones', () => {
    const before = [
      registered(beta, BY_POLICY),
      policy(1, { ...GENEROUS_POLICY, maxRetentionDays: 100 }),
    ];
    const amended = (days: number, to: number) =>
      acceptedByPolicy(
        proposed({ retentionDays: days }).perform(revise(alpha, { ...terms, retentionDays: to })),
      );
    expect(found({ scene: amended(60, 59), before })).toEqual(
      notInForce('earlier terms retain the texts for longer'),
    );
    expect(found({ scene: amended(59, 60), before })).toEqual(BY_PLATFORM_ONLY);
  });
});

it('without the texts, what the policy covers is not checkable, and when it was set is', () => {
  const told = (story: Story) => {
    const entries = entriesOf(story.scene).map(({ envelope }) => envelope);
    const { before = ready, between = [] } = story;
    const log = [...others, ...before, ...entries.slice(0, -1), ...between, ...entries.slice(-1)];
    return doubtsAbout(log)
      .filter(({ check }) => check === 'acceptance')
      .map(inShort);
  };
  const scene = acceptedByPolicy(proposed());
  expect(told({ scene })).toEqual(['acceptance not-checkable texts-missing (contract)']);
  const late = { scene, before: [registered(beta, BY_POLICY)], between: [policy(1)] };
  expect(told(late)).toEqual(notInForce('revision 1, when the terms were proposed'));
});

type Placed = readonly [Reason, ...(() => Story)[]] | { readonly because: string };
const ONLY_AFTER_THE_END = {
  because: 'texts are erased only after the end, behind which no acceptance is legal anyway',
};

/** What stands against each refusal of an automatic acceptance. */
const PLACED: Readonly<Record<string, Placed>> = {
  'autoAccept interaction-not-found': [
    'not-a-party',
    () => ({ scene: acceptedByPolicy(proposed(), { who: stranger }) }),
  ],
  'standing interaction-ended': [
    'illegal-transition',
    () => ({ scene: acceptedByPolicy(proposed().perform(cancel(alpha))) }),
  ],
  'standing head-changed': [
    'illegal-transition',
    () => ({ scene: acceptedByPolicy(proposed(), { revision: 2 }) }),
  ],
  'standing interaction-erased': ONLY_AFTER_THE_END,
  'acceptable agent-retired': [
    'party-unknown',
    () => ({ scene: acceptedByPolicy(proposed()), between: [retired(beta, 2, BETWEEN)] }),
  ],
  'acceptable no-open-proposal': [
    'illegal-transition',
    () => {
      const both = contract({ retentionDays: 30 });
      const active = Scene.empty.perform(propose(alpha, { contract: both }), accept(beta));
      return { scene: acceptedByPolicy(active) };
    },
  ],
  'acceptable already-accepted': [
    'illegal-transition',
    () => ({ scene: acceptedByPolicy(acceptedByPolicy(proposed()).later(MINUTE)) }),
  ],
  'acceptable interaction-erased': ONLY_AFTER_THE_END,
  'deadlineOpen deadline-passed': [
    'too-late',
    () => ({ scene: acceptedByPolicy(proposed().at(DEADLINE_MS)) }),
  ],
  'partiesRegistered party-not-registered': [
    'party-unknown',
    () => ({ scene: acceptedByPolicy(proposed()), between: [retired(gamma, 1, BETWEEN)] }),
  ],
  'autoAccept method-not-permitted': [
    'method-not-permitted',
    () => ({ scene: acceptedByPolicy(proposed()), between: [methods(2, ['ed25519'], BETWEEN)] }),
  ],
  'autoAccept policy-does-not-apply': [
    'policy-not-in-force',
    () => ({ scene: acceptedByPolicy(proposed()), between: [policy(2, null, BETWEEN)] }),
    () => ({ scene: acceptedByPolicy(proposed({ taskCategory: 'other' })) }),
    () => ({ scene: acceptedByPolicy(proposed({ allowedActions: ['publish'] })) }),
    () => ({ scene: acceptedByPolicy(proposed({ allowedData: ['names'] })) }),
    () => ({ scene: acceptedByPolicy(proposed({ prohibitedData: ['names'] })) }),
    () => ({ scene: acceptedByPolicy(proposed({ delegationRules: ['none'] })) }),
    () => ({ scene: acceptedByPolicy(proposed({ humanApprovalRequirements: ['all'] })) }),
  ],
};

const cases = Object.entries(PLACED).flatMap(([refusal, placed]) =>
  'because' in placed
    ? []
    : placed.slice(1).map((story, way) => ({ refusal, reason: placed[0], story, way })),
);

describe('what the rules of automatic acceptance refuse', () => {
  it('stands against a reason of the replay, or is said not to be judged', () => {
    const decision = 'interactions/domain/decisions/auto-accept.ts';
    expect(reachableRefusals(decision, 'autoAccept')).toEqual(Object.keys(PLACED).sort());
  });

  it.each(cases)('$refusal fails as $reason, way $way', ({ reason, story }) => {
    const doubts = found((story as () => Story)());
    expect(doubts).toEqual([expect.stringMatching(`^(?:transition|acceptance) failed ${reason}`)]);
  });
});
