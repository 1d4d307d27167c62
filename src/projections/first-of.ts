/** The first item, undefined when there is none; ends the iteration. */
export async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    return first.done === true ? undefined : first.value;
  } finally {
    await iterator.return?.();
  }
}
