import { ValidateBy } from 'class-validator';
import { parseKeyId } from '../../kernel/ids.js';
import { parseTimestamp } from '../../kernel/timestamp.js';

/** The member must satisfy a check of the domain's; `description` completes "must be …". */
export function MustBe(description: string, check: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name: 'mustBe',
    validator: { validate: check, defaultMessage: () => `must be ${description}` },
  });
}

export function IsKeyId(): PropertyDecorator {
  return MustBe(
    'a key id: [A-Za-z0-9][A-Za-z0-9._:~#-]{0,159}',
    (value) => typeof value === 'string' && parseKeyId(value) !== undefined,
  );
}

export function IsMoment(): PropertyDecorator {
  return MustBe(
    'an RFC 3339 date-time that ends in Z',
    (value) => typeof value === 'string' && parseTimestamp(value) !== undefined,
  );
}

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
