import { ValidateBy } from 'class-validator';
import { parseAgentId, parseKeyId, parseTermsHash } from '../kernel/ids.js';
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

export function IsAgentId(): PropertyDecorator {
  return Parses('an agent id: [A-Za-z0-9][A-Za-z0-9._:~-]{0,127}', parseAgentId);
}

export function IsKeyId(): PropertyDecorator {
  return Parses('a key id: [A-Za-z0-9][A-Za-z0-9._:~#-]{0,159}', parseKeyId);
}

export function IsTermsHash(): PropertyDecorator {
  return Parses('a terms hash: base64url of 32 bytes in 43 characters', parseTermsHash);
}

export function IsMoment(): PropertyDecorator {
  return Parses('an RFC 3339 date-time that ends in Z', parseTimestamp);
}
