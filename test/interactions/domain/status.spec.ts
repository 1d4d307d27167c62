import { describe, expect, it } from '@jest/globals';
import { headOf } from '../../../src/interactions/domain/head.js';
import { interactionStatus } from '../../../src/interactions/domain/status.js';
import { ERASED } from '../../../src/kernel/event.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import {
  alpha,
  beta,
  contract,
  DAY,
  DEADLINE_MS,
  EXPIRES_AT,
  EXPIRES_MS,
  gamma,
  propose,
  reject,
  revise,
  Scene,
  withdraw,
} from '../../support/interaction-fixtures.js';
import { STATES, type StateName } from '../../support/interaction-states.js';

const of = (scene: Scene) => interactionStatus(scene.interaction);
const DEADLINE = timestampOf(DEADLINE_MS);

describe('the status', () => {
  it.each<readonly [StateName, string, readonly string[], string | null]>([
    ['pending-r1', 'pending', [beta.agentId], DEADLINE],
    ['pending-partly-accepted', 'pending', [gamma.agentId], DEADLINE],
    ['pending-countered', 'pending', [alpha.agentId], DEADLINE],
    ['active', 'active', [alpha.agentId, beta.agentId], DEADLINE],
    ['active-with-open-amendment', 'active', [beta.agentId], DEADLINE],
    ['active-partly-reported', 'active', [beta.agentId], DEADLINE],
    ['rejected', 'rejected', [], null],
    ['expired-recorded', 'expired', [], null],
    ['expired-by-clock', 'expired', [], null],
    ['cancelled', 'cancelled', [], null],
    ['completed', 'completed', [], null],
  ])('of %s', (state, status, waitingOn, nextDeadline) => {
    const scene = STATES[state];
    expect(of(scene)).toMatchObject({ status, waitingOn, nextDeadline });
    expect(of(scene).head).toEqual(headOf(scene.interaction));
    expect(of(scene).since).toBe(scene.interaction.statusSince);
  });

  it('names the expiry when no deadline comes earlier', () => {
    const { deadline: _, ...endless } = contract();
    expect(of(Scene.empty.perform(propose(alpha, { contract: endless }))).nextDeadline).toBe(
      EXPIRES_AT,
    );
    const late = contract({ deadline: timestampOf(EXPIRES_MS + DAY) });
    expect(of(Scene.empty.perform(propose(alpha, { contract: late }))).nextDeadline).toBe(
      EXPIRES_AT,
    );
  });

  it('names the earlier deadline of the terms in force and of an open amendment', () => {
    const sooner = contract({ deadline: timestampOf(DEADLINE_MS - DAY) });
    const later = contract({ deadline: timestampOf(DEADLINE_MS + DAY) });
    expect(of(STATES.active.perform(revise(alpha, sooner))).nextDeadline).toBe(sooner.deadline);
    expect(of(STATES.active.perform(revise(alpha, later))).nextDeadline).toBe(DEADLINE);
  });

  it('keeps the last rejection and its reason while things go on', () => {
    const rejected = STATES['active-with-open-amendment'].perform(
      reject(beta, { reason: 'Not Austrian' }),
      revise(alpha, contract({ retentionDays: 3 })),
    );
    expect(of(rejected).lastRejection).toMatchObject({
      revision: 2,
      byAgentId: beta.agentId,
      kind: 'rejected',
      reason: 'Not Austrian',
    });
    const withdrawn = rejected.perform(withdraw(alpha));
    expect(of(withdrawn).lastRejection).toMatchObject({ revision: 3, kind: 'withdrawn' });
  });

  it('says that a reason is erased, and which deadline is left', () => {
    const scene = STATES['active-with-open-amendment']
      .perform(reject(beta, { reason: 'x' }))
      .erased();
    expect(of(scene)).toMatchObject({
      lastRejection: { reason: ERASED },
      nextDeadline: EXPIRES_AT,
    });
  });
});
