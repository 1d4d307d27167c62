import { describe, expect, it } from '@jest/globals';
import { interactionDecider } from '../../../src/interactions/domain/decider.js';
import { given } from '../../support/given-when-then.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  changed,
  complete,
  contract,
  LEEWAY_MS,
  propose,
  registered,
  reject,
  revise,
  Scene,
  signingKey,
  START_MS,
  statementOf,
  withdraw,
  type Act,
  type Party,
  type Twist,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';
import { timestampOf } from '../../../src/kernel/timestamp.js';

/** Each signed act at its place, by beta unless only alpha can. */
const SIGNED: readonly (readonly [string, Scene, (who: Party, twist: Twist) => Act])[] = [
  ['propose', Scene.empty, (who, twist) => propose(who, twist)],
  [
    'revise',
    STATES['pending-countered'],
    (who, twist) => revise(who, contract({ retentionDays: 3 }), twist),
  ],
  ['accept', STATES['active-with-open-amendment'], accept],
  ['reject', STATES['active-with-open-amendment'], reject],
  ['withdraw', STATES['pending-countered'], withdraw],
  ['cancel', STATES['active-with-open-amendment'], cancel],
  ['complete', STATES['active-with-open-amendment'], complete],
];

/** One other value for every member that any statement has. */
const OTHER: Readonly<Record<string, unknown>> = {
  statement: 'federated-interaction/erasure-consent',
  protocolVersion: '0.2',
  audience: 'https://other.example',
  interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae8',
  revision: 7,
  previousTermsHash: 'A'.repeat(43),
  termsHash: 'A'.repeat(43),
  expiresAt: '2030-02-02T00:00:00.000Z',
  agentId: 'agent-other',
  method: 'oauth_account',
  acceptedAt: timestampOf(START_MS + 1),
  signedAt: timestampOf(START_MS + 1),
  reasonHash: 'A'.repeat(43),
  reportHash: 'A'.repeat(43),
  extra: true,
};

describe.each(SIGNED)('the signature of %s', (_, scene, make) => {
  const { command } = make(beta, {})(scene);
  const members = [...Object.keys(statementOf(scene, command as never, scene.now)), 'extra'];

  it('is taken when it covers what the command amounts to', () => {
    expect(scene.decide(make(beta, {})).ok).toBe(true);
  });

  it('is recorded with its key', () => {
    const [event] = given(scene).when(make(beta, {})).events;
    expect(JSON.stringify(event?.data)).toContain(`"keyId":"${String(beta.key?.keyId)}"`);
  });

  it.each(members)('covers the member %s', (member) => {
    const statement = { [member]: OTHER[member] };
    given(scene).when(make(beta, { statement })).refused('signature-invalid');
  });

  it("is not another agent's", () => {
    const forged = signingKey(String(beta.key?.keyId), 1);
    given(scene)
      .when(make(beta, { signer: forged }))
      .refused('signature-invalid');
  });

  it('names a key of the agent', () => {
    given(scene)
      .when(make(beta, alpha.key === undefined ? {} : { signer: alpha.key }))
      .refused('key-not-found');
  });

  it.each([
    [['ed25519']],
    [['ed25519', 'policy_auto_accept']],
    [['policy_auto_accept', 'ed25519']],
  ] as const)('is required of an agent that accepts by no token: %j', (methods) => {
    const strict = changed(beta, { methods });
    for (const token of [beta.token, beta.ownerToken, beta.boundToken]) {
      given(scene.with(strict))
        .when(make(strict, { proof: 'none', token }))
        .refused('signature-required');
    }
  });

  it.each([
    ['revoked', { until: timestampOf(START_MS - 1), revokedAt: timestampOf(START_MS - 1) }],
    ['replaced this very moment', { until: scene.now }],
    ['not yet valid', { from: timestampOf(scene.nowMs + 1) }],
  ])('is not by a key that is %s', (__, window) => {
    const key = registered(signingKey(String(beta.key?.keyId), 2), window);
    const aged = changed(beta, { keys: new Map([[key.keyId, key]]) });
    given(scene.with(aged)).when(make(aged, {})).refused('key-not-valid');
  });

  it.each([
    [-LEEWAY_MS - 1, false],
    [-LEEWAY_MS, true],
    [LEEWAY_MS, true],
    [LEEWAY_MS + 1, false],
  ])('was made within the leeway of the clock: %i ms', (offset, taken) => {
    const outcome = scene.decide(make(beta, { signedAt: timestampOf(scene.nowMs + offset) }));
    expect(outcome.ok || outcome.error.code).toBe(taken || 'signed-time-out-of-range');
  });
});

describe('a service that moved to another address', () => {
  const moved = { audience: 'https://moved.example' };
  const onExisting = SIGNED.filter(([name]) => name !== 'propose');

  const decide = (scene: Scene, act: Act) => {
    const { command, caller } = act(scene);
    const context = { ...scene.context, ...moved, caller };
    const decision = interactionDecider.decide(scene.state, command, context);
    return decision.ok || decision.error.code;
  };

  it.each(onExisting)(
    'still takes %s for the audience of the proposal, and no other',
    (_, scene, make) => {
      expect(decide(scene, make(beta, {}))).toBe(true);
      expect(decide(scene, make(beta, { statement: moved }))).toBe('signature-invalid');
    },
  );

  it('takes new proposals for its new address alone', () => {
    expect(decide(Scene.empty, propose(beta, {}))).toBe('signature-invalid');
    expect(decide(Scene.empty, propose(beta, { statement: moved }))).toBe(true);
  });
});

describe.each([
  [['ed25519', 'oauth_installation']],
  [['oauth_account', 'ed25519', 'policy_auto_accept']],
] as const)('an agent that opted out of signing: %j', (methods) => {
  const lenient = changed(beta, { methods });
  const acts = SIGNED.filter(([name]) => !['propose', 'revise', 'accept'].includes(name));

  it.each(acts)('may leave %s unsigned', (_, scene, make) => {
    const [event] = given(scene.with(lenient)).when(make(lenient, { proof: 'none' })).events;
    expect(event?.data).toMatchObject({ signedAt: null, signature: null });
  });

  it.each(acts)('has the signature of %s verified when it is there', (_, scene, make) => {
    const statement = { audience: 'https://other.example' };
    given(scene.with(lenient)).when(make(lenient, { statement })).refused('signature-invalid');
    expect(scene.with(lenient).decide(make(lenient, {})).ok).toBe(true);
  });
});
