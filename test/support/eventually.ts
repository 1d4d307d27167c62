/** What is soon so is seen at once; what takes long is not asked after so often that the asking slows it down. */
const PAUSE_MS = [5, 200] as const;
const PART_OF_THE_WAIT = 0.05;

/** Waits until a condition holds; fails when it does not within some seconds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 8000,
): Promise<void> {
  const began = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - began;
    if (waited > timeoutMs) throw new Error(`it never came true: ${String(condition)}`);
    const [shortest, longest] = PAUSE_MS;
    const pause = Math.min(Math.max(waited * PART_OF_THE_WAIT, shortest), longest);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** For what must not happen: a moment in which it could have. */
export async function aMoment(milliseconds = 80): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
