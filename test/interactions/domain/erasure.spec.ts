import { describe, expect, it } from '@jest/globals';
import { interactionDocument } from '../../../src/interactions/domain/document.js';
import { erasureDueAt } from '../../../src/interactions/domain/erasure.js';
import type { Scope } from '../../../src/kernel/caller.js';
import { ERASED } from '../../../src/kernel/event.js';
import type { Contract } from '../../../src/kernel/federated-interaction.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  changed,
  consentToErasure,
  contract,
  DAY,
  erase,
  expire,
  EXPIRES_MS,
  gamma,
  LEEWAY_MS,
  party,
  propose,
  registered,
  reject,
  retired,
  revise,
  Scene,
  stranger,
  type Party,
  withPolicy,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

const keep = (retentionDays: number): Contract => contract({ retentionDays });

/** What ended by a cancellation of beta's, with these terms in force. */
const agreed = (terms: Contract): Scene =>
  Scene.empty.perform(propose(alpha, { contract: terms }), accept(beta), cancel(beta));

const endOf = (scene: Scene): number => Date.parse(scene.interaction.updatedAt);

describe('retention', () => {
  it.each([
    [0, 0],
    [1, 1],
    [36_500, 36_500],
  ])('of %i days ends so many days after the end, to the millisecond', (days, after) => {
    const scene = agreed(keep(days));
    const due = endOf(scene) + after * DAY;
    expect(erasureDueAt(scene.interaction)).toBe(timestampOf(due));
    given(scene.at(due - 1))
      .when(erase())
      .refused('erasure-not-due');
    given(scene.at(due)).when(erase()).then('texts-erased');
  });

  it.each([36_501, Number.MAX_SAFE_INTEGER])('of %i days never ends by itself', (days) => {
    const scene = agreed(keep(days));
    expect(erasureDueAt(scene.interaction)).toBeNull();
    given(scene.later(200 * 365 * DAY))
      .when(erase())
      .refused('erasure-not-due');
    const all = scene.perform(consentToErasure(alpha), consentToErasure(beta));
    given(all).when(erase()).then('texts-erased');
  });

  it('counts from expiresAt, whenever the expiry was recorded and to the last digit', () => {
    const expiresAt = '2030-02-01T00:00:00.0005Z' as never;
    const scene = Scene.empty
      .perform(propose(alpha, { contract: keep(1), expiresAt }), accept(beta))
      .at(EXPIRES_MS + 9 * DAY)
      .perform(expire());
    expect(erasureDueAt(scene.interaction)).toBe('2030-02-02T00:00:00.001Z');
  });

  it('is not counted while an expiry is due and not recorded', () => {
    given(STATES['expired-by-clock'].later(400 * DAY))
      .when(erase())
      .refused('erasure-not-due');
  });

  it('is that of the terms in force last, whatever was proposed before or since', () => {
    const amended = Scene.empty.perform(
      propose(alpha, { contract: keep(9) }),
      accept(beta),
      revise(alpha, keep(3)),
      accept(beta),
      revise(alpha, keep(0)),
      cancel(alpha),
    );
    expect(erasureDueAt(amended.interaction)).toBe(timestampOf(endOf(amended) + 3 * DAY));
  });

  describe('of terms that nobody but their proposer accepted is the longest of all, within bounds', () => {
    it.each([
      ['so that nobody shortens it by a counter-proposal', [90, 0], 90],
      ['nor by proposing first, and taking back', [0, 90], 90],
      ['nor where all propose less than thirty days', [0, 29], 30],
      ['nor has anything kept for ever', [40_000, 0], 365],
      ['nor for more than a year', [0, 366], 365],
    ])('%s: %j', (_, [first = 0, second = 0], days) => {
      const countered = Scene.empty.perform(
        propose(alpha, { contract: keep(first) }),
        revise(beta, keep(second)),
      );
      for (const scene of [countered.perform(cancel(beta)), countered.perform(reject(alpha))]) {
        expect(erasureDueAt(scene.interaction)).toBe(timestampOf(endOf(scene) + days * DAY));
      }
    });

    it('so that neither who proposes alone nor who rejects has a reason erased at once', () => {
      const scene = Scene.empty.perform(propose(alpha, { contract: keep(0) }), reject(beta));
      given(scene.at(endOf(scene) + 30 * DAY - 1))
        .when(erase())
        .refused('erasure-not-due');
      given(scene.at(endOf(scene) + 30 * DAY))
        .when(erase())
        .then('texts-erased');
    });
  });
});

