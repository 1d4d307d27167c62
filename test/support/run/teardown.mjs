import { rmSync } from 'node:fs';

/** After the last test of a run. */
export default function teardown() {
  const folder = process.env.COUNTERSIGN_TESTS_FOLDER;
  if (folder === undefined) return;
  delete process.env.TMPDIR;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
