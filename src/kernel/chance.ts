/** A number from 0 to below 1, another one each time, for what many should not do at once. */
export type Chance = () => number;

/** Of a source of random bytes; one byte of it is as fine as such a pause needs. */
export function chanceOf(random: (size: number) => Uint8Array): Chance {
  return () => (random(1)[0] ?? 0) / 256;
}
