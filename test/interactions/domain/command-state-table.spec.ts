import { describe, expect, it } from '@jest/globals';
import type { CommandKind } from '../../../src/interactions/domain/commands.js';
import { given, type Outcome } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  autoAccept,
  beta,
  cancel,
  complete,
  consentToErasure,
  contract,
  erase,
  expire,
  gamma,
  propose,
  reject,
  revise,
  stranger,
  withdraw,
  withPolicy,
  type Act,
  type Party,
  type Scene,
} from '../../support/interaction-fixtures.js';
import { STATES, type StateName } from '../../support/interaction-states.js';

/**
 * Every command × every state × every agent that may try it: well formed, signed with the right key,
 * written against the current head. The types leave no cell out.
 */

type Actor = 'alpha' | 'beta' | 'gamma';
type Cell = Readonly<Record<Actor, Outcome>>;

const PARTIES: Readonly<Record<Actor, Party>> = { alpha, beta, gamma };

const row = (a: Outcome, b: Outcome, c: Outcome): Cell => ({ alpha: a, beta: b, gamma: c });
const all = (outcome: Outcome): Cell => row(outcome, outcome, outcome);

const unknown = 'interaction-not-found';
const ended = row('interaction-ended', 'interaction-ended', unknown);
const inForce = ['revision-accepted', 'revision-attested'] as const;

