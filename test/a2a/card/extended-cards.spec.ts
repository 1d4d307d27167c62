import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SignedAgentCard } from '../../../src/a2a/card/signed-card.js';
import type { HostedAgent } from '../../../src/config/hosted-agents.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { AgentId, SkillId } from '../../../src/kernel/ids.js';
import type { JsonObject } from '../../../src/kernel/json.js';
import { capability, FINANCE, partner } from '../../capabilities/support/capabilities.js';
import { CardNode, FINANCE_AGENT } from './support/card-node.js';

const RECON = partner({ scopes: ['recon.run'] });
const STRANGER = partner({ agent: 'stranger', scopes: ['other.scope'] });
/** Of the same tenant and with the same scopes. */
const OPTED_IN = partner({ agent: 'opted-in', scopes: ['other.scope'] });
const lookup = capability('lookup');
const reconcile = capability('reconcile', {
  visibility: 'extended',
  requiresScopes: ['recon.run'],
  tenants: ['partner'],
});

let folder: string;
let node: CardNode;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cards-'));
});

afterEach(async () => {
  await node.close();
  await rm(folder, { recursive: true });
});

async function start(extendedCard?: HostedAgent['extendedCard']): Promise<void> {
  const change = extendedCard === undefined ? {} : { extendedCard };
  node = await CardNode.start(folder, [{ ...FINANCE_AGENT, ...change }]);
}

async function outcome(caller: Caller): Promise<SignedAgentCard | string> {
  const card = await node.extendedCards.for(node.config.a2a.agents[0]!, caller);
  return card.ok ? card.value.card : card.error.error;
}

async function card(caller: Caller): Promise<SignedAgentCard> {
  const value = await outcome(caller);
  if (typeof value === 'string') throw new Error(value);
  return value;
}

async function ids(caller: Caller): Promise<readonly string[]> {
  const { skills } = await card(caller);
  return skills.map(({ id }) => id);
}

async function publicCard(): Promise<JsonObject> {
  return (await (await node.get('/.well-known/agent-card.json')).json()) as JsonObject;
}

/** What the registry's view knows by now. */
async function published(): Promise<void> {
  await node.node.cards.ensure(FINANCE);
}

