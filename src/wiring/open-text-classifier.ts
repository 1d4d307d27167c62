import type { TextClassifier } from '../a2a/routing/text-classifier.js';
import { WorkerTextClassifier } from '../a2a/routing/text/worker-text-classifier.js';
import type { Config } from '../config/config.js';
import { logFault } from '../http/fault-log.js';
import type { Opened } from './opened.js';

/** Its thread starts with the first skill that there is to learn. */
export function openTextClassifier({ a2a }: Config, opened: Opened): TextClassifier {
  const classifier = new WorkerTextClassifier({
    encoder: a2a.textClassifier === 'encoder',
    onFailure: (error) => {
      logFault(error, 'text-classifier');
    },
  });
  opened.onClose(() => classifier.close());
  return classifier;
}
