import { termsHash } from '../../../src/kernel/terms.js';
import {
  alpha,
  cancel,
  contract,
  EXPIRES_MS,
  propose,
  signingKey,
  stranger,
  type Act,
  type Party,
  type Scene,
  type Twist,
} from '../../support/interaction-fixtures.js';
import {
  after,
  before,
  fails,
  keyless,
  owned,
  untold,
  type Rules,
  type Story,
} from './interaction-stories.js';
import {
  methodsOf,
  newKeyAheadOf,
  nextKeyOf,
  replacementOf,
  retirementOf,
  revocationOf,
} from './party-changes.js';

/** Of terms that nobody ever proposed. */
export const OTHER_HASH = termsHash({});

/** Terms of alpha and these, which alpha has proposed. */
export const pendingWith = (...others: readonly Party[]): Scene =>
  before.perform(
    propose(alpha, {
      contract: contract({ parties: [alpha, ...others].map(({ agentId }) => agentId) }),
    }),
  );

/**
 * The refusals of a signature.
 *
 * @param by the story of a command that this party gives, so twisted
 * @param who signs its acts
 * @param moment the reason where the signed moment is far off
 */
export function signatureRules(
  by: (who: Party, twist?: Twist) => Story,
  who: Party,
  moment: 'accepted-at-implausible' | 'signed-at-implausible',
): Rules {
  const { key } = who;
  if (key === undefined) throw new Error(`${who.agentId} signs`);
  const other = signingKey('agent-other#1', 52);
  const at = (offsetMs: number): Story => {
    const { scene } = by(who);
    return by(who, { signedAt: scene.later(offsetMs).now });
  };
  return {
    'verifyProof signature-unexpected': fails('key-unregistered', () =>
      by(keyless, { signer: other }),
    ),
    'validKey key-not-found': [
      ...fails('key-unregistered', () => by(who, { signer: other })),
      ...fails('key-id-wrong', () => by(who, { signer: { ...key, keyId: other.keyId } })),
    ],
    'validKey key-not-valid': [
      ...fails('raced', () => after(by(who), revocationOf(who))),
      ...fails('key-window-ended', () => after(by(who), replacementOf(who))),
      ...fails('key-not-yet-valid', () =>
        after(by(who, { signer: nextKeyOf(who) }), newKeyAheadOf(who)),
      ),
    ],
    'refusalByKey signed-time-out-of-range': fails(
      moment,
      () => at(-300_001),
      () => at(300_001),
    ),
    'refusalByKey signature-invalid': fails(
      'signature-invalid',
      () => by(who, { signer: { ...other, keyId: key.keyId } }),
      () => by(who, { statement: { audience: 'https://another.example' } }),
      () => by(who, { statement: { agentId: stranger.agentId } }),
    ),
  };
}

/** The refusals of how a party consents, its signature aside; as {@link signatureRules}. */
export function methodRules(by: (who: Party, twist?: Twist) => Story, who: Party): Rules {
  const unsigned = { proof: 'none' } as const;
  return {
    'consent method-not-permitted': fails('method-not-permitted', () => by(owned)),
    'consentByToken method-not-permitted': fails('method-not-permitted', () => by(owned, unsigned)),
    'consentByToken signature-required': fails('method-not-permitted', () => by(who, unsigned)),
  };
}

export type ActBy = (who: Party, twist?: Twist) => Act;

/** The refusals that every act on a standing interaction begins with. */
export function standingRules(act: ActBy, who: Party, on: Scene): Rules {
  const { revision, status } = on.interaction.revisions.at(-1) ?? {
    revision: 1,
    status: 'proposed',
  };
  const elsewhere = { revision: revision + 1, status, termsHash: OTHER_HASH };
  return {
    'actingParty interaction-not-found': [
      ...fails('not-a-party', () => ({ scene: on, act: act(stranger) })),
      ...fails('illegal-transition', () => ({ scene: before, act: act(who) })),
      ...untold('caller'),
    ],
    'standing interaction-ended': [
      ...fails('illegal-transition', () => ({ scene: on.perform(cancel(alpha)), act: act(who) })),
      ...fails('too-late', () => ({ scene: on.at(EXPIRES_MS), act: act(who) })),
    ],
    'standing head-changed': fails('illegal-transition', () => ({
      scene: on,
      act: act(who, { head: elsewhere }),
    })),
    'standing interaction-erased': untold('never'),
  };
}

/** The refusals of an act's signature; one is required of a party that has not retired. */
export function actRules(by: (who: Party, twist?: Twist) => Story, who: Party): Rules {
  return {
    ...signatureRules(by, who, 'signed-at-implausible'),
    'verifyAct signature-required': fails(
      'signature-missing',
      () => by(who, { proof: 'none' }),
      () => after(by(who, { proof: 'none' }), revocationOf(who)),
    ),
  };
}

/** What of every act is as good as it can be. */
export const allowedActs = (by: (who: Party, twist?: Twist) => Story, who: Party) => ({
  'by signature': () => by(who),
  'by token': () => by(keyless),
  'by token, of a party with a key': () =>
    after(by(who, { proof: 'none' }), methodsOf(who, ['ed25519', 'oauth_account'])),
  'after its party has retired': () => after(by(who), retirementOf(who)),
});
