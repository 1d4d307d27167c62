import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InteractionTail } from '../../../src/interactions/contracts/interaction-tail.js';
import { PartiesOfStreams } from '../../../src/interactions/contracts/parties-of-streams.js';
import { alpha, beta } from '../../support/interaction-fixtures.js';
import { ContractNode, Told } from './support/contract-node.js';

let node: ContractNode;
let touched: string[];
let tail: InteractionTail;

beforeEach(async () => {
  node = await ContractNode.open();
  await node.caughtUp();
  touched = [];
  tail = new InteractionTail({
    store: node.store,
    readModel: node.runner,
    parties: new PartiesOfStreams(node.store),
    readWaitMs: 1_000,
    onTouched: (id) => touched.push(id),
    onSkipped: () => undefined,
    limits: { kept: 2, touched: 4 },
  });
});

afterEach(async () => {
  await node.dispose();
});

async function proposed(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const told = new Told([alpha, beta]);
    await told.perform(node, told.proposal);
    ids.push(told.id);
  }
  return ids;
}

const remembered = (): readonly string[] => tail.touchedBetween(alpha.agentId, beta.agentId);

describe('the tail of the log', () => {
  it('tells of every event once, however many ask at the same time', async () => {
    await tail.reachHead();
    const ids = await proposed(3);
    await Promise.all([tail.reachHead(), tail.reachHead(), tail.reachHead()]);
    expect(touched).toEqual(ids);
    expect(await tail.reachHead()).toBe(true);
    expect(touched).toEqual(ids);
  });

  it('forgets what the view holds', async () => {
    await tail.reachHead();
    const begin = tail.begin;
    await proposed(10);
    await node.caughtUp();
    await tail.reachHead();
    expect(touched).toHaveLength(10);
    expect(remembered()).toEqual([]);
    const checkpoint = node.runner.checkpoint('contracts-by-pair');
    expect(tail.begin).not.toBe(begin);
    expect(tail.begin).toBe(checkpoint);
  });

  it('remembers a bounded number while the view stands still, and then says that it must go on', async () => {
    await tail.reachHead();
    await node.holdView();
    const first = await proposed(4);
    await tail.reachHead();
    expect(remembered()).toEqual(first);
    expect(tail.begin).toBe(node.runner.checkpoint('contracts-by-pair'));
    const more = await proposed(3);
    await tail.reachHead();
    expect(touched).toEqual([...first, ...more]);
    expect(remembered()).toEqual([...first, ...more].slice(-4));
    const checkpoint = node.runner.checkpoint('contracts-by-pair') ?? '';
    expect((tail.begin ?? '') > checkpoint).toBe(true);
  });
});
