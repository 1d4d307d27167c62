import type { Contract } from '../../../../src/kernel/federated-interaction.js';
import type { InteractionId } from '../../../../src/kernel/ids.js';
import { termsHash } from '../../../../src/kernel/terms.js';
import { timestampOf } from '../../../../src/kernel/timestamp.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  contract,
  DAY,
  EXPIRES_MS,
  gamma,
  party,
  propose,
  revise,
  START_MS,
  stranger,
  type Party,
  type ProposalTwist,
  type Scene,
  type Twist,
} from '../../../support/interaction-fixtures.js';
import {
  methodRules,
  OTHER_HASH,
  pendingWith,
  signatureRules,
} from '../../support/interaction-rules.js';
import {
  after,
  before,
  crowd,
  describeRules,
  fails,
  keyless,
  untold,
  type Story,
} from '../../support/interaction-stories.js';
import { retirementOf } from '../../support/party-changes.js';

const nobody = party('agent-nobody', 7);
const another = 'b1f0c5a4-52a0-4f0e-9d0c-0d6f3a1f7c11' as InteractionId;
/** The wire has them, and no terms of this service. */
const SIGNATURES = {
  'agent-alpha': { algorithm: 'Ed25519', keyId: 'agent-alpha#1', value: 'A'.repeat(86) },
} as object as Contract['signatures'];
/** What a report repeats: one entry of so many characters, or so many of one. */
const longEntry = (length: number) => entries(['x'.repeat(length)]);
const shortEntries = (count: number) => entries(Array.from({ length: count }, () => 'x'));
const entries = (successCriteria: readonly string[]): Partial<Contract> => ({
  successCriteria,
  completionConditions: [],
  evidenceRequirements: [],
});
/** The most that a report can repeat within 256 KiB, of which 2 KiB are the rest of its request. */
const LONGEST = 260_043;
const MOST = 5_307;
const at = (moment: number) => timestampOf(moment);
const partiesOf = (...parties: readonly Party[]) => ({
  parties: parties.map(({ agentId }) => agentId),
});

function proposal(change: Partial<Contract> = {}, twist: ProposalTwist = {}): Story {
  return { scene: before, act: propose(alpha, { contract: contract(change), ...twist }) };
}
const proposedBy = (who: Party, twist: Twist = {}): Story => ({
  scene: before,
  act: propose(who, { contract: contract(partiesOf(who, beta)), ...twist }),
});

describeRules(
  'decisions/propose.ts',
  'propose',
  {
    ...signatureRules(proposedBy, alpha, 'accepted-at-implausible'),
    ...methodRules(proposedBy, alpha),
    'propose not-acting-agent': [
      ...fails('party-unknown', () => proposedBy(nobody)),
      ...untold('caller'),
    ],
    'propose agent-retired': fails('party-unknown', () => after(proposal(), retirementOf(alpha))),
    'propose interaction-exists': fails(
      'illegal-transition',
      () => ({ ...proposal(), scene: before.perform(propose(alpha)) }),
      () => ({ ...proposal(), scene: before.perform(propose(alpha), cancel(beta)) }),
    ),
    'contractBelongs contract-mismatch': [
      ...fails('interaction-id-mismatch', () => proposal({}, { interactionId: another })),
      ...fails('schema-violation', () => proposal({ protocolVersion: '0.2' as '0.1' })),
    ],
    'contractBelongs signatures-not-empty': fails('signatures-not-empty', () =>
      proposal({ signatures: SIGNATURES }),
    ),
    'partiesFit parties-invalid': [
      ...fails(
        'parties-invalid',
        () => proposal(partiesOf(alpha), { responder: beta.agentId }),
        () => proposal(partiesOf(alpha, beta), { responder: alpha.agentId }),
        () => proposal(partiesOf(alpha, beta), { responder: gamma.agentId }),
        () => proposal(partiesOf(gamma, beta), { responder: beta.agentId }),
      ),
      ...fails(['terms-inconsistent', 'parties-invalid'], () =>
        proposal(partiesOf(alpha, beta, beta)),
      ),
      ...fails('data-malformed', () => proposal(partiesOf(alpha, ...crowd))),
    ],
    'partiesRegistered party-not-registered': fails(
      'party-unknown',
      () => proposal(partiesOf(alpha, nobody)),
      () => proposal(partiesOf(alpha, beta, nobody)),
      () => after(proposal(), retirementOf(beta)),
    ),
    'reportFits contract-invalid': fails(
      'report-impossible',
      () => proposal(longEntry(LONGEST + 1)),
      () => proposal(shortEntries(MOST + 1)),
    ),
    'expiryFits expiry-invalid': [
      ...fails('too-late', () => proposal({}, { expiresAt: at(START_MS) })),
      ...fails('times-inconsistent', () =>
        proposal({}, { expiresAt: at(START_MS + 366 * DAY + 1) }),
      ),
    ],
    'deadlineAhead deadline-invalid': fails('too-late', () => proposal({ deadline: at(START_MS) })),
    'hashAgrees terms-hash-mismatch': untold('claim'),
  },
  {
    'by signature': () => proposal(),
    'by token': () => proposedBy(keyless),
    'with as long an entry as a report can repeat': () => proposal(longEntry(LONGEST)),
    'with as many entries as a report can answer': () => proposal(shortEntries(MOST)),
    'among 16 parties': () => proposal(partiesOf(alpha, ...crowd.slice(1))),
    'for 366 days': () => proposal({}, { expiresAt: at(START_MS + 366 * DAY) }),
    'for a moment': () => proposal({ deadline: at(START_MS + 1) }, { expiresAt: at(START_MS + 1) }),
    'signed five minutes ago': () => proposal({}, { signedAt: at(START_MS - 300_000) }),
    'signed five minutes ahead': () => proposal({}, { signedAt: at(START_MS + 300_000) }),
    'while others have retired': () => after(proposal(), retirementOf(gamma)),
  },
);

