import { build } from '../typescript/build.mjs';
import { memoryFolder } from './memory-folder.mjs';

/** Before the first test of a run: what all of them share. Its environment is theirs. */
export default async function setup() {
  await build();
  if (process.env.TMPDIR !== undefined) return;
  const folder = memoryFolder();
  if (folder === undefined) return;
  process.env.TMPDIR = folder;
  process.env.COUNTERSIGN_TESTS_FOLDER = folder;
}