describe('the extended card of an agent', () => {
  it('shows each caller what it may use, and is signed', async () => {
    await start();
    await node.node.register(lookup, reconcile);
    await published();
    expect(await ids(RECON)).toEqual(['lookup', 'reconcile']);
    expect(await ids(STRANGER)).toEqual(['lookup']);
    expect(await ids(partner({ tenant: 'rival', scopes: ['recon.run'] }))).toEqual(['lookup']);
    expect(await card(RECON)).toHaveProperty('signatures.0.protected');
  });

  it('has the public version and a mark of its own list of skills', async () => {
    await start();
    await node.node.register(lookup, reconcile);
    await published();
    const versions = await Promise.all(
      [RECON, STRANGER, partner({ agent: 'third', scopes: ['recon.run', 'x'] })].map(
        async (caller) => (await card(caller)).version,
      ),
    );
    expect((await publicCard())['version']).toBe('1.0.1');
    for (const version of versions) expect(version).toMatch(/^1\.0\.1\+[0-9a-f]{12}$/);
    expect(versions[0]).toBe(versions[2]);
    expect(versions[0]).not.toBe(versions[1]);
  });

  it('is of no use to a cache after a change that the public card does not show', async () => {
    await start();
    await node.node.register(lookup, reconcile);
    await published();
    expect(await ids(RECON)).toEqual(['lookup', 'reconcile']);
    await node.node.perform({
      kind: 'change-state',
      agentId: FINANCE,
      skillId: 'reconcile' as SkillId,
      state: 'deprecated',
      replacement: null,
      expectedRevision: 0,
      reason: undefined,
      force: false,
    });
    await published();
    expect(JSON.stringify(await card(RECON))).toContain('Deprecated. Does reconcile.');
    expect((await publicCard())['version']).toBe('1.0.1');
  });

  it('shows a preview to whom an operator let in, and to nobody else', async () => {
    await start();
    await node.node.register(lookup, capability('next', { state: 'preview' }));
    await published();
    expect((await publicCard())['capabilities']).toMatchObject({ extendedAgentCard: true });
    expect(await ids(RECON)).toEqual(['lookup']);
    await node.node.perform({
      kind: 'opt-in',
      agentId: FINANCE,
      skillId: 'next' as SkillId,
      callerAgentId: 'partner-agent' as AgentId,
    });
    await published();
    expect(await ids(RECON)).toEqual(['lookup', 'next']);
    expect(await ids(STRANGER)).toEqual(['lookup']);
  });

  it.each([
    ['after', [STRANGER, OPTED_IN]],
    ['before', [OPTED_IN, STRANGER]],
  ])('shows it to nobody else %s an agent of the same tenant and scopes', async (_, callers) => {
    await start();
    await node.node.register(lookup, reconcile, capability('next', { state: 'preview' }));
    await node.node.perform({
      kind: 'opt-in',
      agentId: FINANCE,
      skillId: 'next' as SkillId,
      callerAgentId: OPTED_IN.agent as AgentId,
    });
    await published();
    const shown = new Map<Caller, readonly string[]>();
    for (const caller of callers) shown.set(caller, await ids(caller));
    expect(shown.get(OPTED_IN)).toEqual(['lookup', 'next']);
    expect(shown.get(STRANGER)).toEqual(['lookup']);
  });

  it('is one and the same for all callers that may use the same, until something changes', async () => {
    await start();
    await node.node.register(lookup, reconcile);
    await published();
    const first = await card(RECON);
    for (const caller of [
      partner({ scopes: ['recon.run'] }),
      partner({ agent: 'another', scopes: ['x', 'recon.run', 'y'] }),
    ]) {
      expect(await card(caller)).toBe(first);
    }
    expect(await card(STRANGER)).not.toBe(first);
    await node.node.register(capability('more'));
    await published();
    expect(await card(RECON)).not.toBe(first);
  });

  it('promises direct invokes of those skills alone that have a backend', async () => {
    const summaryOf = (_: AgentId, handler: string): JsonObject | undefined =>
      handler === 'handler.bound' ? { type: 'http' } : undefined;
    node = await CardNode.start(folder, [FINANCE_AGENT], {}, { summaryOf });
    const directInvoke = {
      ...{ inputSchema: {}, outputSchema: {}, allowUnauthenticated: false },
      backend: { type: 'http' },
    };
    for (const id of ['bound', 'absent']) {
      await node.node.register(capability(id, { visibility: 'extended', directInvoke }));
    }
    await published();
    const { skills, capabilities } = await card(RECON);
    expect(skills.map(({ id }) => id)).toEqual(['bound', 'absent']);
    const declared = capabilities.extensions.flatMap(({ params }) =>
      Object.keys((params?.['skills'] ?? {}) as JsonObject),
    );
    expect(declared).toEqual(['bound']);
  });

  it.each([
    [undefined, [lookup], false, 'UnsupportedOperation'],
    [
      undefined,
      [lookup, capability('i', { visibility: 'internal' })],
      false,
      'UnsupportedOperation',
    ],
    [undefined, [lookup, reconcile], true, 'card'],
    ['off', [lookup, reconcile], false, 'UnsupportedOperation'],
    ['on', [lookup], true, 'ExtendedAgentCardNotConfigured'],
    ['on', [], true, 'ExtendedAgentCardNotConfigured'],
    ['on', [lookup, reconcile], true, 'card'],
  ] as const)('%s with %#: claimed and answered alike', async (setting, list, claimed, answer) => {
    await start(setting);
    await node.node.register(...list);
    await published();
    expect((await publicCard())['capabilities']).toMatchObject({ extendedAgentCard: claimed });
    const given = await outcome(RECON);
    expect(typeof given === 'string' ? given : 'card').toBe(answer);
  });
});
