import type { LogAudit } from './log-audit.js';

const EVERY_MS = 5_000;

/** Tells how far a long audit is, every few seconds: entries, their rate, and the share of a size. */
export async function withProgress<T>(
  log: LogAudit,
  size: number | undefined,
  tell: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const from = log.size;
  const timer = setInterval(() => {
    const rate = ((log.size - from) * 1000) / (performance.now() - begun);
    const share = size === undefined ? '' : `, ${((log.size * 100) / size).toFixed(0)}%`;
    tell(`${String(log.size)} entries${share}, ${rate.toFixed(0)} per second`);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
