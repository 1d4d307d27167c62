import { parentPort, workerData } from 'node:worker_threads';
import type { AgentId } from '../../../kernel/ids.js';
import { AgentIndex } from './agent-index.js';
import { readAssets } from './assets.js';
import { IndexBuilder } from './index-builder.js';
import type {
  Answers,
  NumberedAnswer,
  NumberedQuestion,
  Question,
  WorkerSettings,
} from './protocol.js';
import { Vectors } from './vectors.js';

/** The thread that learns and classifies. A throw in here ends it; whoever asks starts another. */
const { encoder } = workerData as WorkerSettings;
const builder = new IndexBuilder(readAssets(), encoder ? new Vectors() : undefined);
const indexes = new Map<AgentId, AgentIndex>();

function indexOf(agentId: AgentId): AgentIndex {
  let index = indexes.get(agentId);
  if (index === undefined) indexes.set(agentId, (index = new AgentIndex(builder)));
  return index;
}

async function answer(question: Question): Promise<Answers[Question['ask']]> {
  const index = indexOf(question.agentId);
  switch (question.ask) {
    case 'learn': {
      await (index.learn(question.skills) as Promise<undefined>);
      return;
    }
    case 'classify':
      return index.classify(question.text, question.candidates);
    case 'warnings':
      return index.warnings;
    case 'settle': {
      await (index.settle() as Promise<undefined>);
      return;
    }
  }
}

parentPort?.on('message', ({ id, question }: NumberedQuestion) => {
  void answer(question).then((found) => {
    parentPort?.postMessage({ id, answer: found } satisfies NumberedAnswer);
  });
});
