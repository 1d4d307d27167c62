import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  accept,
  alpha,
  beta,
  cancel,
  propose,
  signingKey,
  type Party,
  type SigningKey,
} from '../../support/interaction-fixtures.js';
import { SkewedNodes, type Outcome, type SkewedNode } from '../support/skewed-nodes.js';

const SECOND = 1000;
const spare = signingKey('spare', 21);

let nodes: SkewedNodes;
let node: SkewedNode;

beforeEach(async () => {
  nodes = await SkewedNodes.open();
  node = await nodes.node();
  await node.register(alpha);
  await node.register(beta, spare);
  nodes.now += SECOND;
});

afterEach(async () => {
  await nodes.dispose();
});

function keyOf({ key }: Party): SigningKey {
  if (key === undefined) throw new Error('the party has a key');
  return key;
}

/** What takes beta's first key away, at some node. */
const ENDINGS: readonly (readonly [string, (at: SkewedNode) => Promise<Outcome>])[] = [
  ['revoked', (at) => at.revoke(beta, keyOf(beta), spare)],
  ['replaced', (at) => at.replace(beta, keyOf(beta), signingKey('next', 22))],
];

/** What beta does with its first key. */
const ACTS = [
  ['proposes', () => propose(beta), []],
  ['accepts', () => accept(beta), [propose(alpha)]],
  ['cancels', () => cancel(beta), [propose(alpha)]],
] as const;

describe.each(ENDINGS)('with a key that is %s', (_, end) => {
  describe.each(ACTS)('whoever %s', (__, act, before) => {
    beforeEach(async () => {
      for (const each of before) expect(await node.perform(each)).toBe('ok');
    });

    afterEach(async () => {
      expect(await nodes.failures()).toEqual([]);
      expect(await nodes.datedTooEarly()).toEqual([]);
    });

    it('while its head is slowly read is refused', async () => {
      let ended: Outcome | undefined;
      const slow = await nodes.node(0, async (stream) => {
        if (stream !== `agent-${beta.agentId}` || ended !== undefined) return;
        ended = '';
        nodes.now += SECOND / 2;
        ended = await end(node);
        nodes.now += SECOND / 2;
      });
      expect(await slow.perform(act(), ...before)).toBe('key-not-valid');
      expect(ended).toBe('ok');
    });

    it.each([2, 30, 299])('on a node that is %d s ahead is refused', async (seconds) => {
      expect(await end(await nodes.node(seconds * SECOND))).toBe('ok');
      expect(await node.perform(act(), ...before)).toBe('key-not-valid');
    });

    it('before that has done it', async () => {
      expect(await node.perform(act(), ...before)).toBe('ok');
      expect(await end(await nodes.node(-2 * SECOND))).toBe('ok');
    });
  });
});

describe('a decision', () => {
  it('on agents that a node ahead has changed is dated no earlier than these changes', async () => {
    const ahead = await nodes.node(20 * SECOND);
    expect(await ahead.changeClients(alpha, keyOf(alpha))).toBe('ok');
    expect(await node.perform(propose(alpha))).toBe('ok');
    expect(await ahead.changeClients(beta, keyOf(beta))).toBe('ok');
    expect(await node.perform(accept(beta), propose(alpha))).toBe('ok');
    expect(await nodes.datedTooEarly()).toEqual([]);
    expect(await nodes.failures()).toEqual([]);
  });

  it('is dated by the clock once that has come there', async () => {
    const ahead = await nodes.node(20 * SECOND);
    expect(await ahead.changeClients(alpha, keyOf(alpha))).toBe('ok');
    nodes.now += 21 * SECOND;
    expect(await node.perform(propose(alpha))).toBe('ok');
    expect((await nodes.log()).at(-1)?.recordedAt).toBe(node.now);
  });

  it('is judged by the moment at which all that it rests on has been read', async () => {
    const expiresAt = nodes.now + SECOND;
    const proposed = propose(alpha, { expiresAt: new Date(expiresAt).toISOString() as never });
    expect(await node.perform(proposed)).toBe('ok');
    const slow = await nodes.node(0, async (stream) => {
      if (stream === `agent-${beta.agentId}`) nodes.now += SECOND;
    });
    expect(await slow.perform(accept(beta), proposed)).toBe('interaction-ended');
  });
});
