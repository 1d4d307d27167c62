import { getPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { giveWay } from '../../../src/threads/give-way.js';

const before = getPriority();
giveWay();
parentPort?.postMessage({ before, after: getPriority() });
