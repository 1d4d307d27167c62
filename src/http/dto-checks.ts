import { Type } from 'class-transformer';
import { IsDefined, ValidateBy, ValidateNested } from 'class-validator';
import { hasAtMostCharacters } from '../kernel/characters.js';
import {
  ID_FORM,
  KEY_ID_FORM,
  parseAgentId,
  parseInteractionId,
  parseKeyId,
  parseSkillId,
  parseTermsHash,
} from '../kernel/ids.js';
import { parseTimestamp } from '../kernel/timestamp.js';

/** The member must satisfy a check of the domain's; `description` completes "must be …". */
export function MustBe(description: string, check: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name: 'mustBe',
    validator: { validate: check, defaultMessage: () => `must be ${description}` },
  });
}

/** A text that one of the kernel's parsers takes, so that its branded type may be trusted. */
function Parses(description: string, parse: (text: string) => unknown): PropertyDecorator {
  return MustBe(description, (value) => typeof value === 'string' && parse(value) !== undefined);
}

/**
 * A text of at most so many characters, each a code point, as `maxLength` of JSON Schema counts them.
 * (`MaxLength` of class-validator counts one with a variation selector behind it as one.)
 */
export function MaxCharacters(max: number): PropertyDecorator {
  return MustBe(
    `a text of at most ${String(max)} characters`,
    (value) => typeof value === 'string' && hasAtMostCharacters(value, max),
  );
}

export function IsAgentId(): PropertyDecorator {
  return Parses(`an agent id: ${ID_FORM}`, parseAgentId);
}

export function IsSkillId(): PropertyDecorator {
  return Parses(`a skill id: ${ID_FORM}`, parseSkillId);
}

export function IsInteractionId(): PropertyDecorator {
  return Parses('an interaction id: a lower-case UUID', parseInteractionId);
}

export function IsKeyId(): PropertyDecorator {
  return Parses(`a key id: ${KEY_ID_FORM}`, parseKeyId);
}

export function IsTermsHash(): PropertyDecorator {
  return Parses('a terms hash: base64url of 32 bytes in 43 characters', parseTermsHash);
}

/**
 * Moments are kept as written and shown for ever, so their length has a bound: nanoseconds are finer
 * than any clock that signs.
 */
const MAX_MOMENT_LENGTH = '2030-01-02T03:04:05.123456789Z'.length;

export function IsMoment(): PropertyDecorator {
  return Parses(
    'an RFC 3339 date-time that ends in Z, with at most 9 digits after the second',
    (text) => (text.length <= MAX_MOMENT_LENGTH ? parseTimestamp(text) : undefined),
  );
}

/**
 * The member is an object of a checked class. It must be there, unless `@IfPresent()` says otherwise:
 * `@ValidateNested()` alone takes an absent member for a valid one.
 */
export function Nested(type: () => new () => object): PropertyDecorator {
  return (target, property) => {
    IsDefined({ message: 'is missing' })(target, property);
    ValidateNested()(target, property);
    Type(type)(target, property);
  };
}
