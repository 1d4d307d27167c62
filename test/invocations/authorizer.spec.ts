import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Manifest } from '../../src/capabilities/domain/manifest.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import { judgeCall } from '../../src/invocations/judge-call.js';
import type {
  AuthorizationAnswer,
  AuthorizationQuestion,
} from '../../src/invocations/queries/authorizer.js';
import type { Contract } from '../../src/kernel/federated-interaction.js';
import type { AgentId, TermsHash } from '../../src/kernel/ids.js';
import { timestampOf } from '../../src/kernel/timestamp.js';
import { capability, type CapabilityChanges } from '../capabilities/support/capabilities.js';
import { hostedAgent } from '../capabilities/support/capability-node.js';
import { Told } from '../interactions/contracts/support/contract-node.js';
import {
  accept,
  alpha,
  beta,
  cancel,
  DEADLINE_MS,
  EXPIRES_MS,
  gamma,
  MINUTE,
  revise,
  START_MS,
  stranger,
  type Party,
} from '../support/interaction-fixtures.js';
import { AuthorizationNode } from './support/authorization-node.js';

let node: AuthorizationNode;
/** Its views stand still, as of a moment at which the two had one contract. */
let lagging: AuthorizationNode;
let ours: Told;

const ASKING: CapabilityChanges = {
  agentId: beta.agentId,
  requiresContract: true,
  action: 'translate',
};
const TRANSLATE = capability('translate', ASKING).manifest;
const CHAT = capability('chat', { agentId: beta.agentId }).manifest;

const RIVAL = 'agent-rival' as AgentId;

async function registered(manifest: Manifest): Promise<void> {
  const event = { type: 'capability-registered', data: { manifest }, texts: null } as const;
  await node.recordCapability(manifest, event);
}

async function agreed(terms: Partial<Contract> = {}, ...others: Party[]): Promise<Told> {
  const told = new Told([alpha, beta, ...others], terms);
  return told.perform(node, told.proposal, accept(beta), ...others.map((each) => accept(each)));
}

beforeEach(async () => {
  node = await AuthorizationNode.open();
  await node.register(alpha, beta, gamma);
  await registered(TRANSLATE);
  await registered(CHAT);
  ours = await agreed();
  lagging = await AuthorizationNode.open(node.folder);
  await lagging.holdViews();
  for (const each of [node, lagging]) each.now = START_MS + 60 * MINUTE;
});

afterEach(async () => {
  await lagging.close();
  await node.dispose();
});

function question(changes: Partial<AuthorizationQuestion> = {}): AuthorizationQuestion {
  const { agentId, id: skillId } = TRANSLATE;
  return { agentId, skillId, caller: alpha.token, named: null, ...changes };
}

const ask = (changes: Partial<AuthorizationQuestion> = {}, at = node) =>
  at.authorizer.authorize(question(changes));
const named = ({ id: interactionId }: Told, termsHash: TermsHash | null = null) => ({
  named: { interactionId, termsHash },
});
const codeOf = ({ decision }: AuthorizationAnswer): string =>
  decision.kind === 'grant' ? decision.rule : decision.code;

