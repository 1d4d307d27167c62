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
  EXPIRES_MS,
  expire,
  gamma,
  propose,
  reject,
  revise,
  Scene,
} from './interaction-fixtures.js';

export type StateName =
  | 'none'
  | 'pending-r1'
  | 'pending-partly-accepted'
  | 'pending-countered'
  | 'active'
  | 'active-with-open-amendment'
  | 'active-partly-reported'
  | 'rejected'
  | 'expired-recorded'
  | 'expired-by-clock'
  | 'cancelled'
  | 'completed'
  | 'ended-half-consented'
  | 'ended-consented'
  | 'erased-by-retention';

const three = contract({ parties: [alpha.agentId, beta.agentId, gamma.agentId] });
const pending = Scene.empty.perform(propose(alpha));
const active = pending.perform(accept(beta));
const amended = contract({ requestedOutcome: 'An Austrian text' });

/** Every state that commands meet. Alpha is the initiator; gamma is a party of the one of three. */
export const STATES: Readonly<Record<StateName, Scene>> = {
  none: Scene.empty,
  'pending-r1': pending,
  'pending-partly-accepted': Scene.empty.perform(propose(alpha, { contract: three }), accept(beta)),
  'pending-countered': pending.perform(revise(beta, amended)),
  active,
  'active-with-open-amendment': active.perform(revise(alpha, amended)),
  'active-partly-reported': active.perform(complete(alpha)),
  rejected: pending.perform(reject(beta)),
  'expired-recorded': active.at(EXPIRES_MS + DAY).perform(expire()),
  'expired-by-clock': active.at(EXPIRES_MS),
  cancelled: active.perform(cancel(beta)),
  completed: active.perform(complete(alpha), complete(beta)),
  'ended-half-consented': active.perform(cancel(beta), consentToErasure(alpha)),
  'ended-consented': active.perform(cancel(beta), consentToErasure(alpha), consentToErasure(beta)),
  'erased-by-retention': active
    .perform(cancel(beta))
    .later(31 * DAY)
    .perform(erase()),
};
