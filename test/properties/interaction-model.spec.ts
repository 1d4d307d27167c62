import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { play, story } from '../support/interaction-model.js';

/** The other properties are worth as much as the stories are varied. */
describe('five hundred stories', () => {
  const steps = fc.sample(story, { numRuns: 500, seed: 20300101 }).flatMap(play);

  it('meet every state', () => {
    const met = new Set(steps.map(({ after }) => after.interaction.status));
    expect([...met].sort()).toEqual([
      'active',
      'cancelled',
      'completed',
      'expired',
      'pending',
      'rejected',
    ]);
  });

  it('see every event', () => {
    const seen = new Set(
      steps.flatMap(({ decision }) => (decision.ok ? decision.value.map(({ type }) => type) : [])),
    );
    expect([...seen].sort()).toEqual([
      'erasure-consented',
      'interaction-cancelled',
      'interaction-completed',
      'interaction-expired',
      'interaction-proposed',
      'outcome-reported',
      'revision-accepted',
      'revision-attested',
      'revision-proposed',
      'revision-rejected',
      'revision-withdrawn',
      'texts-erased',
    ]);
  });

  it('hear the refusals that decide who may do what', () => {
    const heard = steps.flatMap(({ decision }) => (decision.ok ? [] : [decision.error.code]));
    expect(heard).toEqual(
      expect.arrayContaining([
        'agent-retired',
        'already-accepted',
        'already-consented',
        'already-reported',
        'erasure-not-due',
        'expiry-not-due',
        'head-changed',
        'interaction-ended',
        'interaction-erased',
        'interaction-exists',
        'interaction-not-ended',
        'interaction-not-found',
        'key-not-found',
        'key-not-valid',
        'method-not-permitted',
        'no-open-proposal',
        'not-active',
        'only-proposer-withdraws',
        'party-not-registered',
        'report-incomplete',
        'signature-invalid',
        'signature-required',
        'signed-time-out-of-range',
        'terms-unchanged',
      ]),
    );
  });

  it('amend what is in force', () => {
    const amended = steps.filter(({ after }) => (after.interaction.inForce ?? 0) > 1);
    expect(amended.length).toBeGreaterThan(5);
  });

  it('accept by every method', () => {
    const methods = new Set(
      steps.flatMap(({ after }) =>
        after.interaction.revisions.flatMap(({ acceptances }) =>
          [...acceptances.values()].map(({ method }) => method),
        ),
      ),
    );
    expect([...methods].sort()).toEqual([
      'ed25519',
      'oauth_account',
      'oauth_installation',
      'policy_auto_accept',
    ]);
  });
});
