import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, SpawnedService } from '../../support/service.js';

/** A request that no node answers for so long is a failure of the test, in milliseconds. */
const PATIENCE_MS = 90_000;
const RETRY_MS = 60;

/** Nodes of one deployment that are killed and come back, and a client that knows all of them. */
export class Cluster {
  /** Requests that got no answer, or one that says to come back. */
  interrupted = 0;
  kills = 0;

  constructor(readonly nodes: readonly SpawnedService[]) {}

  /** The node of a number, counted round. */
  node(number: number): SpawnedService {
    const node = this.nodes[number % this.nodes.length];
    if (node === undefined) throw new Error('a cluster has nodes');
    return node;
  }

  /**
   * Sends one request, again and again and each time to the next node, until an answer is definite:
   * what a client with an `Idempotency-Key` does.
   */
  async settle(first: number, send: (node: SpawnedService) => Promise<Answer>): Promise<Answer> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let tries = first; ; tries++) {
      const answer = await send(this.node(tries)).catch((error: unknown) => error);
      if (isAnswer(answer) && answer.status < 500) return answer;
      this.interrupted++;
      if (performance.now() > deadline) {
        throw new Error(isAnswer(answer) ? answer.text : 'no node answers', { cause: answer });
      }
      await delay(RETRY_MS);
    }
  }

  /** Kills nodes one after the other at random moments; each is started again. */
  async killAtRandom(kills: number, random: () => number): Promise<void> {
    for (let i = 0; i < kills; i++) {
      await delay(200 + random() * 1_200);
      const node = this.node(Math.floor(random() * this.nodes.length));
      await node.kill();
      this.kills++;
      await delay(random() * 400);
      await node.start();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(async (node) => node.stop()));
  }
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'status' in value && 'text' in value;
}
