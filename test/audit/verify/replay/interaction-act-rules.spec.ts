import type { OutcomeReport } from '../../../../src/interactions/domain/outcome-report.js';
import { termsHash } from '../../../../src/kernel/terms.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  complete,
  contract,
  DEADLINE_MS,
  EXPIRES_MS,
  gamma,
  propose,
  reject,
  reportOn,
  revise,
  stranger,
  withdraw,
  type Party,
  type Scene,
  type Twist,
} from '../../../support/interaction-fixtures.js';
import {
  actRules,
  allowedActs,
  methodRules,
  OTHER_HASH,
  pendingWith,
  signatureRules,
  standingRules,
  type ActBy,
} from '../../support/interaction-rules.js';
import {
  after,
  before,
  describeRules,
  fails,
  keyless,
  untold,
  type Story,
} from '../../support/interaction-stories.js';
import { retirementOf } from '../../support/party-changes.js';

const open = pendingWith(beta);
const active = open.perform(accept(beta));
const others = contract({ purpose: 'Translate two leaflets' });
const amending = active.perform(revise(alpha, others));

const acceptedBy = (who: Party, twist: Twist = {}): Story => ({
  scene: pendingWith(who),
  act: accept(who, twist),
});
const acceptance = (scene: Scene, twist: Twist = {}): Story => ({
  scene,
  act: accept(beta, twist),
});

describeRules(
  'decisions/accept.ts',
  'accept',
  {
    ...signatureRules(acceptedBy, beta, 'accepted-at-implausible'),
    ...methodRules(acceptedBy, beta),
    'actingParty interaction-not-found': [
      ...fails('not-a-party', () => ({ scene: open, act: accept(stranger) })),
      ...fails('illegal-transition', () => acceptance(before)),
      ...untold('caller'),
    ],
    'standing interaction-ended': [
      ...fails('illegal-transition', () => acceptance(open.perform(cancel(alpha)))),
      ...fails('too-late', () => acceptance(open.at(EXPIRES_MS))),
    ],
    'standing head-changed': [
      ...fails('illegal-transition', () =>
        acceptance(open.perform(revise(alpha, others)), {
          head: { revision: 1, status: 'proposed', termsHash: termsHash(contract()) },
        }),
      ),
      ...fails('accepts-other-terms', () =>
        acceptance(open, {
          head: { revision: 1, status: 'proposed', termsHash: OTHER_HASH },
        }),
      ),
    ],
    'standing interaction-erased': untold('never'),
    'acceptable agent-retired': fails('party-unknown', () =>
      after(acceptance(open), retirementOf(beta)),
    ),
    'acceptable no-open-proposal': fails('illegal-transition', () => acceptance(active)),
    'acceptable already-accepted': fails(
      'illegal-transition',
      () => ({ scene: open, act: accept(alpha) }),
      () => acceptance(pendingWith(beta, gamma).perform(accept(beta))),
    ),
    'acceptable interaction-erased': untold('never'),
    'deadlineOpen deadline-passed': fails('too-late', () => acceptance(open.at(DEADLINE_MS))),
    'partiesRegistered party-not-registered': fails(
      'party-unknown',
      () => after(acceptance(open), retirementOf(alpha)),
      () => after(acceptance(pendingWith(beta, gamma)), retirementOf(gamma)),
    ),
  },
  {
    'by signature': () => acceptance(open),
    'by token': () => acceptedBy(keyless),
    'of three parties the second': () => acceptance(pendingWith(beta, gamma)),
    'just before the deadline': () => acceptance(open.at(DEADLINE_MS - 1)),
  },
);

const rejecting: ActBy = (who, twist) => reject(who, twist);
const rejectedBy = (who: Party, twist?: Twist): Story => ({
  scene: pendingWith(who),
  act: reject(who, twist),
});

describeRules(
  'decisions/close-proposal.ts',
  'reject',
  {
    ...standingRules(rejecting, beta, open),
    ...actRules(rejectedBy, beta),
    'reject no-open-proposal': fails('illegal-transition', () => ({
      scene: active,
      act: reject(beta),
    })),
    'reject proposer-cannot-reject': fails('illegal-transition', () => ({
      scene: open,
      act: reject(alpha),
    })),
  },
  {
    ...allowedActs(rejectedBy, beta),
    'with a reason': () => ({ scene: open, act: reject(beta, { reason: 'Too long' }) }),
    'by who had accepted': () => ({
      scene: pendingWith(beta, gamma).perform(accept(beta)),
      act: reject(beta),
    }),
    'of an amendment': () => ({ scene: amending, act: reject(beta) }),
  },
);

