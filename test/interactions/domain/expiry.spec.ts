import { describe, expect, it } from '@jest/globals';
import { effectiveAt } from '../../../src/interactions/domain/expiry.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  contract,
  DAY,
  DEADLINE_MS,
  expire,
  EXPIRES_AT,
  EXPIRES_MS,
  propose,
  reject,
  Scene,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

const { deadline: _, ...endless } = contract();
const pending = Scene.empty.perform(propose(alpha, { contract: endless }));

describe('expiry', () => {
  it.each([
    [-1, 'pending'],
    [0, 'expired'],
    [1, 'expired'],
  ])('comes at expiresAt exactly: %i ms from it the interaction is', (offset, status) => {
    expect(pending.at(EXPIRES_MS + offset).interaction.status).toBe(status);
  });

  it('compares to the last digit that the initiator wrote', () => {
    const expiresAt = '2030-02-01T00:00:00.0005Z' as never;
    const scene = Scene.empty.perform(propose(alpha, { contract: endless, expiresAt }));
    expect(scene.at(EXPIRES_MS).interaction.status).toBe('pending');
    expect(scene.at(EXPIRES_MS + 1).interaction).toMatchObject({
      status: 'expired',
      updatedAt: expiresAt,
    });
  });

  it('is recorded once, dated expiresAt, however late', () => {
    const late = pending.at(EXPIRES_MS + 90 * DAY);
    const { events } = given(late).when(expire());
    expect(events).toEqual([
      {
        type: 'interaction-expired',
        data: { interactionId: late.interaction.interactionId, effectiveAt: EXPIRES_AT },
        texts: null,
      },
    ]);
    given(late.record(events)).when(expire()).refused('interaction-ended');
  });

  it('rejects the open proposal at that moment', () => {
    const { interaction } = STATES['active-with-open-amendment'].at(EXPIRES_MS + DAY);
    expect(interaction.revisions[1]).toMatchObject({ status: 'rejected', updatedAt: EXPIRES_AT });
    expect(interaction).toMatchObject({ updatedAt: EXPIRES_AT, statusSince: EXPIRES_AT });
  });

  it('counts as one event also before it is recorded', () => {
    const due = pending.at(EXPIRES_MS);
    expect(due.interaction.version).toBe(2);
    expect(due.perform(expire()).interaction.version).toBe(2);
  });

  it('does not touch what has ended otherwise', () => {
    const { state } = pending.perform(reject(beta));
    if (state === undefined) throw new Error('something was proposed');
    expect(effectiveAt(state, timestampOf(EXPIRES_MS + DAY))).toBe(state);
  });

  it('needs no texts', () => {
    given(pending.erased().at(EXPIRES_MS)).when(expire()).then('interaction-expired');
  });
});

describe('the deadline of the terms', () => {
  const withDeadline = STATES['pending-r1'];

  it.each([
    [-1, true],
    [0, 'deadline-passed'],
    [1, 'deadline-passed'],
  ])('closes a proposal for acceptance: %i ms from it', (offset, outcome) => {
    const decision = withDeadline.at(DEADLINE_MS + offset).decide(accept(beta));
    expect(decision.ok || decision.error.code).toBe(outcome);
  });

  it('leaves rejection open', () => {
    given(withDeadline.at(DEADLINE_MS + DAY))
      .when(reject(beta))
      .then('revision-rejected');
  });

  it('leaves an interaction active', () => {
    expect(STATES.active.at(DEADLINE_MS + DAY).interaction.status).toBe('active');
  });
});
