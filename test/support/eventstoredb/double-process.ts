/** The double as a process of its own: says its connection string, then runs until its parent ends. */
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDouble, type DoubleOptions } from './double.js';

export interface ProcessOptions extends DoubleOptions {
  /** Every connection is cut again and again, after a random time of so many milliseconds on average. */
  readonly cutMs?: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as ProcessOptions;
process.stdin.on('end', () => process.exit(0));
process.stdin.resume();
process.stdin.unref();

const double = await EventStoreDouble.start(options);
writeSync(1, `${double.connectionString}\n`);
while (options.cutMs !== undefined) {
  await delay(Math.random() * 2 * options.cutMs);
  for (const { wire } of double.nodes) wire.cut();
}