describe('consent', () => {
  it('of one party alone erases nothing, however often it tries', () => {
    const scene = STATES.cancelled.perform(consentToErasure(beta));
    given(scene).when(consentToErasure(beta)).refused('already-consented');
    given(scene).when(erase()).refused('erasure-not-due');
  });

  it('of every party makes the erasure due at once', () => {
    const scene = STATES.cancelled.perform(consentToErasure(beta));
    const due = timestampOf(scene.nowMs);
    const all = scene.perform(consentToErasure(alpha));
    expect(erasureDueAt(all.interaction)).toBe(due);
    const [event] = given(all).when(erase()).events;
    expect(event?.data).toMatchObject({ ground: 'consent' });
  });

  it('changes neither document nor status, but the number of events', () => {
    const before = STATES.cancelled;
    const after = before.perform(consentToErasure(beta));
    expect(interactionDocument(after.interaction)).toEqual(interactionDocument(before.interaction));
    expect(after.interaction.version).toBe(before.interaction.version + 1);
  });

  it('names the interaction, the platform and the agent: a signature over any other is refused', () => {
    for (const statement of [
      { interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae8' },
      { audience: 'https://another.example' },
      { agentId: beta.agentId },
      { statement: 'federated-interaction/cancellation' },
    ]) {
      given(STATES.cancelled)
        .when(consentToErasure(alpha, { statement }))
        .refused('signature-invalid');
    }
    given(STATES.cancelled)
      .when(
        consentToErasure(alpha, {
          signer: { ...alpha, ...stranger.key, keyId: alpha.key?.keyId } as never,
        }),
      )
      .refused('signature-invalid');
    const signedAt = timestampOf(STATES.cancelled.nowMs - DAY);
    given(STATES.cancelled)
      .when(consentToErasure(alpha, { signedAt }))
      .refused('signed-time-out-of-range');
  });

  it('is signed by agents that sign, and recorded unsigned of those that do not', () => {
    given(STATES.cancelled)
      .when(consentToErasure(alpha, { proof: 'none' }))
      .refused('signature-required');
    const automatic = withPolicy(alpha);
    for (const token of [alpha.token, alpha.ownerToken]) {
      given(STATES.cancelled.with(automatic))
        .when(consentToErasure(automatic, { token, proof: 'none' }))
        .refused('signature-required');
    }
    const keyless = party(beta.agentId, undefined);
    const [event] = given(STATES.cancelled.with(keyless)).when(consentToErasure(keyless)).events;
    expect(event?.data).toMatchObject({ signedAt: null, signature: null });
  });

  it('may name the head that the interaction ended with, and no other', () => {
    const head = { ...STATES.cancelled.interaction.revisions[0], revision: 7 } as never;
    given(STATES.cancelled).when(consentToErasure(alpha, { head })).refused('head-changed');
  });

  it('is none of a party’s that another token gives', () => {
    given(STATES.cancelled)
      .when(consentToErasure(alpha, { token: beta.token }))
      .refused('interaction-not-found');
  });

  describe('of a retired party', () => {
    const gone = retired(beta);

    it('is given with its key, which outlives it', () => {
      given(STATES.cancelled.with(gone)).when(consentToErasure(gone)).then('erasure-consented');
    });

    it('but not without it by its owner with agents:admin, as acts are that wind down', () => {
      const token = { ...beta.ownerToken, scopes: new Set<Scope>(['agents:admin']) };
      given(STATES.cancelled.with(gone))
        .when(consentToErasure(gone, { token, proof: 'none' }))
        .refused('signature-required');
    });

    it('that never comes leaves the texts to their retention', () => {
      const scene = agreed(keep(5)).with(gone).perform(consentToErasure(alpha));
      given(scene.later(4 * DAY))
        .when(erase())
        .refused('erasure-not-due');
      given(scene.later(6 * DAY))
        .when(erase())
        .then('texts-erased');
    });
  });

  it('is not given by an owner with agents:admin while the agent is there to sign', () => {
    const token = { ...beta.ownerToken, scopes: new Set<Scope>(['agents:admin']) };
    given(STATES.cancelled)
      .when(consentToErasure(beta, { token, proof: 'none' }))
      .refused('signature-required');
  });

  it('of a key that was revoked does not count', () => {
    if (beta.key === undefined) throw new Error('beta has a key');
    const now = timestampOf(STATES.cancelled.nowMs);
    const key = registered(beta.key, { until: now, revokedAt: now });
    const robbed = changed(beta, { keys: new Map([[beta.key.keyId, key]]) });
    given(STATES.cancelled.with(robbed).later(1000))
      .when(consentToErasure(robbed))
      .refused('key-not-valid');
  });

  it('of sixteen parties is asked of each', () => {
    const many: Party[] = [
      alpha,
      beta,
      gamma,
      ...Array.from({ length: 13 }, (_, n) => party(`one-of-many-${String(n)}`, 50 + n)),
    ];
    const terms = contract({ parties: many.map(({ agentId }) => agentId) });
    let scene = Scene.empty
      .with(...many)
      .perform(propose(alpha, { contract: terms }), cancel(beta));
    for (const who of many) {
      given(scene).when(erase()).refused('erasure-not-due');
      scene = scene.perform(consentToErasure(who));
    }
    given(scene).when(erase()).then('texts-erased');
  });

  it('of two agents of one tenant and owner is two consents', () => {
    const { tenant, owner } = alpha.agent;
    const twin = changed(beta, { tenant, owner });
    const token = { ...alpha.ownerToken, agent: null };
    const signless = (who: Party): Party =>
      changed(who, { keys: new Map(), methods: ['oauth_account'] });
    const scene = STATES.cancelled.with(signless(alpha), signless(twin));
    const one = scene.perform(consentToErasure(signless(alpha), { token, proof: 'none' }));
    given(one).when(erase()).refused('erasure-not-due');
    const both = one.perform(consentToErasure(signless(twin), { token, proof: 'none' }));
    given(both).when(erase()).then('texts-erased');
  });
});

describe('an erasure', () => {
  it('leaves no text in what was folded, and hashes, signatures and times as they were', () => {
    const before = STATES['ended-consented'];
    const after = before.perform(erase());
    expect(JSON.stringify(after.state)).not.toContain('leaflet');
    expect(interactionDocument(after.interaction)).toBe(ERASED);
    const { revisions, ...rest } = after.interaction;
    const { revisions: was, ...restBefore } = before.interaction;
    expect(rest).toEqual({
      ...restBefore,
      erasure: { ground: 'consent', at: before.now },
      version: restBefore.version + 1,
    });
    expect(revisions).toEqual(was.map((revision) => ({ ...revision, contract: ERASED })));
  });

  it('by retention tells for how many days and until when, by consent neither', () => {
    const scene = agreed(keep(9));
    const until = endOf(scene) + 9 * DAY;
    const [event] = given(scene.at(until + 1)).when(erase()).events;
    expect(event?.data).toEqual({
      interactionId: scene.interaction.interactionId,
      ground: 'retention',
      retention: { days: 9, until: timestampOf(until) },
    });
    const consented = STATES['ended-consented'];
    for (const who of [consented, consented.erased()]) {
      expect(given(who).when(erase()).events).toMatchObject([
        { data: { ground: 'consent', retention: null } },
      ]);
    }
  });

  it('is recorded once', () => {
    expect(given(STATES['erased-by-retention']).when(erase()).events).toEqual([]);
  });

  describe('whose key is destroyed before it is recorded', () => {
    it('is completed, though nobody can read for how long the texts were retained', () => {
      const [event] = given(agreed(keep(30)).erased()).when(erase()).events;
      expect(event).toMatchObject({
        type: 'texts-erased',
        data: { ground: 'retention', retention: null },
      });
      const consented = STATES['ended-consented'].erased();
      expect(given(consented).when(erase()).events).toMatchObject([
        { data: { ground: 'consent' } },
      ]);
    });

    it('tells the days that were read before that, once they have run out', () => {
      const scene = agreed(keep(30)).erased();
      const until = endOf(scene) + 30 * DAY;
      const [event] = given(scene.at(until)).when(erase(30)).events;
      expect(event?.data).toMatchObject({
        ground: 'retention',
        retention: { days: 30, until: timestampOf(until) },
      });
    });

    it('because of a retention says so, whoever has consented since', () => {
      const scene = STATES['ended-consented'].erased();
      expect(given(scene.later(31 * DAY)).when(erase(30)).events).toMatchObject([
        { data: { ground: 'retention', retention: { days: 30 } } },
      ]);
    });

    it('too early, by a clock far ahead, is recorded at once, and so that it shows', () => {
      const scene = agreed(keep(30)).erased();
      const until = endOf(scene) + 30 * DAY;
      const early = scene.at(until - LEEWAY_MS - 1);
      const [event] = given(early).when(erase(30)).events;
      expect(event?.data).toMatchObject({ retention: { days: 30, until: timestampOf(until) } });
      for (const clock of [until - LEEWAY_MS, until - 1]) {
        given(scene.at(clock)).when(erase(30)).refused('erasure-not-due');
      }
    });

    it('takes no further consent', () => {
      given(STATES.cancelled.erased()).when(consentToErasure(alpha)).refused('interaction-erased');
    });

    it('is none before the end', () => {
      given(STATES.active.erased()).when(erase()).refused('erasure-not-due');
    });
  });
});
