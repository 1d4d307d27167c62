import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Runs a measurement in a process of its own, which gives the figures by {@link giveMeasured}.
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

/** In the measured process: what it measured, whole; its end would cut off what is not sent yet. */
export async function giveMeasured(measured: object): Promise<void> {
  await new Promise<void>((sent) => {
    if (process.send === undefined) throw new Error('nobody has started this process to measure');
    process.send(measured, undefined, undefined, () => {
      sent();
    });
  });
  process.disconnect();
}
