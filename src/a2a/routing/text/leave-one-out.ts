import { LEFT_OUT, type Scores } from './confidence.js';
import type { Classes } from './classes.js';
import { invert, type DualWeights, type RidgeInverse } from './ridge.js';

/** The scores that a text gets from an index that never saw it, in closed form. */
export class LeaveOneOut {
  constructor(
    private readonly ridge: RidgeInverse,
    private readonly weights: DualWeights,
    private readonly classes: Classes,
  ) {}

  /** Without the text itself. */
  text(row: number): Scores {
    const { columns, columnOf, skills } = this.classes;
    const [diagonal] = this.ridge.block([row]) as unknown as readonly [number];
    const values = Float32Array.from({ length: columns }, (_, column) => {
      const target = columnOf[row] === column ? 1 : 0;
      return target - (this.weights[row * columns + column] as number) / diagonal;
    });
    return { values, skills: skills.length };
  }

  /** Without the whole class that the rows make up: what its texts look like to the others. */
  wholeClass(rows: readonly number[]): Scores[] {
    const { columns, columnOf, skills } = this.classes;
    const inverse = invert(this.ridge.block(rows), rows.length);
    return rows.map((row, i) => {
      const values = new Float32Array(columns);
      rows.forEach((other, j) => {
        const factor = inverse[i * rows.length + j] as number;
        for (let column = 0; column < columns; column++) {
          const weight = this.weights[other * columns + column] as number;
          values[column] = (values[column] as number) - factor * weight;
        }
      });
      values[columnOf[row] as number] = LEFT_OUT;
      return { values, skills: skills.length };
    });
  }
}
