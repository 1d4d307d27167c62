/**
 * The lines of a benchmark, last of all output: one per figure that a script can read (`ratio …`,
 * `figure …`), and where there is a goal, before it one that says to a person whether it was met.
 */

/** How we stand against a floor of the same run; `goal` is the least that we want. */
export function printRatio(name: string, value: number, goal: number): void {
  console.log(`${name} ${value.toFixed(3)}, at least ${String(goal)}: ${verdict(value >= goal)}`);
  console.log(`ratio ${name} ${value.toFixed(3)} goal ${String(goal)}`);
}

/** A figure that may be at most `ceiling`. */
export function printCeiling(name: string, value: number, unit: string, ceiling: number): void {
  const isMet = value <= ceiling;
  console.log(`${name} ${figure(value)} ${unit}, at most ${String(ceiling)}: ${verdict(isMet)}`);
  printFigure(name, value, unit);
}

export function printFigure(name: string, value: number, unit: string): void {
  console.log(`figure ${name} ${figure(value)} ${unit}`);
}

function figure(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'missed';
}
