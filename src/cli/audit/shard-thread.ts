import { parentPort, workerData } from 'node:worker_threads';
import {
  memoryOf,
  type NumberedAnswer,
  type NumberedQuestion,
  type ShardSettings,
} from './shard-protocol.js';
import { Shard } from './shard.js';

/** A thread that judges one shard. A throw in here ends it, and with it the audit. */
const shard = new Shard(workerData as ShardSettings);

parentPort?.on('message', ({ id, question }: NumberedQuestion) => {
  const answer = shard.answer(question);
  const memory = question.ask === 'judge' ? memoryOf(question.lines) : [];
  parentPort?.postMessage({ id, answer } satisfies NumberedAnswer, memory);
});
