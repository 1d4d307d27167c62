/**
 * One node's processes over a folder, in an operating system's process of its own that can be killed. Its clock
 * is ahead by the given milliseconds. Writes a line after every effect, of which many are under way at
 * any time, and one in the middle of an erasure, when its key is destroyed and nothing is recorded.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Deployment } from './deployment.js';

const [, , folder, node, aheadMs] = process.argv;
if (folder === undefined || node === undefined) throw new Error('folder, node, aheadMs');
const deployment = await Deployment.open(() => Date.now() + Number(aheadMs), folder);
// Slow enough to be killed on the way.
deployment.beforeEffect = async () => delay(20);
deployment.afterDestroyed = async () => {
  process.stdout.write('destroyed\n');
  await delay(20);
};
deployment.run(node);
let told = 0;
setInterval(() => {
  for (; told < deployment.answered; told++) process.stdout.write('effect\n');
}, 1);
