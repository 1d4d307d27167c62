import type { SkillId } from '../../../kernel/ids.js';

/** Texts that mean none of the skills are a class of their own, after all skills. */
export const NONE = 'none of the skills';

/** The classes of an index and the rows of their texts, a description before its examples. */
export interface Classes {
  /** In the order of their columns. */
  readonly skills: readonly SkillId[];
  readonly rowsOf: ReadonlyMap<SkillId | typeof NONE, readonly number[]>;
  /** Class of each row; -1 of one whose skill went. */
  readonly columnOf: Int32Array;
  readonly columns: number;
}

export function classesOf(
  rowsOf: ReadonlyMap<SkillId | typeof NONE, readonly number[]>,
  rows: number,
): Classes {
  const skills = [...rowsOf.keys()].filter((key): key is SkillId => key !== NONE);
  const columnOf = new Int32Array(rows).fill(-1);
  skills.forEach((skillId, column) => {
    for (const row of rowsOf.get(skillId) ?? []) columnOf[row] = column;
  });
  for (const row of rowsOf.get(NONE) ?? []) columnOf[row] = skills.length;
  const columns = skills.length + (rowsOf.has(NONE) ? 1 : 0);
  return { skills, rowsOf, columnOf, columns };
}
