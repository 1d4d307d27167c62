/**
 * One node's process managers over a folder, in a process of its own that can be killed. Its clock
 * is ahead by the given milliseconds. Writes a line after every effect.
 */
import { Deployment } from './deployment.js';

const [, , folder, node, aheadMs] = process.argv;
if (folder === undefined || node === undefined) throw new Error('folder, node, aheadMs');
const deployment = await Deployment.open(() => Date.now() + Number(aheadMs), folder);
deployment.run(node);
let told = 0;
setInterval(() => {
  for (; told < deployment.performed.length; told++) process.stdout.write('effect\n');
}, 1);
