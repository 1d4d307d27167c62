/** A number of things, in words: `1 interaction`, `3 interactions`. */
export function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}
