/** Resident memory of a process in MiB, as an operator sees it. */
export interface ResidentMemory {
  /** The highest until a quarter of the work was done. */
  readonly atQuarter: number;
  /** The highest after that. */
  readonly peak: number;
}

/** Samples the memory of this process while it does a work of a known size. */
export class MemoryWatch {
  #atQuarter = 0;
  #peak = 0;

  constructor(private readonly size: number) {}

  /** To be called often, with the share of the size that is done. */
  sample(done: number): void {
    const rss = process.memoryUsage.rss() / 2 ** 20;
    if (done <= this.size / 4) this.#atQuarter = Math.max(this.#atQuarter, rss);
    else this.#peak = Math.max(this.#peak, rss);
  }

  get memory(): ResidentMemory {
    return { atQuarter: this.#atQuarter, peak: this.#peak };
  }
}
