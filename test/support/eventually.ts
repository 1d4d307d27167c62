/** Waits until a condition holds; fails when it does not within some seconds. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 8000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`it never came true: ${String(condition)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** For what must not happen: a moment in which it could have. */
export async function aMoment(milliseconds = 80): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