const others = contract({ purpose: 'Translate two leaflets' });

function revision(
  change: Partial<Contract> = {},
  scene = pendingWith(beta),
  twist: Twist = {},
): Story {
  return { scene, act: revise(beta, { ...others, ...change }, twist) };
}
const revisedBy = (who: Party, twist: Twist = {}): Story => ({
  scene: pendingWith(who === alpha ? beta : who),
  act: revise(who, { ...others, ...partiesOf(alpha, who) }, twist),
});
const active = pendingWith(beta).perform(accept(beta));
let many: Scene | undefined;
/** As many revisions as an interaction may have, or one less. */
function full(less = 0): Scene {
  const revisions = Array.from({ length: 198 }, (_, nth) =>
    revise(alpha, contract({ retentionDays: nth + 40 })),
  );
  many ??= pendingWith(beta).perform(...revisions);
  return less === 1 ? many : many.perform(revise(beta, others));
}

describeRules(
  'decisions/revise.ts',
  'revise',
  {
    ...signatureRules(revisedBy, beta, 'accepted-at-implausible'),
    ...methodRules(revisedBy, beta),
    'actingParty interaction-not-found': [
      ...fails('proposer-not-a-party', () => ({
        scene: pendingWith(beta),
        act: revise(stranger, others),
      })),
      ...fails('illegal-transition', () => revision({}, before)),
      ...untold('caller'),
    ],
    'standing interaction-ended': [
      ...fails('illegal-transition', () => revision({}, pendingWith(beta).perform(cancel(alpha)))),
      ...fails('too-late', () =>
        revision({ deadline: at(EXPIRES_MS + DAY) }, pendingWith(beta).at(EXPIRES_MS)),
      ),
    ],
    'standing head-changed': [
      ...fails('revision-numbers-not-contiguous', () =>
        revision({}, pendingWith(beta), {
          head: { revision: 2, status: 'proposed', termsHash: termsHash(contract()) },
        }),
      ),
      ...fails('link-broken', () =>
        revision({}, pendingWith(beta), {
          head: { revision: 1, status: 'proposed', termsHash: OTHER_HASH },
        }),
      ),
    ],
    'standing interaction-erased': untold('never'),
    'revise agent-retired': fails('party-unknown', () => after(revision(), retirementOf(beta))),
    'revisionsFit too-many-revisions': [
      ...fails('revision-numbers-not-contiguous', () => revision({ purpose: 'One more' }, full())),
      // More than 4 MiB of terms.
      ...untold('size'),
    ],
    'contractBelongs contract-mismatch': [
      ...fails('interaction-id-mismatch', () => revision({ interactionId: another })),
      ...fails('schema-violation', () => revision({ protocolVersion: '0.2' as '0.1' })),
    ],
    'contractBelongs signatures-not-empty': fails('signatures-not-empty', () =>
      revision({ signatures: SIGNATURES }),
    ),
    'partiesSame parties-changed': fails(
      'terms-inconsistent',
      () => revision(partiesOf(alpha)),
      () => revision(partiesOf(alpha, gamma)),
      () => revision(partiesOf(alpha, beta, gamma)),
      () => revision(partiesOf(beta, beta)),
    ),
    'partiesRegistered party-not-registered': fails('party-unknown', () =>
      after(revision(), retirementOf(alpha)),
    ),
    'reportFits contract-invalid': fails('report-impossible', () =>
      revision(longEntry(LONGEST + 1)),
    ),
    'deadlineAhead deadline-invalid': fails('too-late', () => {
      const scene = pendingWith(beta);
      return revision({ deadline: scene.now }, scene);
    }),
    'hashAgrees terms-hash-mismatch': untold('claim'),
    'revise terms-unchanged': fails(
      'terms-unchanged',
      () => revision(contract()),
      () => revision(contract(), active),
      () => revision(contract(), active.perform(revise(alpha, others))),
    ),
  },
  {
    'by signature': () => revision(),
    'by token': () => revisedBy(keyless),
    'of terms that were proposed before the last ones': () =>
      revision(contract(), pendingWith(beta).perform(revise(alpha, others))),
    'of an active interaction': () => revision({}, active),
    'for the 200th time': () => revision({}, full(1)),
    'with the parties in another order': () => revision(partiesOf(beta, alpha)),
  },
);
