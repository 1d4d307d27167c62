import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore } from '../../../src/event-store/port.js';
import { InteractionTail } from '../../../src/interactions/contracts/interaction-tail.js';
import { PartiesOfStreams } from '../../../src/interactions/contracts/parties-of-streams.js';
import type { InteractionId } from '../../../src/kernel/ids.js';
import { alpha, beta } from '../../support/interaction-fixtures.js';
import { appendUnknown, ContractNode, Told } from './support/contract-node.js';

let node: ContractNode;
let touched: string[];
let tail: InteractionTail;

beforeEach(async () => {
  node = await ContractNode.open();
  await node.caughtUp();
  touched = [];
  tail = tailWith(new PartiesOfStreams(node.store));
});

function tailWith(parties: PartiesOfStreams): InteractionTail {
  return new InteractionTail({
    store: node.store,
    readModel: node.runner,
    parties,
    readWaitMs: 1_000,
    onTouched: (id) => touched.push(id),
    onSkipped: () => undefined,
    limits: { kept: 2, touched: 4 },
  });
}

afterEach(async () => {
  await node.dispose();
});

async function proposed(count: number): Promise<readonly InteractionId[]> {
  const ids: InteractionId[] = [];
  for (let n = 0; n < count; n++) {
    const told = new Told([alpha, beta]);
    await told.perform(node, told.proposal);
    ids.push(told.id);
  }
  return ids;
}

/** The node's store, with a count of the streams that are read. */
function counted(): {
  store: Pick<EventStore, 'readStream'>;
  reads: string[];
  mostAtOnce: () => number;
} {
  const reads: string[] = [];
  let underWay = 0;
  let most = 0;
  const readStream: EventStore['readStream'] = async (stream, from, limit) => {
    reads.push(stream);
    most = Math.max(most, ++underWay);
    await nextTurn();
    underWay--;
    return node.store.readStream(stream, from, limit);
  };
  return { store: { readStream }, reads, mostAtOnce: () => most };
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

  it('reads no stream whose first event it has seen, and few at a time of the others', async () => {
    const { store, reads, mostAtOnce } = counted();
    const old = await proposed(20);
    const [first, ...others] = old as [InteractionId, ...InteractionId[]];
    await node.caughtUp();
    tail = tailWith(new PartiesOfStreams(store));
    await tail.reachHead();
    await proposed(10);
    await tail.reachHead();
    expect(reads).toEqual([]);

    await appendUnknown(node, first, 1);
    await appendUnknown(node, first, 2);
    for (const id of others) await appendUnknown(node, id, 1);
    touched.length = 0;
    await tail.reachHead();
    expect(touched).toEqual([first, first, ...others]);
    expect(reads.map((stream) => stream.slice('interaction-'.length))).toEqual([first, ...others]);
    expect(mostAtOnce()).toBe(16);
  });
});
