import { describe, expect, it } from '@jest/globals';
import { evolve } from '../../../src/interactions/domain/evolve.js';
import type { Interaction } from '../../../src/interactions/domain/interaction.js';
import { streamRevisionOf } from '../../../src/interactions/domain/stream.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  complete,
  contract,
  EXPIRES_AT,
  expire,
  EXPIRES_MS,
  MINUTE,
  propose,
  reject,
  revise,
  Scene,
  START_MS,
  withdraw,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

/** Commands are a minute apart: the n-th is recorded at minute n-1. */
const minute = (n: number) => timestampOf(START_MS + n * MINUTE);

const counter = contract({ retentionDays: 10 });
const amendment = contract({ retentionDays: 5 });

function after(scene: Scene): Interaction {
  const { state } = scene;
  if (state === undefined) throw new Error('nothing was proposed');
  return state;
}

const statuses = (interaction: Interaction) => interaction.revisions.map(({ status }) => status);

describe('a proposal', () => {
  const interaction = after(STATES['pending-r1']);

  it('begins a pending interaction with revision 1', () => {
    expect(interaction).toMatchObject({
      status: 'pending',
      statusSince: minute(0),
      inForce: null,
      createdAt: minute(0),
      updatedAt: minute(0),
      expiresAt: EXPIRES_AT,
      version: 1,
    });
    expect(statuses(interaction)).toEqual(['proposed']);
    expect(interaction.revisions[0]?.previousTermsHash).toBeNull();
  });

  it("holds its proposer's acceptance alone", () => {
    expect([...(interaction.revisions[0]?.acceptances.keys() ?? [])]).toEqual([alpha.agentId]);
  });

  it('keeps the transports as they were, whatever becomes of the agents', () => {
    expect(interaction.initiatorTransport).toEqual(alpha.agent.transport);
    expect(interaction.responderTransport).toEqual(beta.agent.transport);
  });
});

describe('a counter-proposal', () => {
  const interaction = after(Scene.empty.perform(propose(alpha), revise(beta, counter)));

  it('supersedes the open proposal and links to its hash', () => {
    const [first, second] = interaction.revisions;
    expect(statuses(interaction)).toEqual(['superseded', 'proposed']);
    expect(second?.previousTermsHash).toBe(first?.termsHash);
    expect(first?.updatedAt).toBe(minute(1));
  });

  it('carries over no acceptance', () => {
    expect([...(interaction.revisions[1]?.acceptances.keys() ?? [])]).toEqual([beta.agentId]);
  });

  it('leaves the interaction pending since the proposal', () => {
    expect(interaction).toMatchObject({ status: 'pending', statusSince: minute(0) });
  });
});

describe('a partial acceptance', () => {
  const interaction = after(STATES['pending-partly-accepted']);

  it('is recorded and changes the revision, but puts nothing in force', () => {
    const [revision] = interaction.revisions;
    expect([...(revision?.acceptances.keys() ?? [])]).toEqual([alpha.agentId, beta.agentId]);
    expect(revision).toMatchObject({ status: 'proposed', updatedAt: minute(1) });
    expect(interaction).toMatchObject({ status: 'pending', inForce: null });
  });
});

describe('the last acceptance', () => {
  const interaction = after(STATES.active);

  it('puts the revision in force and makes the interaction active', () => {
    expect(interaction).toMatchObject({ status: 'active', statusSince: minute(1), inForce: 1 });
    expect(interaction.revisions[0]).toMatchObject({ status: 'accepted', updatedAt: minute(1) });
    expect(interaction.revisions[0]?.attestation).not.toBeNull();
  });
});

describe('an amendment', () => {
  const reported = STATES.active.perform(complete(alpha));
  const open = reported.perform(revise(alpha, amendment));
  const done = after(open.perform(accept(beta)));

  it('leaves the terms in force, and the reports on them, while it is open', () => {
    expect(after(open)).toMatchObject({ status: 'active', inForce: 1 });
    expect(after(open).reports.size).toBe(1);
  });

  it('voids the reports once it is in force', () => {
    expect(done).toMatchObject({ status: 'active', inForce: 2 });
    expect(done.reports.size).toBe(0);
  });

  it('leaves the interaction active since it became so', () => {
    expect(done.statusSince).toBe(after(STATES.active).statusSince);
  });

  it('does not touch the earlier accepted revision', () => {
    expect(done.revisions[0]).toEqual(after(STATES.active).revisions[0]);
  });
});

describe('a rejection', () => {
  it('ends a pending interaction and says why', () => {
    const interaction = after(
      STATES['pending-r1'].perform(reject(beta, { reason: 'Too expensive' })),
    );
    expect(interaction).toMatchObject({ status: 'rejected', statusSince: minute(1) });
    expect(statuses(interaction)).toEqual(['rejected']);
    expect(interaction.lastRejection).toEqual({
      revision: 1,
      byAgentId: beta.agentId,
      kind: 'rejected',
      at: minute(1),
      reason: 'Too expensive',
    });
  });

  it('leaves an active interaction on the terms in force', () => {
    const interaction = after(STATES['active-with-open-amendment'].perform(reject(beta)));
    expect(interaction).toMatchObject({ status: 'active', inForce: 1 });
    expect(statuses(interaction)).toEqual(['accepted', 'rejected']);
    expect(interaction.lastRejection).toMatchObject({ revision: 2, reason: null });
  });
});

describe('a withdrawal', () => {
  it('cancels a pending interaction', () => {
    const interaction = after(STATES['pending-r1'].perform(withdraw(alpha)));
    expect(interaction.status).toBe('cancelled');
    expect(statuses(interaction)).toEqual(['rejected']);
    expect(interaction.lastRejection).toMatchObject({ kind: 'withdrawn', reason: null });
  });

  it('leaves an active interaction on the terms in force', () => {
    const interaction = after(STATES['active-with-open-amendment'].perform(withdraw(alpha)));
    expect(interaction).toMatchObject({ status: 'active', inForce: 1 });
    expect(statuses(interaction)).toEqual(['accepted', 'rejected']);
  });
});

describe('every end rejects an open proposal and keeps the terms in force', () => {
  const open = STATES['active-with-open-amendment'];
  it.each([
    ['a cancellation', 'cancelled', open.perform(cancel(alpha))],
    ['a completion', 'completed', open.perform(complete(alpha), complete(beta))],
    ['an expiry', 'expired', open.at(EXPIRES_MS).perform(expire())],
  ] as const)('%s', (_, status, scene) => {
    const interaction = after(scene);
    expect(interaction).toMatchObject({ status, inForce: 1 });
    expect(statuses(interaction)).toEqual(['accepted', 'rejected']);
  });
});

describe('the place in its stream', () => {
  it.each(Object.entries(STATES).filter(([, { log }]) => log.length > 0))(
    'of %s is that of the last event that was folded',
    (_, { state, log }) => {
      expect(streamRevisionOf(state!)).toBe(log.at(-1)?.revision);
    },
  );
});

describe('a log that this service cannot have written', () => {
  const proposed = STATES['pending-r1'];
  const [first] = proposed.log;
  const [, second] = STATES['pending-countered'].log;
  if (first === undefined || second === undefined) throw new Error('both were recorded');

  it('throws when it does not begin with a proposal', () => {
    expect(() => evolve(undefined, second)).toThrow('revision-proposed before');
  });

  it('throws when it proposes one interaction twice', () => {
    expect(() => evolve(proposed.state, first)).toThrow('on an existing interaction');
  });
});
