import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Runs a measurement in a process of its own, which sends one message, what it measured, and disconnects.
 * @param script `import.meta.url` of the file to run
 */
export async function measuredInChild<Measured>(
  script: string,
  arguments_: readonly string[],
): Promise<Measured> {
  const child = fork(fileURLToPath(script), arguments_, { execArgv: process.execArgv });
  const exit = once(child, 'exit');
  // Behind all messages, which the end of the process may overtake.
  const end = once(child, 'disconnect');
  const [measured] = (await Promise.race([
    once(child, 'message'),
    end.then(() => Promise.reject(new Error(`${arguments_.join(' ')} ended without a figure`))),
  ])) as [Measured];
  await exit;
  return measured;
}
