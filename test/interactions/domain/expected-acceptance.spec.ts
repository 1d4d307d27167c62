import { describe, expect, it } from '@jest/globals';
import { expectedAcceptance } from '../../../src/interactions/domain/expected-acceptance.js';
import { verifyEd25519 } from '../../../src/kernel/ed25519.js';
import {
  accept,
  alpha,
  AUDIENCE,
  beta,
  cancel,
  gamma,
  propose,
  revise,
  contract,
  Scene,
  type Act,
} from '../../support/interaction-fixtures.js';
import { STATES } from '../../support/interaction-states.js';

const AGENTS = new Map([alpha, beta, gamma].map(({ agent }) => [agent.agentId, agent]));

/** Whether the signature that an honest command carries is the one that is expected of it. */
function isExpected(scene: Scene, act: Act): boolean | undefined {
  const { command } = act(scene);
  const expected = expectedAcceptance(scene.state, command, AGENTS, AUDIENCE);
  return expected && verifyEd25519(expected.jwk, expected.text, expected.value);
}

describe('the signature that is verified ahead of a decision', () => {
  it.each([
    ['a proposal', Scene.empty, propose(alpha)],
    ['an acceptance', STATES['pending-r1'], accept(beta)],
    ['the acceptance of a counter-proposal', STATES['pending-countered'], accept(alpha)],
    ['the acceptance of an amendment', STATES['active-with-open-amendment'], accept(alpha)],
    ['the last of three acceptances', STATES['pending-partly-accepted'], accept(gamma)],
  ] as const)('is the one that %s carries', (_, scene, act) => {
    expect(isExpected(scene, act)).toBe(true);
  });

  it('is none where nothing can be expected', () => {
    expect(isExpected(Scene.empty, propose(alpha, { proof: 'none' }))).toBeUndefined();
    expect(isExpected(STATES.active, accept(beta))).toBeUndefined();
    expect(isExpected(STATES.active, cancel(beta))).toBeUndefined();
    expect(isExpected(STATES.active, revise(beta, contract({ retentionDays: 3 })))).toBeUndefined();
    const unknown = propose(alpha, {
      proof: (honest) => ({ ...honest, keyId: 'nobody' as never }),
    });
    expect(isExpected(Scene.empty, unknown)).toBeUndefined();
  });
});
