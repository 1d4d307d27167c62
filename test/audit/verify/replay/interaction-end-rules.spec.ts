import { expect, it } from '@jest/globals';
import { timestampOf } from '../../../../src/kernel/timestamp.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  complete,
  consentToErasure,
  contract,
  DAY,
  erase,
  expire,
  EXPIRES_MS,
  MINUTE,
  revise,
  stranger,
  type Party,
  type Scene,
  type Twist,
} from '../../../support/interaction-fixtures.js';
import { actRules, allowedActs, pendingWith } from '../../support/interaction-rules.js';
import {
  after,
  before,
  describeRules,
  fails,
  refusalsOf,
  untold,
  type Story,
} from '../../support/interaction-stories.js';
import { methodsOf, retirementOf } from '../../support/party-changes.js';

const open = pendingWith(beta);
const active = open.perform(accept(beta));
const cancelled = open.perform(cancel(alpha));
const others = contract({ purpose: 'Translate two leaflets' });

describeRules(
  'decisions/expire.ts',
  'expire',
  {
    'expire interaction-not-found': fails('illegal-transition', () => ({
      scene: before.at(EXPIRES_MS),
      act: expire(),
    })),
    'expire interaction-ended': fails('illegal-transition', () => ({
      scene: cancelled.at(EXPIRES_MS),
      act: expire(),
    })),
    'expire expiry-not-due': fails('illegal-transition', () => ({
      scene: open.at(EXPIRES_MS - 1),
      act: expire(),
    })),
  },
  {
    'on time': () => ({ scene: open.at(EXPIRES_MS), act: expire() }),
    'long after': () => ({ scene: active.at(EXPIRES_MS + DAY), act: expire() }),
  },
);

const consentedBy = (who: Party, twist?: Twist): Story => ({
  scene: pendingWith(who).perform(cancel(alpha)),
  act: consentToErasure(who, twist),
});
const consent = (scene: Scene, who = beta): Story => ({ scene, act: consentToErasure(who) });
const unsigned = consentedBy(beta, { proof: 'none' });
const allConsented = cancelled.perform(consentToErasure(alpha), consentToErasure(beta));

describeRules(
  'decisions/erase.ts',
  'consentToErasure',
  {
    ...actRules(consentedBy, beta),
    'actingParty interaction-not-found': [
      ...fails('not-a-party', () => consent(cancelled, stranger)),
      ...fails('illegal-transition', () => consent(before)),
      ...untold('caller'),
    ],
    'admitEnded interaction-not-ended': fails(
      'illegal-transition',
      () => consent(open),
      () => consent(active),
    ),
    'admitEnded head-changed': untold('head'),
    'admitEnded interaction-erased': fails('illegal-transition', () =>
      consent(cancelled.later(31 * DAY).perform(erase())),
    ),
    'consentToErasure already-consented': fails('illegal-transition', () =>
      consent(cancelled.perform(consentToErasure(beta))),
    ),
    'consentToErasure signature-required': fails(
      'signature-missing',
      () => unsigned,
      () => after(unsigned, retirementOf(beta)),
      () => after(unsigned, methodsOf(beta, ['ed25519', 'policy_auto_accept'])),
    ),
  },
  {
    ...allowedActs(consentedBy, beta),
    'of an interaction whose expiry is due': () => consent(open.at(EXPIRES_MS)),
    'of the last party': () => consent(cancelled.perform(consentToErasure(alpha))),
  },
);

const erasing = (scene: Scene): Story => ({ scene, act: erase() });
/** Recorded as an erasure to which every party has consented. */
const asConsented = (scene: Scene): Story => {
  const { interactionId } = scene.interaction;
  return {
    ...erasing(scene),
    recorded: [
      {
        type: 'texts-erased',
        data: { interactionId, ground: 'consent', retention: null },
        texts: null,
      },
    ],
  };
};
const endedAt = cancelled.nowMs - MINUTE;

describeRules(
  'decisions/erase.ts',
  'erase',
  {
    'erase interaction-not-found': fails('illegal-transition', () => erasing(before)),
    'erase erasure-not-due': fails(
      'illegal-transition',
      () => erasing(active.later(DAY)),
      () => erasing(cancelled.at(endedAt + 30 * DAY - 1)),
      () => asConsented(cancelled),
      () => asConsented(cancelled.perform(consentToErasure(beta))),
      () => ({
        ...erasing(cancelled.at(endedAt + 29 * DAY)),
        recorded: [
          {
            type: 'texts-erased',
            data: {
              interactionId: contract().interactionId,
              ground: 'retention',
              retention: { days: 29, until: timestampOf(endedAt + 29 * DAY) },
            },
            texts: null,
          },
        ],
      }),
    ),
  },
  {
    'when the retention has run out': () => erasing(cancelled.at(endedAt + 30 * DAY)),
    'when every party has consented': () => erasing(allConsented),
  },
);

/** Alpha reports on terms that are then left, and agreed anew: within the leeway, so that one moment fits both. */
const reported = active.perform(complete(alpha)).later(1 - MINUTE);
const agreedAnew = reported
  .perform(revise(beta, others), accept(alpha), revise(beta, contract()), accept(alpha))
  .later(1 - MINUTE);
const served = (): Story => {
  const first = reported.log.at(-1);
  if (first?.type !== 'outcome-reported') throw new Error('it was reported');
  const { signedAt, signature } = first.data;
  if (signedAt === null || signature === null) throw new Error('alpha signs');
  const { keyId, value } = signature;
  return {
    scene: agreedAnew,
    act: complete(alpha, { proof: () => ({ keyId, value, at: signedAt }) }),
  };
};

describeRules(
  'signatures.ts',
  'refusalOfServed',
  { 'SERVED signature-invalid': fails('signature-repeated', served) },
  { 'signed anew': () => ({ scene: agreedAnew, act: complete(alpha) }) },
);

it('every refusal of an interaction is one of a decision whose refusals are set against reasons', () => {
  const tables = [
    ['decisions/propose.ts', 'propose'],
    ['decisions/revise.ts', 'revise'],
    ['decisions/accept.ts', 'accept'],
    ['decisions/auto-accept.ts', 'autoAccept'],
    ['decisions/close-proposal.ts', 'reject'],
    ['decisions/close-proposal.ts', 'withdraw'],
    ['decisions/cancel.ts', 'cancel'],
    ['decisions/complete.ts', 'complete'],
    ['decisions/expire.ts', 'expire'],
    ['decisions/erase.ts', 'consentToErasure'],
    ['decisions/erase.ts', 'erase'],
    ['signatures.ts', 'refusalOfServed'],
  ] as const;
  const placed = new Set(tables.flatMap(([file, name]) => refusalsOf(file, name)));
  expect(refusalsOf('decide.ts', 'decide')).toEqual([...placed].sort());
});
