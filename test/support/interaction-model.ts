import fc from 'fast-check';
import type { Decision } from '../../src/interactions/domain/decisions/decision.js';
import { openProposal } from '../../src/interactions/domain/revisions.js';
import { interactionStatus } from '../../src/interactions/domain/status.js';
import { headOf } from '../../src/interactions/domain/head.js';
import type { Proof } from '../../src/interactions/domain/commands.js';
import type { Contract } from '../../src/kernel/federated-interaction.js';
import type { Head } from '../../src/kernel/rejection.js';
import { termsHash } from '../../src/kernel/terms.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import {
  accept,
  autoAccept,
  cancel,
  changed,
  complete,
  consentToErasure,
  contract,
  DAY,
  erase,
  expire,
  MINUTE,
  party,
  propose,
  registered,
  reject,
  reportOn,
  revise,
  Scene,
  signingKey,
  withdraw,
  withPolicy,
  type Act,
  type Party,
  type Twist,
} from './interaction-fixtures.js';

/**
 * Random stories: parties and a stranger, honest and not, give commands while the clock moves and
 * their keys and permissions change. Every story begins with an honest proposal.
 */

/** One of each kind of agent; the first two to four are the parties, the last never is one. */
const CAST: readonly Party[] = [
  party('signer', 31),
  party('constructor', 32),
  withPolicy(party('automatic', 33)),
  party('keyless', undefined),
  party('stranger', 35),
];

const FLAWS = [
  'unsigned',
  'signed-by-another',
  'signed-under-another-key',
  'signed-something-else',
  'signed-long-ago',
  'replayed-signature',
  'old-head',
  'wrong-head',
  'token-of-another',
] as const;

const TOKENS = ['token', 'ownerToken', 'boundToken'] as const;

const CHANGES = ['revoke-key', 'rotate-key', 'opt-out', 'opt-in', 'retire', 'drop-policy'] as const;

/** One line of a story. */
export interface Move {
  readonly kind: keyof typeof MAKE;
  /** Whoever's move it is, any of the parties by number, or the stranger. */
  readonly who: 'next' | 'stranger' | number;
  readonly flaw: (typeof FLAWS)[number] | 'none';
  readonly token: (typeof TOKENS)[number];
  readonly terms: number;
  readonly wait: number;
  readonly change: (typeof CHANGES)[number] | 'none';
}

const MAKE = {
  propose: (who: Party, move: Move, scene: Scene, twist: Twist): Act =>
    propose(who, { contract: termsOf(scene, move.terms), ...twist }),
  revise: (who: Party, move: Move, scene: Scene, twist: Twist): Act =>
    revise(who, termsOf(scene, move.terms), twist),
  accept: (who: Party, _: Move, __: Scene, twist: Twist): Act => accept(who, twist),
  reject: (who: Party, _: Move, __: Scene, twist: Twist): Act => reject(who, twist),
  withdraw: (who: Party, _: Move, __: Scene, twist: Twist): Act => withdraw(who, twist),
  cancel: (who: Party, _: Move, __: Scene, twist: Twist): Act => cancel(who, twist),
  complete: (who: Party, move: Move, scene: Scene, twist: Twist): Act => {
    const isComplete = move.terms % 4 !== 3;
    return complete(who, isComplete ? twist : { ...twist, report: reportOn(termsOf(scene, 9)) });
  },
  'auto-accept': (who: Party): Act => autoAccept(who),
  /** What brings the interaction on: accepting what is open, else reporting. */
  onward: (who: Party, _: Move, scene: Scene, twist: Twist): Act =>
    openProposal(scene.interaction) === undefined ? complete(who, twist) : accept(who, twist),
  expire: (): Act => expire(),
  'consent-to-erasure': (who: Party, _: Move, __: Scene, twist: Twist): Act =>
    consentToErasure(who, twist),
  erase: (): Act => erase(),
};

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.oneof(
    ...(
      [
        [16, 'onward'],
        [3, 'accept'],
        [3, 'complete'],
        [3, 'revise'],
        [2, 'auto-accept'],
        [1, 'propose'],
        [1, 'reject'],
        [1, 'withdraw'],
        [1, 'cancel'],
        [1, 'expire'],
        [3, 'consent-to-erasure'],
        [3, 'erase'],
      ] as const
    ).map(([weight, kind]) => ({ weight, arbitrary: fc.constant(kind) })),
  ),
  who: fc.oneof(
    { weight: 10, arbitrary: fc.constant('next' as const) },
    { weight: 6, arbitrary: fc.nat({ max: 3 }) },
    { weight: 1, arbitrary: fc.constant('stranger' as const) },
  ),
  flaw: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...FLAWS) },
  ),
  token: fc.constantFrom(...TOKENS),
  terms: fc.nat({ max: 7 }),
  wait: fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(0, 1, MINUTE) },
    { weight: 1, arbitrary: fc.constantFrom(DAY, 12 * DAY, 40 * DAY) },
  ),
  change: fc.oneof(
    { weight: 20, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...CHANGES) },
  ),
});

export interface Story {
  readonly parties: number;
  readonly moves: readonly Move[];
}

export const story: fc.Arbitrary<Story> = fc.record({
  parties: fc.integer({ min: 2, max: 4 }),
  moves: fc.array(move, { minLength: 1, maxLength: 16, size: 'max' }),
});