describe('an authorizer', () => {
  it('grants by the contract, and tells every stream that it read for it', async () => {
    const answer = await ask();
    const { id: interactionId, scene } = ours;
    const { termsHash } = scene.interaction.revisions[0]!;
    expect(answer.decision).toMatchObject({
      ...{ kind: 'grant', rule: 'allowed-action', approvals: [] },
      terms: { interactionId, revision: 1, termsHash },
    });
    expect(answer.capability?.manifest).toEqual(TRANSLATE);
    expect(answer.basedOn).toEqual({
      'capability-agent-beta/translate': 0,
      'agent-agent-alpha': 0,
      'agent-agent-beta': 0,
      [interactionStream(interactionId)]: scene.log.length - 1,
    });
  });

  it('looks at the capability alone where that is enough', async () => {
    const forbidden = (): never => {
      throw new Error('nobody asked for it');
    };
    const facts = { ...node.facts.atHead, agents: forbidden, contracts: forbidden };
    const only = { ...facts, named: forbidden, vocabulary: forbidden };
    const chat = question({ skillId: CHAT.id });
    for (const caller of [alpha.token, null]) {
      const { decision, basedOn } = await judgeCall(only, { ...chat, caller });
      expect(decision).toMatchObject({ kind: 'grant', rule: 'entitlement' });
      expect(basedOn).toEqual({ 'capability-agent-beta/chat': 0 });
    }
    const anonymous = await judgeCall(only, question({ caller: null }));
    expect(anonymous.decision).toMatchObject({ code: 'agent-required' });
    const unknown = await judgeCall(only, question({ skillId: 'none' as Manifest['id'] }));
    expect(unknown).toMatchObject({ capability: null, basedOn: {} });
    await expect(judgeCall(only, question())).rejects.toThrow('nobody asked for it');
  });

  it('checks a contract that is named where none is asked for', async () => {
    const answer = await ask({ skillId: CHAT.id, ...named(ours) });
    expect(codeOf(answer)).toBe('entitlement');
    expect(answer.basedOn).toHaveProperty(interactionStream(ours.id));
    await ours.perform(node, cancel(alpha));
    expect(codeOf(await ask({ skillId: CHAT.id, ...named(ours) }))).toBe('contract-ended');
  });

  it('tells the streams of a refusal: whose rule decided, and what was named', async () => {
    const other = await agreed({ prohibitedActions: ['translate'] });
    const answer = await ask(named(ours));
    expect(codeOf(answer)).toBe('action-prohibited');
    const streams = Object.keys(answer.basedOn);
    expect(streams).toContain(interactionStream(other.id));
    expect(streams).toContain(interactionStream(ours.id));
  });

  it('tells the streams of an ambiguity', async () => {
    const other = await agreed();
    const answer = await ask();
    expect(codeOf(answer)).toBe('contract-ambiguous');
    const streams = [other, ours].map(({ id }) => interactionStream(id));
    expect(Object.keys(answer.basedOn)).toEqual(expect.arrayContaining(streams));
  });

  it('finds no contract of others, and reads nothing of it', async () => {
    const foreign = new Told([gamma, beta]);
    await foreign.perform(node, foreign.proposal, accept(beta));
    const answer = await ask(named(foreign));
    expect(codeOf(answer)).toBe('contract-not-found');
    expect(answer.basedOn).not.toHaveProperty(interactionStream(foreign.id));
  });

  it('serves third parties of a contract where any party may call', async () => {
    await registered(capability('any', { ...ASKING, callers: 'any-party' }).manifest);
    const skillId = 'any' as Manifest['id'];
    await agreed({}, gamma);
    expect(codeOf(await ask({ caller: gamma.token }))).toBe('caller-not-initiator');
    expect(codeOf(await ask({ caller: gamma.token, skillId }))).toBe('allowed-action');
  });

  it('tells an impostor nothing of the contracts of whom it claims to be', async () => {
    const impostor = { ...alpha.token, tenant: 'elsewhere' };
    const answer = await ask({ caller: impostor, ...named(ours) });
    expect(answer.decision).toMatchObject({
      code: 'agent-not-acting',
      isParty: false,
      terms: null,
    });
    expect(Object.keys(answer.basedOn).filter((name) => name.startsWith('interaction-'))).toEqual(
      [],
    );
    expect(codeOf(await ask({ caller: stranger.token }))).toBe('agent-not-acting');
  });

  it('refuses an agent that calls itself', async () => {
    expect(codeOf(await ask({ caller: beta.token }))).toBe('contract-required');
    expect(codeOf(await ask({ caller: beta.token, ...named(ours) }))).toBe('contract-not-found');
  });

  it('lets time pass: deadline and expiry, recorded or not', async () => {
    node.now = DEADLINE_MS - 1;
    expect(codeOf(await ask())).toBe('allowed-action');
    node.now = DEADLINE_MS;
    expect(codeOf(await ask())).toBe('deadline-passed');
    node.now = EXPIRES_MS;
    expect(codeOf(await ask())).toBe('contract-required');
    expect(codeOf(await ask(named(ours)))).toBe('contract-expired');
  });
});

