/** The lines of a benchmark that a script can read: one figure each, last of all output. */

/** How we stand against a floor or a ceiling of the same run. */
export function printRatio(name: string, value: number, goal: number): void {
  console.log(`ratio ${name} ${value.toFixed(3)} goal ${String(goal)}`);
}

export function printFigure(name: string, value: number, unit: string): void {
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
  console.log(`figure ${name} ${text} ${unit}`);
}
