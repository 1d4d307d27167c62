import { describe, expect, it } from '@jest/globals';
import { newestRevision, revisionInForce } from '../../../src/interactions/domain/revisions.js';
import { termsHash } from '../../../src/kernel/terms.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  changed,
  complete,
  contract,
  EXPIRES_MS,
  gamma,
  MINUTE,
  propose,
  registered,
  reject,
  revise,
  Scene,
  signingKey,
  START_MS,
  withdraw,
  type Act,
  type Twist,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

/** Faults that systems like this one were reported for, as far as the decider decides them. */

const pending = STATES['pending-r1'];
const amendment = contract({ retentionDays: 3 });

/** Signs honestly, then spells the signature another way. */
function spelled(respell: (value: string) => string): Twist {
  return { proof: (honest) => ({ ...honest, value: respell(honest.value) }) };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 64 bytes leave four bits of the 86th character unused. */
function withStrayBits(value: string): string {
  const last = ALPHABET.indexOf(value.slice(-1));
  return `${value.slice(0, -1)}${ALPHABET[last + 1] ?? ''}`;
}

describe('case 2: a valid signature in another spelling is refused', () => {
  it.each([
    ['padded', (value: string) => `${value}==`],
    ['followed by a newline', (value: string) => `${value}\n`],
    ['with its unused bits changed', withStrayBits],
    ['empty', () => ''],
  ])('%s', (_, respell) => {
    for (const [scene, act] of [
      [Scene.empty, propose(alpha, spelled(respell))],
      [pending, accept(beta, spelled(respell))],
      [pending, reject(beta, spelled(respell))],
      [pending, withdraw(alpha, spelled(respell))],
      [pending, cancel(beta, spelled(respell))],
      [STATES.active, complete(beta, spelled(respell))],
    ] as const) {
      given(scene).when(act).refused('signature-invalid');
    }
  });

  it('in the alphabet of plain base64', () => {
    // Several moments give several signatures: some hold `-` or `_`, the letters that differ.
    const plain = spelled((value) => value.replaceAll('-', '+').replaceAll('_', '/'));
    const moments = Array.from({ length: 20 }, (_, n) => pending.later(n));
    const outcomes = moments.map((scene) => {
      const same = accept(beta)(scene).command;
      const other = accept(beta, plain)(scene).command;
      return [JSON.stringify(same) === JSON.stringify(other), scene.decide(accept(beta, plain)).ok];
    });
    expect(outcomes).toContainEqual([false, false]);
    expect(outcomes).not.toContainEqual([false, true]);
  });
});

describe('case 5: numbers are hashed by their value', () => {
  it('0 however it is spelled', () => {
    expect(termsHash(contract({ retentionDays: JSON.parse('-0') as number }))).toBe(
      termsHash(contract({ retentionDays: 0 })),
    );
    expect(termsHash(contract({ retentionDays: JSON.parse('30.0') as number }))).toBe(
      termsHash(contract({ retentionDays: 30 })),
    );
  });
});

describe('acceptance, counter-proposal and cancellation of one revision, all written together', () => {
  const racers: Readonly<Record<string, Act>> = {
    accept: accept(beta),
    revise: revise(alpha, amendment),
    cancel: cancel(alpha),
  };
  // Each is made, and signed, at the same head before any of them is decided.
  const fired = Object.entries(racers).map(([name, act]) => {
    const made = act(pending);
    return [name, () => made] as const;
  });
  const orders = fired.flatMap((a) => fired.flatMap((b) => fired.map((c) => [a, b, c] as const)));
  const races = orders.filter((order) => new Set(order.map(([name]) => name)).size === 3);

  it.each(races.map((race) => [race.map(([name]) => name).join(', '), race] as const))(
    'one wins, the others learn the head: %s',
    (_, race) => {
      const [[, winner], ...losers] = race;
      let scene = pending.perform(winner);
      for (const [, loser] of losers) {
        const decision = scene.decide(loser);
        if (decision.ok) throw new Error('a second one won');
        expect(['head-changed', 'interaction-ended']).toContain(decision.error.code);
        expect(decision.error.head).toMatchObject({
          revision: newestRevision(scene.interaction).revision,
        });
        scene = scene.later(1);
      }
      const links = scene.interaction.revisions.map(({ previousTermsHash }) => previousTermsHash);
      expect(new Set(links).size).toBe(links.length);
    },
  );
});

describe('an amendment carries its proposer’s consent alone', () => {
  const open = STATES.active.perform(revise(alpha, amendment));

  it('so the acceptances of revision 1 do not count, and revision 1 stays in force', () => {
    expect([...newestRevision(open.interaction).acceptances.keys()]).toEqual([alpha.agentId]);
    expect(revisionInForce(open.interaction)?.revision).toBe(1);
  });

  it('and an acceptance signed for revision 1 is none of the amendment', () => {
    const old = newestRevision(STATES.active.interaction).acceptances.get(beta.agentId);
    const value = old?.signature?.value ?? '';
    const replayed: Twist = {
      proof: ({ keyId }) => ({ keyId, value, at: old?.acceptedAt ?? open.now }),
    };
    given(open).when(accept(beta, replayed)).refused('signature-invalid');
    expect(revisionInForce(open.interaction)?.revision).toBe(1);
  });
});

describe('the responder counters', () => {
  const countered = STATES['pending-countered'];

  it('and cannot accept its own counter-proposal', () => {
    given(countered).when(accept(beta)).refused('already-accepted');
    expect(countered.interaction.status).toBe('pending');
  });

  it('so that only the initiator makes it active', () => {
    given(countered).when(accept(alpha)).then('revision-accepted', 'revision-attested');
  });
});

describe('accepting parties are the parties', () => {
  const second = signingKey('agent-alpha#2', 21);
  const twoKeys = changed(alpha, {
    keys: new Map([...alpha.agent.keys, [second.keyId, registered(second)]]),
  });

  it('an initiator with two keys is still one party', () => {
    given(pending.with(twoKeys))
      .when(accept(twoKeys, { signer: second }))
      .refused('already-accepted');
  });

  it('a third agent is none', () => {
    given(pending).when(accept(gamma)).refused('interaction-not-found');
  });

  it('and one party’s key signs for no other', () => {
    const borrowed = signingKey(String(beta.key?.keyId), 1);
    given(pending)
      .when(accept(beta, { signer: borrowed }))
      .refused('signature-invalid');
  });
});

describe('terms sent with the hash of other terms', () => {
  const other = termsHash(amendment);

  it('are refused even with a signature over that hash', () => {
    given(Scene.empty)
      .when(propose(alpha, { termsHash: other, statement: { termsHash: other } }))
      .refused('terms-hash-mismatch');
    given(Scene.empty)
      .when(propose(alpha, { statement: { termsHash: other } }))
      .refused('signature-invalid');
  });

  it('are refused as a counter-proposal too', () => {
    given(pending)
      .when(revise(beta, amendment, { termsHash: termsHash(contract()) }))
      .refused('terms-hash-mismatch');
  });
});

describe('acceptance around the expiry', () => {
  const { deadline: _, ...endless } = contract();
  const waiting = Scene.empty.perform(propose(alpha, { contract: endless }));

  it.each([
    [-1, true],
    [0, 'interaction-ended'],
    [1, 'interaction-ended'],
  ])('%i ms from it', (offset, outcome) => {
    const decision = waiting.at(EXPIRES_MS + offset).decide(accept(beta));
    expect(decision.ok || decision.error.code).toBe(outcome);
  });
});

describe('case 13: a retired key that backdates what it signs into its own window', () => {
  const until = timestampOf(START_MS + 2 * MINUTE);
  const key = beta.key ?? signingKey('never', 0);
  const successor = signingKey('agent-beta#2', 22);
  const rotated = changed(beta, {
    keys: new Map([
      [key.keyId, registered(key, { until })],
      [successor.keyId, registered(successor, { from: until })],
    ]),
  });
  const scene = pending.with(rotated).at(START_MS + 3 * MINUTE);
  const backdated: Twist = { signedAt: timestampOf(START_MS + MINUTE) };

  it('is refused: the server’s clock decides', () => {
    given(scene).when(accept(rotated, backdated)).refused('key-not-valid');
    given(scene).when(reject(rotated, backdated)).refused('key-not-valid');
  });

  it('while its successor signs', () => {
    given(scene)
      .when(accept(rotated, { signer: successor }))
      .then('revision-accepted', 'revision-attested');
  });
});