/** One command as it was given and judged. */
export interface Step {
  readonly before: Scene;
  readonly command: ReturnType<Act>['command'];
  readonly caller: ReturnType<Act>['caller'];
  readonly decision: Decision;
  readonly after: Scene;
}

const played = new Map<string, readonly Step[]>();
const MAX_PLAYED = 1000;

/** Plays a story to its end. The same story always plays the same, so it is played once. */
export function play(told: Story): readonly Step[] {
  const name = JSON.stringify(told);
  const known = played.get(name);
  if (known !== undefined) return known;
  const steps = perform(told);
  if (played.size < MAX_PLAYED) played.set(name, steps);
  return steps;
}

function perform({ parties, moves }: Story): readonly Step[] {
  let cast = CAST;
  const names = cast.slice(0, parties).map(({ agentId }) => agentId);
  const [first] = cast;
  if (first === undefined) throw new Error('there is a cast');
  const opening = propose(first, { contract: contract({ parties: names }) });
  let scene = Scene.empty.with(...cast);
  const steps = [give(scene, opening)];
  for (const next of moves) {
    scene = steps.at(-1)?.after.later(next.wait) ?? scene;
    const was = actorOf(next, cast, parties, scene);
    const who = changeOf(was, next.change, scene);
    cast = cast.map((one) => (one === was ? who : one));
    scene = scene.with(who);
    const other = cast[(cast.indexOf(who) + 1) % cast.length] ?? first;
    steps.push(give(scene, MAKE[next.kind](who, next, scene, twistOf(next, who, other, steps))));
  }
  return steps;
}

function actorOf({ who }: Move, cast: readonly Party[], parties: number, scene: Scene): Party {
  const [waitedFor] = interactionStatus(scene.interaction).waitingOn;
  const actor =
    who === 'stranger'
      ? cast.at(-1)
      : who === 'next'
        ? (cast.find(({ agentId }) => agentId === waitedFor) ?? cast[0])
        : cast[who % parties];
  if (actor === undefined) throw new Error('there is a cast');
  return actor;
}

function give(before: Scene, act: Act): Step {
  const { command, caller } = act(before);
  const decision = before.decide(() => ({ command, caller }));
  const after = decision.ok ? before.record(decision.value) : before;
  return { before, command, caller, decision, after };
}

function termsOf(scene: Scene, variant: number): Contract {
  const parties = scene.state?.parties ?? [];
  const retentionDays = variant % 3;
  const completionConditions = variant === 9 ? ['never asked'] : ['delivered'];
  return contract({ parties, retentionDays, completionConditions });
}

function changeOf(who: Party, change: Move['change'], scene: Scene): Party {
  const { key } = who;
  const { keys, methods } = who.agent;
  switch (change) {
    case 'none':
      return who;
    case 'retire':
      return changed(who, { retiredAt: scene.now });
    case 'drop-policy':
      return changed(who, { policy: null });
    case 'opt-out':
      return changed(who, { methods: [...new Set([...methods, 'oauth_account' as const])] });
    case 'opt-in':
      return key === undefined ? who : changed(who, { methods: ['ed25519'] });
    case 'revoke-key':
    case 'rotate-key': {
      const held = key === undefined ? undefined : keys.get(key.keyId);
      if (key === undefined || held === undefined) return who;
      const until = held.until ?? scene.now;
      const ended = new Map(keys).set(key.keyId, { ...held, until, revokedAt: until });
      // A revoked agent goes on signing with the key that it has.
      if (change === 'revoke-key') return changed(who, { keys: ended });
      const next = signingKey(`${who.agentId}#${String(keys.size + 1)}`, 40 + keys.size);
      ended.set(next.keyId, registered(next, { from: scene.now }));
      return { ...changed(who, { keys: ended }), key: next };
    }
  }
}

function twistOf({ flaw, token }: Move, who: Party, other: Party, steps: readonly Step[]): Twist {
  const base: Twist = { token: who[token] };
  const scene = steps.at(-1)?.after ?? Scene.empty;
  switch (flaw) {
    case 'none':
      return base;
    case 'unsigned':
      return { ...base, proof: 'none' };
    case 'signed-by-another':
      return other.key === undefined ? base : { ...base, signer: other.key };
    case 'signed-under-another-key':
      return who.key === undefined || other.key === undefined
        ? base
        : { ...base, signer: { ...other.key, keyId: who.key.keyId } };
    case 'signed-something-else':
      return { ...base, statement: { agentId: other.agentId } };
    case 'signed-long-ago':
      return { ...base, signedAt: timestampOf(scene.nowMs - DAY) };
    case 'replayed-signature':
      return { ...base, proof: (honest) => replayed(steps, who) ?? honest };
    case 'old-head':
      return { ...base, head: headOf((steps[0] ?? { after: scene }).after.interaction) };
    case 'wrong-head': {
      const head: Head = { ...headOf(scene.interaction), termsHash: termsHash({}) };
      return { ...base, head };
    }
    case 'token-of-another':
      return { token: other[token] };
  }
}

/** The party's own last signature that was taken, for whatever it was made. */
function replayed(steps: readonly Step[], who: Party): Proof | undefined {
  return steps
    .filter(({ decision }) => decision.ok)
    .map(({ command }) => command)
    .filter((command) => 'proof' in command && command.agentId === who.agentId)
    .map((command) => ('proof' in command ? command.proof : undefined))
    .findLast((proof) => proof !== undefined);
}