describe('an id of a hosted agent that another tenant has registered', () => {
  const hostedFor = (tenant: string, { agentId } = beta): void => {
    node.hosted.splice(0, Infinity, hostedAgent(agentId, { tenant }));
  };

  it('is nobody’s: its contracts allow nothing, now and in the past', async () => {
    const accepted = timestampOf(Date.parse(ours.scene.log.at(-1)!.recordedAt));
    const inThePast = () => judgeCall(node.facts.at(accepted), question());
    hostedFor(beta.agent.tenant);
    for (const answer of [await ask(), await ask(named(ours)), await inThePast()]) {
      expect(codeOf(answer)).toBe('allowed-action');
    }
    hostedFor('the-host');
    for (const answer of [await ask(), await inThePast()]) {
      expect(answer.decision).toMatchObject({ code: 'contract-required', isParty: false });
      expect(Object.keys(answer.basedOn).sort()).toEqual([
        'agent-agent-alpha',
        'capability-agent-beta/translate',
      ]);
    }
    expect(codeOf(await ask(named(ours)))).toBe('contract-not-found');
    expect((await judgeCall(node.facts.atHead, question())).contracts?.active).toEqual([]);
  });

  it('has nothing to name where no contract is asked for', async () => {
    hostedFor('the-host');
    expect(codeOf(await ask({ skillId: CHAT.id, ...named(ours) }))).toBe('contract-not-found');
    expect(codeOf(await ask({ skillId: CHAT.id }))).toBe('entitlement');
  });

  it('does not call other hosted agents either', async () => {
    hostedFor('the-host', alpha);
    expect(codeOf(await ask())).toBe('agent-not-acting');
    hostedFor(alpha.agent.tenant, alpha);
    expect(codeOf(await ask())).toBe('allowed-action');
  });
});

describe('what a person wrote into terms that stand', () => {
  const PROSE = 'Never pay out above 1000 EUR';
  const hear = (agentId: AgentId, id: string): Promise<void> =>
    registered(
      capability(id, { agentId, visibility: 'internal', state: 'preview', action: PROSE }).manifest,
    );

  beforeEach(() => {
    const { tenant } = beta.agent;
    node.hosted.push(
      hostedAgent(beta.agentId, { tenant }),
      hostedAgent(RIVAL, { tenant: 'rival' }),
    );
  });

  it('stays a prohibition, whoever uses its very words for a capability afterwards', async () => {
    await agreed({ allowedActions: [], prohibitedActions: [PROSE] });
    expect(codeOf(await ask())).toBe('prohibition-unclear');
    node.now += MINUTE;
    await hear(RIVAL, 'theirs');
    await hear(beta.agentId, 'own');
    await node.caughtUp();
    node.now += MINUTE;
    expect(codeOf(await ask())).toBe('prohibition-unclear');
    const explained = await judgeCall(node.facts.at(timestampOf(node.now)), question());
    expect(codeOf(explained)).toBe('prohibition-unclear');
  });

  it('stays an approval, whoever does so, and before whichever proposal a foreigner did', async () => {
    node.now = START_MS;
    await hear(RIVAL, 'theirs');
    await ours.perform(node, cancel(alpha));
    await agreed({ humanApprovalRequirements: [PROSE] });
    node.now = START_MS + 60 * MINUTE;
    await hear(beta.agentId, 'own');
    await node.caughtUp();
    expect((await ask()).decision).toMatchObject({ kind: 'grant', approvals: [PROSE] });
  });

  it('is understood under terms that the callee’s own words came before', async () => {
    node.now = START_MS;
    await hear(beta.agentId, 'own');
    await agreed({ allowedActions: [], prohibitedActions: [PROSE] });
    await node.caughtUp();
    expect(codeOf(await ask())).toBe('allowed-action');
  });
});

