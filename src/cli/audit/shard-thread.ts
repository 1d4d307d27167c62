import { parentPort, workerData } from 'node:worker_threads';
import type { NumberedAnswer, NumberedQuestion, ShardSettings } from './shard-protocol.js';
import { Shard } from './shard.js';

/** A thread that judges one shard. A throw in here ends it, and with it the audit. */
const shard = new Shard(workerData as ShardSettings);

parentPort?.on('message', ({ id, question }: NumberedQuestion) => {
  const answer = shard.answer(question);
  parentPort?.postMessage({ id, answer } satisfies NumberedAnswer);
});
