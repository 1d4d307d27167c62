/** Those that wait to go on. */
const waiting: (() => void)[] = [];

/**
 * As `letOthersRun`, for work that hundreds may be at: of all of them one goes on with each turn of the
 * event loop, so that everything else waits for one piece of their work, however many there are.
 */
export async function goOnInTurn(): Promise<void> {
  await new Promise<void>((goOn) => {
    waiting.push(goOn);
    if (waiting.length === 1) setImmediate(letOneGoOn);
  });
}

function letOneGoOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGoOn);
}