describe('an authorizer whose views stand still', () => {
  it('knows of a prohibition that was agreed since', async () => {
    expect(codeOf(await ask({}, lagging))).toBe('allowed-action');
    const other = await agreed({ allowedActions: [], prohibitedActions: ['translate'] });
    const answer = await ask({}, lagging);
    expect(answer.decision).toMatchObject({
      ...{ code: 'action-prohibited', entry: 'translate' },
      terms: { interactionId: other.id },
    });
  });

  it('knows of an amendment, and of an end', async () => {
    const prohibiting = { ...ours.contract, prohibitedActions: ['translate'] };
    await ours.perform(node, revise(alpha, prohibiting));
    expect(codeOf(await ask({}, lagging))).toBe('allowed-action');
    await ours.perform(node, accept(beta));
    expect(codeOf(await ask({}, lagging))).toBe('action-prohibited');
    await ours.perform(node, cancel(beta));
    expect(codeOf(await ask({}, lagging))).toBe('contract-required');
    expect(codeOf(await ask(named(ours), lagging))).toBe('contract-ended');
  });

  it('knows of a contract that was agreed since', async () => {
    await ours.perform(node, cancel(alpha));
    const next = await agreed();
    const answer = await ask({}, lagging);
    expect(answer.decision).toMatchObject({ kind: 'grant', terms: { interactionId: next.id } });
  });

  it('knows of a removal, and of a retirement', async () => {
    const { agentId, id: skillId } = TRANSLATE;
    const authorization = { by: 'owner-admin' } as const;
    await node.recordAgent({
      type: 'agent-retired',
      data: { agentId: alpha.agentId, authorization, reasonHash: null },
      texts: { reason: null },
    });
    expect(codeOf(await ask({}, lagging))).toBe('agent-retired');
    const removal = {
      state: 'removed',
      replacement: null,
      forced: false,
      reasonHash: null,
    } as const;
    await node.recordCapability(TRANSLATE, {
      type: 'capability-state-changed',
      data: { agentId, skillId, ...removal },
      texts: { reason: null },
    });
    expect(codeOf(await ask({}, lagging))).toBe('capability-removed');
  });

  it('takes for prose what it does not know yet', async () => {
    node.now = START_MS;
    await registered(capability('sell', { ...ASKING, action: 'sell' }).manifest);
    await agreed({ allowedActions: [], prohibitedActions: ['sell'] });
    await node.caughtUp();
    expect(codeOf(await ask())).toBe('allowed-action');
    expect(codeOf(await ask({}, lagging))).toBe('prohibition-unclear');
  });
});

describe('a moment of the past', () => {
  const at = async (ms: number, changes: Partial<AuthorizationQuestion> = {}) =>
    judgeCall(node.facts.at(timestampOf(ms)), question(changes));

  it('is judged by what had been recorded by then', async () => {
    const accepted = Date.parse(ours.scene.log.at(-1)!.recordedAt);
    await ours.perform(node, cancel(alpha));
    const cancelled = Date.parse(ours.scene.log.at(-1)!.recordedAt);
    await node.caughtUp();
    expect(codeOf(await at(START_MS - 1))).toBe('not-entitled');
    expect(codeOf(await at(accepted - 1))).toBe('contract-required');
    const then = await at(accepted);
    expect(codeOf(then)).toBe('allowed-action');
    expect(then.basedOn).toHaveProperty(interactionStream(ours.id));
    expect(then.moment).toBe(timestampOf(accepted));
    expect(codeOf(await at(cancelled - 1))).toBe('allowed-action');
    expect(codeOf(await at(cancelled))).toBe('contract-required');
    expect(codeOf(await at(cancelled, named(ours)))).toBe('contract-ended');
  });

  it('knows the capability as it was then', async () => {
    node.now = START_MS + 10 * MINUTE;
    const revised = { ...TRANSLATE, action: 'sell' };
    await node.recordCapability(TRANSLATE, {
      type: 'capability-revised',
      data: { manifest: revised },
      texts: null,
    });
    await node.caughtUp();
    expect(codeOf(await at(node.now - 1))).toBe('allowed-action');
    const later = await at(node.now);
    expect(later.decision).toMatchObject({ code: 'action-not-allowed', entry: 'sell' });
    expect(later.capability?.revision).toBe(1);
  });

  it('knows words that came after the terms as the prose that they are', async () => {
    node.now = START_MS + 10 * MINUTE;
    await registered(capability('sell', { ...ASKING, action: 'sell' }).manifest);
    await agreed({ allowedActions: [], prohibitedActions: ['sell'] });
    await node.caughtUp();
    expect(codeOf(await at(node.now - 1))).toBe('prohibition-unclear');
    expect(codeOf(await at(node.now))).toBe('prohibition-unclear');
  });
});
