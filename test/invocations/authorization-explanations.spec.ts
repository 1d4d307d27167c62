import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '../../src/capabilities/domain/manifest.js';
import { SchemaJudges } from '../../src/capabilities/queries/schemas/schema-judges.js';
import {
  AuthorizationExplanations,
  MAX_EXPLAINED_TERMS,
  type ExplainedCall,
} from '../../src/invocations/authorization-explanations.js';
import type { SkillId } from '../../src/kernel/ids.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { capability } from '../capabilities/support/capabilities.js';
import { Told } from '../interactions/contracts/support/contract-node.js';
import { accept, alpha, beta, MINUTE, START_MS } from '../support/interaction-fixtures.js';
import { AuthorizationNode } from './support/authorization-node.js';

let node: AuthorizationNode;
let explanations: AuthorizationExplanations;

const TRANSLATE = capability('translate', {
  ...{ agentId: beta.agentId, visibility: 'extended' },
  ...{ requiresContract: true, action: 'translate' },
}).manifest;

beforeEach(async () => {
  node = await AuthorizationNode.open();
  explanations = new AuthorizationExplanations(node.facts, new SchemaJudges());
  await node.register(alpha, beta);
  const event = {
    type: 'capability-registered',
    data: { manifest: TRANSLATE },
    texts: null,
  } as const;
  await node.recordCapability(TRANSLATE, event);
  node.now = START_MS + 10 * MINUTE;
});

afterEach(async () => {
  await node.dispose();
});

const explain = (changes: Partial<ExplainedCall> = {}) =>
  explanations.explain({
    ...{ agentId: beta.agentId, skillId: TRANSLATE.id, caller: alpha.token, named: null },
    ...{ arguments: null, moment: null, isAboutOther: false },
    ...changes,
  });

async function revised(changes: Partial<Manifest>): Promise<void> {
  const data = { manifest: { ...TRANSLATE, ...changes } };
  await node.recordCapability(TRANSLATE, { type: 'capability-revised', data, texts: null });
}

describe('an explanation', () => {
  it('looks up nothing in the past that its caller may not see today; for others it does', async () => {
    await revised({ visibility: 'internal' });
    const moment = timestampOf(START_MS + MINUTE);
    expect(await explain({ moment })).toBeUndefined();
    const forOthers = await explain({ moment, isAboutOther: true });
    expect(forOthers?.decision).toMatchObject({ code: 'contract-required' });
    expect(await explain({ isAboutOther: true })).toBeUndefined();
  });

  it('shows nothing in the past that its caller could not see then, whoever asks', async () => {
    node.now = START_MS + 2 * MINUTE;
    await revised({ requiresScopes: ['recon.run'] });
    node.now = START_MS + 4 * MINUTE;
    await revised({ requiresScopes: [] });
    const hidden = { moment: timestampOf(START_MS + 3 * MINUTE) };
    expect(await explain(hidden)).toBeUndefined();
    expect(await explain({ ...hidden, isAboutOther: true })).toBeUndefined();
    expect(await explain({ moment: timestampOf(START_MS + 4 * MINUTE) })).toBeDefined();
    expect(await explain({ moment: timestampOf(START_MS + MINUTE) })).toBeDefined();
  });

  it('tells of a removed capability what is used instead', async () => {
    const { agentId, id: skillId } = TRANSLATE;
    const to = { state: 'removed', replacement: 'other' as SkillId } as const;
    await node.recordCapability(TRANSLATE, {
      type: 'capability-state-changed',
      data: { agentId, skillId, ...to, forced: false, reasonHash: null },
      texts: { reason: null },
    });
    const explanation = await explain();
    expect(explanation?.decision).toMatchObject({ code: 'capability-removed' });
    expect(explanation?.capability?.manifest.replacement).toBe('other');
  });

  it('lists a bounded number of terms, and counts them all', async () => {
    for (let n = 0; n < MAX_EXPLAINED_TERMS + 2; n++) {
      const told = new Told([alpha, beta]);
      await told.perform(node, told.proposal, accept(beta));
    }
    const explanation = await explain();
    expect(explanation?.inForce).toHaveLength(MAX_EXPLAINED_TERMS);
    expect(explanation?.inForceTotal).toBe(MAX_EXPLAINED_TERMS + 2);
    expect(explanation?.decision).toMatchObject({ code: 'contract-ambiguous' });
  });
});