const TABLE: Readonly<Record<CommandKind, Readonly<Record<StateName, Cell>>>> = {
  propose: {
    none: all(['interaction-proposed']),
    'pending-r1': all('interaction-exists'),
    'pending-partly-accepted': all('interaction-exists'),
    'pending-countered': all('interaction-exists'),
    active: all('interaction-exists'),
    'active-with-open-amendment': all('interaction-exists'),
    'active-partly-reported': all('interaction-exists'),
    rejected: all('interaction-exists'),
    'expired-recorded': all('interaction-exists'),
    'expired-by-clock': all('interaction-exists'),
    cancelled: all('interaction-exists'),
    completed: all('interaction-exists'),
    'ended-half-consented': all('interaction-exists'),
    'ended-consented': all('interaction-exists'),
    'erased-by-retention': all('interaction-exists'),
  },
  revise: {
    none: all(unknown),
    'pending-r1': row(['revision-proposed'], ['revision-proposed'], unknown),
    'pending-partly-accepted': all(['revision-proposed']),
    'pending-countered': row(['revision-proposed'], ['revision-proposed'], unknown),
    active: row(['revision-proposed'], ['revision-proposed'], unknown),
    'active-with-open-amendment': row(['revision-proposed'], ['revision-proposed'], unknown),
    'active-partly-reported': row(['revision-proposed'], ['revision-proposed'], unknown),
    rejected: ended,
    'expired-recorded': ended,
    'expired-by-clock': ended,
    cancelled: ended,
    completed: ended,
    'ended-half-consented': ended,
    'ended-consented': ended,
    'erased-by-retention': ended,
  },
  accept: {
    none: all(unknown),
    'pending-r1': row('already-accepted', inForce, unknown),
    'pending-partly-accepted': row('already-accepted', 'already-accepted', inForce),
    'pending-countered': row(inForce, 'already-accepted', unknown),
    active: row('no-open-proposal', 'no-open-proposal', unknown),
    'active-with-open-amendment': row('already-accepted', inForce, unknown),
    'active-partly-reported': row('no-open-proposal', 'no-open-proposal', unknown),
    rejected: ended,
    'expired-recorded': ended,
    'expired-by-clock': ended,
    cancelled: ended,
    completed: ended,
    'ended-half-consented': ended,
    'ended-consented': ended,
    'erased-by-retention': ended,
  },
  reject: {
    none: all(unknown),
    'pending-r1': row('proposer-cannot-reject', ['revision-rejected'], unknown),
    'pending-partly-accepted': row(
      'proposer-cannot-reject',
      ['revision-rejected'],
      ['revision-rejected'],
    ),
    'pending-countered': row(['revision-rejected'], 'proposer-cannot-reject', unknown),
    active: row('no-open-proposal', 'no-open-proposal', unknown),
    'active-with-open-amendment': row('proposer-cannot-reject', ['revision-rejected'], unknown),
    'active-partly-reported': row('no-open-proposal', 'no-open-proposal', unknown),
    rejected: ended,
    'expired-recorded': ended,
    'expired-by-clock': ended,
    cancelled: ended,
    completed: ended,
    'ended-half-consented': ended,
    'ended-consented': ended,
    'erased-by-retention': ended,
  },
  withdraw: {
    none: all(unknown),
    'pending-r1': row(['revision-withdrawn'], 'only-proposer-withdraws', unknown),
    'pending-partly-accepted': row(
      ['revision-withdrawn'],
      'only-proposer-withdraws',
      'only-proposer-withdraws',
    ),
    'pending-countered': row('only-proposer-withdraws', ['revision-withdrawn'], unknown),
    active: row('no-open-proposal', 'no-open-proposal', unknown),
    'active-with-open-amendment': row(['revision-withdrawn'], 'only-proposer-withdraws', unknown),
    'active-partly-reported': row('no-open-proposal', 'no-open-proposal', unknown),
    rejected: ended,
    'expired-recorded': ended,
    'expired-by-clock': ended,
    cancelled: ended,
    completed: ended,
    'ended-half-consented': ended,
    'ended-consented': ended,
    'erased-by-retention': ended,
  },
  cancel: {
    none: all(unknown),
    'pending-r1': row(['interaction-cancelled'], ['interaction-cancelled'], unknown),
    'pending-partly-accepted': all(['interaction-cancelled']),
    'pending-countered': row(['interaction-cancelled'], ['interaction-cancelled'], unknown),
    active: row(['interaction-cancelled'], ['interaction-cancelled'], unknown),
    'active-with-open-amendment': row(
      ['interaction-cancelled'],
      ['interaction-cancelled'],
      unknown,
    ),
    'active-partly-reported': row(['interaction-cancelled'], ['interaction-cancelled'], unknown),
    rejected: ended,
    'expired-recorded': ended,
    'expired-by-clock': ended,
    cancelled: ended,
    completed: ended,
    'ended-half-consented': ended,
    'ended-consented': ended,
    'erased-by-retention': ended,
  },
  complete: {
    none: all(unknown),
    'pending-r1': row('not-active', 'not-active', unknown),
    'pending-partly-accepted': all('not-active'),
    'pending-countered': row('not-active', 'not-active', unknown),
    active: row(['outcome-reported'], ['outcome-reported'], unknown),
    'active-with-open-amendment': row(['outcome-reported'], ['outcome-reported'], unknown),
    'active-partly-reported': row(
      'already-reported',
      ['outcome-reported', 'interaction-completed'],
      unknown,
    ),
    rejected: ended,
    'expired-recorded': ended,
    'expired-by-clock': ended,
    cancelled: ended,
    completed: ended,
    'ended-half-consented': ended,
    'ended-consented': ended,
    'erased-by-retention': ended,
  },
  'auto-accept': {
    none: all(unknown),
    'pending-r1': row('already-accepted', inForce, unknown),
    'pending-partly-accepted': row('already-accepted', 'already-accepted', inForce),
    'pending-countered': row(inForce, 'already-accepted', unknown),
    active: row('no-open-proposal', 'no-open-proposal', unknown),
    'active-with-open-amendment': row('already-accepted', inForce, unknown),
    'active-partly-reported': row('no-open-proposal', 'no-open-proposal', unknown),
    rejected: ended,
    'expired-recorded': ended,
    'expired-by-clock': ended,
    cancelled: ended,
    completed: ended,
    'ended-half-consented': ended,
    'ended-consented': ended,
    'erased-by-retention': ended,
  },
  'consent-to-erasure': {
    none: all(unknown),
    'pending-r1': row('interaction-not-ended', 'interaction-not-ended', unknown),
    'pending-partly-accepted': all('interaction-not-ended'),
    'pending-countered': row('interaction-not-ended', 'interaction-not-ended', unknown),
    active: row('interaction-not-ended', 'interaction-not-ended', unknown),
    'active-with-open-amendment': row('interaction-not-ended', 'interaction-not-ended', unknown),
    'active-partly-reported': row('interaction-not-ended', 'interaction-not-ended', unknown),
    rejected: row(['erasure-consented'], ['erasure-consented'], unknown),
    'expired-recorded': row(['erasure-consented'], ['erasure-consented'], unknown),
    'expired-by-clock': row(
      ['interaction-expired', 'erasure-consented'],
      ['interaction-expired', 'erasure-consented'],
      unknown,
    ),
    cancelled: row(['erasure-consented'], ['erasure-consented'], unknown),
    completed: row(['erasure-consented'], ['erasure-consented'], unknown),
    'ended-half-consented': row('already-consented', ['erasure-consented'], unknown),
    'ended-consented': row('already-consented', 'already-consented', unknown),
    'erased-by-retention': row('interaction-erased', 'interaction-erased', unknown),
  },
  // By the service: no agent acts, so the columns are equal.
  erase: {
    none: all(unknown),
    'pending-r1': all('erasure-not-due'),
    'pending-partly-accepted': all('erasure-not-due'),
    'pending-countered': all('erasure-not-due'),
    active: all('erasure-not-due'),
    'active-with-open-amendment': all('erasure-not-due'),
    'active-partly-reported': all('erasure-not-due'),
    rejected: all('erasure-not-due'),
    'expired-recorded': all('erasure-not-due'),
    'expired-by-clock': all('erasure-not-due'),
    cancelled: all('erasure-not-due'),
    completed: all('erasure-not-due'),
    'ended-half-consented': all('erasure-not-due'),
    'ended-consented': all(['texts-erased']),
    'erased-by-retention': all([]),
  },
  expire: {
    none: all(unknown),
    'pending-r1': all('expiry-not-due'),
    'pending-partly-accepted': all('expiry-not-due'),
    'pending-countered': all('expiry-not-due'),
    active: all('expiry-not-due'),
    'active-with-open-amendment': all('expiry-not-due'),
    'active-partly-reported': all('expiry-not-due'),
    rejected: all('interaction-ended'),
    'expired-recorded': all('interaction-ended'),
    'expired-by-clock': all(['interaction-expired']),
    cancelled: all('interaction-ended'),
    completed: all('interaction-ended'),
    'ended-half-consented': all('interaction-ended'),
    'ended-consented': all('interaction-ended'),
    'erased-by-retention': all('interaction-ended'),
  },
};

