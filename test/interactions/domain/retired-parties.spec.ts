import { describe, expect, it } from '@jest/globals';
import type { Scope } from '../../../src/kernel/caller.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  complete,
  gamma,
  reject,
  retired,
  withdraw,
  type Act,
  type Party,
  type Scene,
  type Twist,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

/** What only winds things down; consent to new terms is refused elsewhere. */
const WINDING_DOWN: readonly (readonly [string, Scene, (who: Party, twist: Twist) => Act])[] = [
  ['reject', STATES['active-with-open-amendment'], reject],
  ['withdraw', STATES['pending-countered'], withdraw],
  ['cancel', STATES.active, cancel],
  ['complete', STATES.active, complete],
];

describe('a retired party', () => {
  const gone = retired(beta);

  it('accepts nothing', () => {
    given(STATES['pending-r1'].with(gone)).when(accept(gone)).refused('agent-retired');
  });

  describe.each(WINDING_DOWN)('may still %s', (_, scene, make) => {
    it('with its own key', () => {
      expect(scene.with(gone).decide(make(gone, {})).ok).toBe(true);
    });

    it('by its owner with agents:admin and without the key, which may be gone for ever', () => {
      const token = { ...beta.ownerToken, scopes: new Set<Scope>(['agents:admin']) };
      const twist: Twist = { token, proof: 'none' };
      const [event] = given(scene.with(gone)).when(make(gone, twist)).events;
      expect(event?.data).toMatchObject({ signedAt: null, signature: null });
    });

    it('but not by a lesser token of its owner, its client or its own', () => {
      for (const token of [beta.ownerToken, beta.token, beta.boundToken]) {
        given(scene.with(gone))
          .when(make(gone, { token, proof: 'none' }))
          .refused('signature-required');
      }
    });
  });
});

describe('while a party is retired', () => {
  it('nobody brings terms into force with it, though it had accepted before', () => {
    given(STATES['pending-r1'].with(retired(alpha)))
      .when(accept(beta))
      .refused('party-not-registered');
    given(STATES['pending-partly-accepted'].with(retired(beta)))
      .when(accept(gamma))
      .refused('party-not-registered');
  });

  it('the others may still end what there is', () => {
    given(STATES['pending-r1'].with(retired(alpha)))
      .when(reject(beta))
      .then('revision-rejected');
    given(STATES.active.with(retired(alpha)))
      .when(cancel(beta))
      .then('interaction-cancelled');
  });
});