const withdrawing: ActBy = (who, twist) => withdraw(who, twist);
/** Everybody proposes to beta. */
const withdrawnBy = (who: Party, twist?: Twist): Story => ({
  scene: before.perform(
    propose(who, { contract: contract({ parties: [who.agentId, beta.agentId] }) }),
  ),
  act: withdraw(who, twist),
});

describeRules(
  'decisions/close-proposal.ts',
  'withdraw',
  {
    ...standingRules(withdrawing, alpha, open),
    ...actRules(withdrawnBy, alpha),
    'withdraw no-open-proposal': fails('illegal-transition', () => ({
      scene: active,
      act: withdraw(alpha),
    })),
    'withdraw only-proposer-withdraws': fails('illegal-transition', () => ({
      scene: open,
      act: withdraw(beta),
    })),
  },
  {
    ...allowedActs(withdrawnBy, alpha),
    'of an amendment': () => ({ scene: amending, act: withdraw(alpha) }),
  },
);

const cancelling: ActBy = (who, twist) => cancel(who, twist);
const cancelledBy = (who: Party, twist?: Twist): Story => ({
  scene: pendingWith(who).perform(accept(who)),
  act: cancel(who, twist),
});

describeRules(
  'decisions/cancel.ts',
  'cancel',
  { ...standingRules(cancelling, beta, open), ...actRules(cancelledBy, beta) },
  {
    ...allowedActs(cancelledBy, beta),
    'while pending': () => ({ scene: open, act: cancel(beta) }),
    'while an amendment is open': () => ({ scene: amending, act: cancel(beta) }),
  },
);

const completing: ActBy = (who, twist) => complete(who, twist);
const completedBy = (who: Party, twist?: Twist): Story => ({
  scene: pendingWith(who).perform(accept(who)),
  act: complete(who, twist),
});
const honest = reportOn(contract());
const reporting = (report: Partial<OutcomeReport>): Story => ({
  scene: active,
  act: complete(beta, { report: { ...honest, ...report } }),
});
const twoCriteria = contract({ successCriteria: ['one', 'two'] });
const [criterion, another] = reportOn(twoCriteria).successCriteria as [
  OutcomeReport['successCriteria'][number],
  OutcomeReport['successCriteria'][number],
];
const onTwo = (...successCriteria: OutcomeReport['successCriteria']): Story => ({
  scene: before.perform(propose(alpha, { contract: twoCriteria }), accept(beta)),
  act: complete(beta, { report: { ...honest, successCriteria } }),
});
/** As many as a report can answer, and more than any other list of an event may have. */
const manyCriteria = contract({ successCriteria: Array.from({ length: 4_000 }, () => 'x') });

describeRules(
  'decisions/complete.ts',
  'complete',
  {
    ...standingRules(completing, beta, active),
    ...actRules(completedBy, beta),
    'complete not-active': fails('illegal-transition', () => ({
      scene: open,
      act: complete(beta),
    })),
    'complete already-reported': fails('illegal-transition', () => ({
      scene: active.perform(complete(beta)),
      act: complete(beta),
    })),
    'complete interaction-erased': untold('never'),
    'reportAnswers report-incomplete': fails(
      'report-incomplete',
      () => reporting({ completionConditions: [] }),
      () => reporting({ evidenceRequirements: [criterion] }),
      () => reporting({ evidenceRequirements: [...honest.evidenceRequirements, criterion] }),
      () => onTwo(criterion),
      () => onTwo(criterion, criterion),
      () => onTwo(criterion, another, another),
    ),
  },
  {
    ...allowedActs(completedBy, beta),
    'by the last party': () => ({ scene: active.perform(complete(beta)), act: complete(alpha) }),
    'while an amendment is open': () => ({ scene: amending, act: complete(beta) }),
    'anew, on terms that came since': () => ({
      scene: active.perform(complete(beta), revise(alpha, others), accept(beta)),
      act: complete(beta),
    }),
    'in another order': () => onTwo(another, criterion),
    'of thousands of entries': () => ({
      scene: before.perform(propose(alpha, { contract: manyCriteria }), accept(beta)),
      act: complete(beta, { report: reportOn(manyCriteria) }),
    }),
    'with thousands of references': () =>
      onTwo(criterion, { ...another, references: Array.from({ length: 4_000 }, () => 'x') }),
  },
);