const ACTS: Readonly<Record<CommandKind, (who: Party, scene: Scene) => Act>> = {
  propose: (who) => {
    const other = who === alpha ? beta : alpha;
    return propose(who, { contract: contract({ parties: [who.agentId, other.agentId] }) });
  },
  revise: (who, scene) => {
    const parties = scene.state?.parties ?? [alpha.agentId, beta.agentId];
    return revise(who, contract({ parties, requestedOutcome: 'A Swiss text' }));
  },
  accept: (who) => accept(who),
  reject: (who) => reject(who, { reason: 'Too soon' }),
  withdraw: (who) => withdraw(who, { reason: 'A mistake' }),
  cancel: (who) => cancel(who, { reason: 'No longer needed' }),
  complete: (who) => complete(who),
  'auto-accept': (who) => autoAccept(who),
  expire: () => expire(),
  'consent-to-erasure': (who) => consentToErasure(who),
  erase: () => erase(),
};

function sceneFor(kind: CommandKind, state: StateName): Scene {
  const scene = STATES[state];
  return kind === 'auto-accept'
    ? scene.with(...[alpha, beta, gamma, stranger].map((who) => withPolicy(who)))
    : scene;
}

function entries<K extends string, V>(record: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(record) as [K, V][];
}

it('has a cell for every command in every state', () => {
  expect(Object.keys(TABLE).sort()).toEqual(Object.keys(ACTS).sort());
  for (const [, states] of entries(TABLE)) {
    expect(Object.keys(states).sort()).toEqual(Object.keys(STATES).sort());
  }
});

describe.each(entries(TABLE))('%s', (kind, states) => {
  it.each(entries(states))('in state %s', (state, cell) => {
    const scene = sceneFor(kind, state);
    const outcomes = Object.fromEntries(
      entries(PARTIES).map(([actor, who]) => [
        actor,
        given(scene).when(ACTS[kind](who, scene)).outcome,
      ]),
    );
    expect(outcomes).toEqual(cell);
  });
});

describe('whoever is no party gets one answer, whatever the state', () => {
  const byService: readonly CommandKind[] = ['expire', 'erase'];
  const onExisting = entries(ACTS).filter(
    ([kind]) => kind !== 'propose' && !byService.includes(kind),
  );
  it.each(onExisting)('%s', (kind, act) => {
    for (const [state] of entries(STATES)) {
      const scene = sceneFor(kind, state);
      const rejection = given(scene).when(act(stranger, scene)).refused('interaction-not-found');
      expect(rejection).toEqual({ code: 'interaction-not-found' });
    }
  });
});
