import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PublishedSkills } from '../../../src/capabilities/commands/card-publication.js';
import { cardStream } from '../../../src/capabilities/domain/card-stream.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { capability, FINANCE } from '../support/capabilities.js';
import { RegistryNode } from '../support/registry-node.js';

let folder: string;
let nodes: RegistryNode[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cards-'));
  nodes = [];
});

afterEach(async () => {
  for (const node of nodes) await node.close();
  await rm(folder, { recursive: true });
});

async function node(): Promise<RegistryNode> {
  const opened = await RegistryNode.open(folder, `read-${nodes.length}`);
  nodes.push(opened);
  return opened;
}

async function ensure(at: RegistryNode, agentId: AgentId = FINANCE): Promise<PublishedSkills> {
  const ensured = await at.cards.ensure(agentId);
  if (!ensured.ok) throw new Error(ensured.error.code);
  return ensured.value;
}

async function published(at: RegistryNode): Promise<readonly number[]> {
  const events = await at.store.readStream(cardStream(FINANCE));
  return events.map(({ data }) => data['version'] as number);
}

function ids({ skills }: PublishedSkills): readonly string[] {
  return skills.map(({ id }) => id);
}

describe('the publication of cards', () => {
  it('numbers the public skills each time they change, and only then', async () => {
    const alone = await node();
    expect(await ensure(alone)).toMatchObject({ version: 1, skills: [] });
    await alone.register(capability('lookup'));
    const second = await ensure(alone);
    expect([second.version, ids(second)]).toEqual([2, ['lookup']]);
    expect((await ensure(alone)).version).toBe(2);
    await alone.register(capability('secret', { visibility: 'extended' }));
    expect((await ensure(alone)).version).toBe(2);
    expect(await published(alone)).toEqual([1, 2]);
  });

  it('says who recorded it, by which generator, and holds no text', async () => {
    const alone = await node();
    await alone.register(capability('lookup'));
    await ensure(alone);
    const [event] = await alone.store.readStream('card-finance-agent');
    expect(event).toMatchObject({
      type: 'card-published',
      schemaVersion: 1,
      sealed: null,
      data: { agentId: FINANCE, version: 1, generator: 3 },
      metadata: { actor: { principal: 'process:card-publication', agent: null, tenant: null } },
    });
    expect(JSON.stringify(event)).not.toContain('lookup');
  });

  it('keeps the agents apart', async () => {
    const alone = await node();
    await alone.register(capability('lookup'));
    expect((await ensure(alone)).version).toBe(1);
    expect(await ensure(alone, 'other' as AgentId)).toMatchObject({ version: 1, skills: [] });
    expect(await published(alone)).toEqual([1]);
  });

  it('promises direct invokes of those skills alone whose backend is bound, and is as they say', async () => {
    const here = new Map([
      ['handler.bound', { type: 'http', name: 'ledger' }],
      ['handler.other', { type: 'http', name: 'payroll' }],
    ]);
    const backends = { summaryOf: (_: AgentId, handler: string) => here.get(handler) };
    const alone = await RegistryNode.open(folder, 'bound', 10_000, backends);
    nodes.push(alone);
    const directInvoke = {
      ...{ inputSchema: {}, outputSchema: {}, allowUnauthenticated: false },
      backend: { type: 'http', name: 'ledger' },
    };
    for (const id of ['bound', 'other', 'absent']) {
      await alone.register(capability(id, { directInvoke }));
    }
    const published = await ensure(alone);
    expect(ids(published)).toEqual(['bound', 'other', 'absent']);
    expect(Object.keys(published.declarations)).toEqual(['bound']);
  });

  it('never publishes what a node that is behind still believes', async () => {
    const [a, b] = [await node(), await node()];
    await a.register(capability('first'));
    await ensure(b);
    for (const id of ['second', 'third', 'fourth']) {
      await a.register(capability(id));
      // The other node asks first, while its own view may not know yet.
      const [seen, own] = [await ensure(b), await ensure(a)];
      expect(ids(seen)).toContain(id);
      expect(own.version).toBe(seen.version);
    }
    expect(await published(a)).toEqual([1, 2, 3, 4]);
  });

  it('publishes nothing at a node whose view does not come along', async () => {
    const behind = await RegistryNode.open(folder, 'behind', 50);
    nodes.push(behind);
    await ensure(behind);
    await behind.stopView();
    await behind.register(capability('lookup'));
    expect(await behind.cards.ensure(FINANCE)).toEqual({
      ok: false,
      error: { code: 'projection-behind' },
    });
    expect(await published(behind)).toEqual([1]);
  });

  it('agrees among racing nodes: one number for one list, and none skipped', async () => {
    const racers = [await node(), await node(), await node()];
    const [writer] = racers as [RegistryNode];
    const seen = new Map<number, string>();
    for (let round = 0; round < 15; round++) {
      const registering = writer.register(capability(`skill-${round}`));
      const results = await Promise.all([
        ...racers.map((racer) => ensure(racer)),
        registering.then(() => ensure(writer)),
        ...racers.map((racer) => ensure(racer)),
      ]);
      for (const result of results) {
        const list = ids(result).join();
        expect(seen.get(result.version) ?? list).toBe(list);
        seen.set(result.version, list);
      }
    }
    const final = await Promise.all(racers.map((racer) => ensure(racer)));
    expect(new Set(final.map(({ version }) => version)).size).toBe(1);
    expect(ids(final[0]!)).toHaveLength(15);
    const versions = await published(writer);
    expect(versions).toEqual(versions.map((_, index) => index + 1));
    expect(versions.length).toBeLessThanOrEqual(16);
  });
});
