import { rmSync } from 'node:fs';

/**
 * `attached-service.js FOLDER`: the service, for as long as whoever started it lives. Its stdin is
 * the life line: when that closes, the service ends, and the folder with its data goes with it.
 */
process.stdin.resume().once('close', () => {
  const [folder] = process.argv.slice(2);
  process.once('exit', () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  process.kill(process.pid, 'SIGTERM');
});

await import('../../main.js');
