/** A binary heap: the earliest by `tryAt` comes first. */
export class DueHeap<T extends { readonly tryAt: number }> {
  #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** Drops all others. */
  keep(isWanted: (item: T) => boolean): void {
    // A sorted array is a heap.
    this.#items = this.#items.filter(isWanted).sort((a, b) => a.tryAt - b.tryAt);
  }

  push(item: T): void {
    const items = this.#items;
    let child = items.length;
    items.push(item);
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = items[parent];
      if (above === undefined || above.tryAt <= item.tryAt) break;
      items[child] = above;
      child = parent;
    }
    items[child] = item;
  }

  pop(): void {
    const items = this.#items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      const right = items[child + 1];
      let below = items[child];
      if (below !== undefined && right !== undefined && right.tryAt < below.tryAt) {
        below = right;
        child++;
      }
      if (below === undefined || below.tryAt >= last.tryAt) break;
      items[parent] = below;
      parent = child;
    }
    items[parent] = last;
  }
}
