import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentCard } from '@a2a-js/sdk';
import { cardStream } from '../../../src/capabilities/domain/card-stream.js';
import { sha256 } from '../../../src/kernel/digest.js';
import { capability, FINANCE } from '../../capabilities/support/capabilities.js';
import { CardNode, FINANCE_AGENT } from './support/card-node.js';

const DEFAULT = '/.well-known/agent-card.json';
const FINANCE_CARD = '/a2a/finance-agent/.well-known/agent-card.json';
const OTHER_CARD = '/a2a/did:web:other.example/.well-known/agent-card.json';
const OTHER_AGENT = { ...FINANCE_AGENT, agentId: 'did:web:other.example', name: 'Other' };

interface Card {
  readonly name: string;
  readonly version: string;
  readonly skills: readonly { readonly id: string }[];
}

let folder: string;
let nodes: CardNode[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cards-'));
  nodes = [];
});

afterEach(async () => {
  for (const node of nodes) await node.close();
  await rm(folder, { recursive: true });
});

async function start(agents: readonly object[] = [FINANCE_AGENT, OTHER_AGENT]): Promise<CardNode> {
  const node = await CardNode.start(folder, agents);
  nodes.push(node);
  return node;
}

async function card(node: CardNode, path = DEFAULT): Promise<Card> {
  const answer = await node.get(path);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Card;
}

describe('the public card of an agent', () => {
  it('is served to everybody, the default one also at the root', async () => {
    const node = await start();
    await node.node.register(capability('lookup'));
    const answer = await node.get(DEFAULT);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    expect(answer.headers.get('vary')).toBeNull();
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('etag')).toBe(`"${sha256(bytes)}"`);
    expect(await (await node.get(FINANCE_CARD)).text()).toBe(bytes.toString());
    expect((await card(node, OTHER_CARD)).name).toBe('Other');
  });

  it('is what the official SDK reads and writes', async () => {
    const node = await start();
    await node.node.register(capability('lookup'));
    const document: unknown = await (await node.get(DEFAULT)).json();
    expect(AgentCard.toJSON(AgentCard.fromJSON(document))).toEqual(document);
  });

  it('is not sent to whoever has it', async () => {
    const node = await start();
    const etag = (await node.get(DEFAULT)).headers.get('etag')!;
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, `"a", W/${etag} , "b"`, '*']) {
      const answer = await node.get(DEFAULT, { 'if-none-match': condition });
      expect([condition, answer.status, await answer.text()]).toEqual([condition, 304, '']);
      expect(answer.headers.get('etag')).toBe(etag);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    }
    for (const condition of ['"other"', etag.slice(1, -1), '', 'W/"other"']) {
      const answer = await node.get(DEFAULT, { 'if-none-match': condition });
      expect([condition, answer.status]).toEqual([condition, 200]);
    }
  });

  it('answers HEAD as it answers GET, without the card', async () => {
    const node = await start();
    const got = await node.get(FINANCE_CARD);
    const head = await fetch(`${node.url}${FINANCE_CARD}`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['etag', 'content-type', 'cache-control', 'content-length']) {
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
    }
  });

  it.each([
    '/a2a/nobody/.well-known/agent-card.json',
    '/a2a/constructor/.well-known/agent-card.json',
    '/a2a/FINANCE-AGENT/.well-known/agent-card.json',
    '/a2a/finance-agent%2F..%2Fx/.well-known/agent-card.json',
    '/a2a//.well-known/agent-card.json',
  ])('does not exist at %s', async (path) => {
    const answer = await (await start()).get(path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await answer.json()).toMatchObject({ code: 'not-found' });
  });

  it('does not exist where no agent is hosted', async () => {
    expect((await (await start([])).get(DEFAULT)).status).toBe(404);
  });

  it('gets another version and tag with each change of its skills, and with no other', async () => {
    const node = await start();
    const etags = new Set<string | null>();
    const seen = async (): Promise<string> => {
      const answer = await node.get(DEFAULT);
      etags.add(answer.headers.get('etag'));
      return ((await answer.json()) as Card).version;
    };
    await node.node.register(capability('lookup'));
    await node.node.cards.ensure(FINANCE);
    expect(await seen()).toBe('1.0.1');
    await node.node.register(capability('tool', { visibility: 'internal' }));
    await node.node.cards.ensure(FINANCE);
    expect(await seen()).toBe('1.0.1');
    expect(etags.size).toBe(1);
    await node.node.register(capability('more'));
    await node.node.cards.ensure(FINANCE);
    expect(await seen()).toBe('1.0.2');
    expect(etags.size).toBe(2);
  });

  it('is published by the request that finds it others than published', async () => {
    const node = await start();
    await node.node.register(capability('lookup'));
    const versions = await Promise.all(
      Array.from({ length: 20 }, async () => (await card(node)).version),
    );
    expect(new Set(versions)).toEqual(new Set(['1.0.1']));
    expect(await node.node.store.readStream(cardStream(FINANCE))).toHaveLength(1);
  });

  it('shows what its reader has seen written, on any node', async () => {
    const [a, b] = [await start(), await start()];
    for (const id of ['one', 'two', 'three']) {
      await a.node.register(capability(id));
      const token = await a.node.store.head();
      const answer = await b.get(DEFAULT, { 'position-token': token });
      expect(((await answer.json()) as Card).skills.map((skill) => skill.id)).toContain(id);
    }
  });

  it('is, byte for byte, the same on every node', async () => {
    const [a, b] = [await start(), await start()];
    await a.node.register(capability('lookup'), capability('more'));
    const token = await a.node.store.head();
    const texts = await Promise.all(
      [a, b].map(async (each) => (await each.get(DEFAULT, { 'position-token': token })).text()),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  it('refuses a position token that is none', async () => {
    const answer = await (await start()).get(DEFAULT, { 'position-token': 'x' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'position-invalid' });
  });
});
