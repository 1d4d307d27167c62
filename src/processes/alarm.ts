/** A sleep that can be cut short. A ring while nobody sleeps cuts the next sleep short. */
export class Alarm {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  async sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          this.#wake = undefined;
          resolve();
        };
        const timer = setTimeout(end, milliseconds);
        signal.addEventListener('abort', end);
        this.#wake = end;
      });
    }
    this.#rung = false;
  }
}
