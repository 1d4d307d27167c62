import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AnswerLimits } from './answer-budget.js';
import { shareAnswers } from './shared-answers.js';
import { dropSlowReaders, type ReadingPatience } from './slow-readers.js';
import { UnreadAnswers } from './unread-answers.js';

const MIB = 1024 * 1024;

/** What clients have asked for and do not take is kept in memory: so much of it at once … */
const LIMITS: AnswerLimits = {
  perNode: 256 * MIB,
  // With as much again for those who hold nothing yet, one caller's part is still left to others.
  perTenant: 96 * MIB,
  perCaller: 64 * MIB,
  anonymous: 64 * MIB,
  perAddress: 32 * MIB,
  first: MIB,
};

/** … and for so long. */
const PATIENCE: ReadingPatience = {
  stallMs: 15_000,
  totalMs: 60_000,
  bytes: 512 * MIB,
};

/**
 * Bounds what a node keeps for clients that are slow to take their answers.
 *
 * @param isOfAll true of requests for public documents that are the same for everybody
 */
export function boundAnswers(
  fastify: FastifyInstance,
  isOfAll: (request: FastifyRequest) => boolean,
): UnreadAnswers {
  // First what they share, which the others then do not count.
  shareAnswers(fastify, isOfAll);
  const answers = new UnreadAnswers(LIMITS);
  answers.watch(fastify);
  dropSlowReaders(fastify, PATIENCE, () => performance.now());
  return answers;
}
