import { MustBe } from '../../http/dto-checks.js';

/** A name as access tokens carry it: a principal, an OAuth client, a tenant. */
export function IsName(): PropertyDecorator {
  return MustBe('a text of 1 to 255 characters', isName);
}

/** A list of different names, in any order. */
export function IsNameList(max: number): PropertyDecorator {
  return MustBe(
    `at most ${max} different texts of 1 to 255 characters`,
    (value) =>
      Array.isArray(value) &&
      value.length <= max &&
      value.every(isName) &&
      new Set(value).size === value.length,
  );
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 255 && value.isWellFormed();
}
