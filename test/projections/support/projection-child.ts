/**
 * A projection runner over a folder, in a process of its own that can be killed. Writes how many
 * rows it has made, in the middle of its transactions too.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Node, noteLog } from './notes.js';

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('folder');
const node = await Node.make(folder);
let rows = 0;
const notes = noteLog('notes', {
  before: () => {
    process.stdout.write(`${String(++rows)}\n`);
  },
});
const keys = {
  // Slow enough to be killed on the way.
  findAll: async (scopes: readonly string[]) => {
    await delay(10);
    return node.keys.findAll(scopes);
  },
};
node.run([notes], { keys, batchSize: 9 });
