import { describe, expect, it } from '@jest/globals';
import type { CapabilityCommand } from '../../../src/capabilities/domain/commands.js';
import type { SkillId } from '../../../src/kernel/ids.js';
import {
  become,
  given,
  opt,
  other,
  register,
  revise,
  type Outcome,
  type Scene,
} from '../support/given-when-then.js';

/** Every state that a capability can be in, by how it got there; with its revision. */
const SCENES = {
  nothing: [given(), 0],
  preview: [given(register({ state: 'preview' })), 0],
  'preview, opted in': [given(register({ state: 'preview' }), opt('opt-in')), 1],
  ga: [given(register()), 0],
  deprecated: [given(register({ state: 'deprecated' })), 0],
  removed: [given(register({ state: 'deprecated' }), become('removed', 0)), 1],
} as const satisfies Record<string, readonly [Scene, number]>;

type SceneName = keyof typeof SCENES;

const COMMANDS: Record<string, (revision: number, scene: Scene) => CapabilityCommand> = {
  register: () => register(),
  'revise the name': (revision, { state }) =>
    revise(
      {
        state: state?.manifest.state ?? 'ga',
        skill: { name: 'Another name' },
      },
      revision,
    ),
  'revise the modes': (revision, { state }) =>
    revise(
      {
        state: state?.manifest.state ?? 'ga',
        skill: { inputModes: ['image/*'] },
      },
      revision,
    ),
  'to preview': (revision) => become('preview', revision),
  'to ga': (revision) => become('ga', revision),
  'to deprecated': (revision) => become('deprecated', revision),
  'to removed': (revision) => become('removed', revision),
  'opt in': () => opt('opt-in'),
  'opt out': () => opt('opt-out'),
};

const ABSENT = 'capability-not-found';
const GONE = 'capability-removed';
const NO_WAY = 'lifecycle-transition-invalid';
const NO_PREVIEW = 'capability-not-preview';
const REVISED = ['capability-revised'] as const;
const MOVED = ['capability-state-changed'] as const;

const TABLE: Record<string, Record<SceneName, Outcome>> = {
  register: {
    nothing: ['capability-registered'],
    preview: 'capability-exists',
    'preview, opted in': 'capability-exists',
    ga: 'capability-exists',
    deprecated: 'capability-exists',
    removed: 'capability-exists',
  },
  'revise the name': {
    nothing: ABSENT,
    preview: REVISED,
    'preview, opted in': REVISED,
    ga: REVISED,
    deprecated: REVISED,
    removed: GONE,
  },
  'revise the modes': {
    nothing: ABSENT,
    preview: REVISED,
    'preview, opted in': REVISED,
    ga: 'capability-meaning-changed',
    deprecated: 'capability-meaning-changed',
    removed: GONE,
  },
  'to preview': {
    nothing: ABSENT,
    preview: NO_WAY,
    'preview, opted in': NO_WAY,
    ga: NO_WAY,
    deprecated: NO_WAY,
    removed: GONE,
  },
  'to ga': {
    nothing: ABSENT,
    preview: MOVED,
    'preview, opted in': MOVED,
    ga: NO_WAY,
    deprecated: NO_WAY,
    removed: GONE,
  },
  'to deprecated': {
    nothing: ABSENT,
    preview: NO_WAY,
    'preview, opted in': NO_WAY,
    ga: MOVED,
    // It is so already, and points nowhere else.
    deprecated: [],
    removed: GONE,
  },
  'to removed': {
    nothing: ABSENT,
    preview: NO_WAY,
    'preview, opted in': NO_WAY,
    ga: NO_WAY,
    deprecated: MOVED,
    removed: GONE,
  },
  'opt in': {
    nothing: ABSENT,
    preview: ['caller-opted-in'],
    'preview, opted in': [],
    ga: NO_PREVIEW,
    deprecated: NO_PREVIEW,
    removed: GONE,
  },
  'opt out': {
    nothing: ABSENT,
    preview: [],
    'preview, opted in': ['caller-opted-out'],
    ga: NO_PREVIEW,
    deprecated: NO_PREVIEW,
    removed: GONE,
  },
};

describe('given a capability, when a command, then', () => {
  const rows = Object.entries(COMMANDS).flatMap(([name, command]) =>
    (Object.keys(SCENES) as SceneName[]).map(
      (scene) => [scene, name, TABLE[name]![scene], command] as const,
    ),
  );

  it.each(rows)('%s, %s: %j', (sceneName, _name, expected, command) => {
    const [scene, revision] = SCENES[sceneName];
    expect(scene.when(command(revision, scene))).toEqual(expected);
  });
});

describe('a change that was written against another revision', () => {
  const changes = ['revise the name', 'to ga', 'to deprecated', 'to removed'];

  it.each(changes)('%s: is refused', (name) => {
    for (const sceneName of ['preview', 'preview, opted in', 'ga', 'deprecated'] as const) {
      const [scene, revision] = SCENES[sceneName];
      for (const wrong of [revision - 1, revision + 1]) {
        expect([sceneName, scene.when(COMMANDS[name]!(wrong, scene))]).toEqual([
          sceneName,
          'capability-changed',
        ]);
      }
    }
  });
});

describe('what evolves', () => {
  it('a life from preview to tombstone', () => {
    const v2 = other('reconcile-invoice-v2');
    const replaced = { replacement: v2.manifest.id, reason: 'v2 is better' };
    const scene = given(
      register({ state: 'preview' }),
      opt('opt-in', 'a'),
      opt('opt-in', 'b'),
      opt('opt-out', 'a'),
      become('ga', 3),
      revise({ owner: 'others' }, 4),
      [become('deprecated', 5, replaced), { replacements: [v2] }],
      [become('removed', 6, { replacement: v2.manifest.id }), { replacements: [v2] }],
    );
    expect(scene.log.map(({ type }) => type)).toEqual([
      'capability-registered',
      'caller-opted-in',
      'caller-opted-in',
      'caller-opted-out',
      'capability-state-changed',
      'capability-revised',
      'capability-state-changed',
      'capability-state-changed',
    ]);
    expect([...scene.state!.optedIn]).toEqual(['b']);
    expect(scene.state).toMatchObject({
      revision: 7,
      manifest: { state: 'removed', replacement: v2.manifest.id, owner: 'others' },
    });
  });

  it('keeps the reason of a change out of what outlives an erasure', () => {
    const [event] = given(register()).events(become('deprecated', 0, { reason: 'mine' }));
    expect(event).toMatchObject({
      data: { reasonHash: expect.stringMatching(/^.{43}$/), forced: false },
      texts: { reason: 'mine' },
    });
    expect(JSON.stringify(event!.data)).not.toContain('mine');
  });

  it('a deprecated one that gets another replacement', () => {
    const next = other('v3');
    const id: SkillId = next.manifest.id;
    const scene = given(register({ state: 'deprecated' }));
    const command = become('deprecated', 0, { replacement: id });
    expect(scene.when(command, { replacements: [next] })).toEqual(['capability-state-changed']);
  });
});
