import { writeSync } from 'node:fs';

/** The program's one argument. */
export function argument<T>(): T {
  return JSON.parse(process.argv[2] ?? '') as T;
}

/** Written at once: what was said before a kill has been said. */
export function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** A child never outlives the test that started it. */
export function endWithParent(): void {
  process.stdin.on('end', () => process.exit(1));
  process.stdin.resume();
  process.stdin.unref();
}
