import { pointerTo, type Json, type JsonObject, type JsonPointer } from '../kernel/json.js';
import type { Fault } from '../kernel/rejection.js';
import { isSecureUrl } from './addresses.js';

/**
 * Reads the members of a configuration file and notes every fault on the way, so that all of them
 * are reported at once. A getter that has noted a fault returns a value that will never be used.
 */
export class DocumentReader {
  readonly faults: Fault[] = [];

  constructor(private readonly allowLoopbackHttp: boolean) {}

  /** An object with these members and no others: a misspelt one is not taken for one left out. */
  object(
    value: Json | undefined,
    at: JsonPointer,
    required: readonly string[],
    optional: readonly string[],
  ): JsonObject {
    if (!isObject(value)) {
      this.fault(at, `must be an object with ${required.join(', ')}`);
      return {};
    }
    for (const member of required) {
      if (value[member] === undefined) this.fault(pointerTo(at, member), 'is required');
    }
    for (const member of Object.keys(value)) {
      if (required.includes(member) || optional.includes(member)) continue;
      this.fault(pointerTo(at, member), 'is not a member of this document');
    }
    return value;
  }

  /** Empty for a missing member, which {@link object} has noted. */
  text(object: JsonObject, member: string, at: JsonPointer, maxLength: number): string {
    const text = object[member];
    if (text === undefined) return '';
    if (typeof text === 'string' && text.trim() !== '' && text.length <= maxLength) return text;
    this.fault(pointerTo(at, member), `must be a text of 1 to ${String(maxLength)} characters`);
    return '';
  }

  /** A text in the form that `parse` takes. */
  parsed<Parsed extends string>(
    object: JsonObject,
    member: string,
    at: JsonPointer,
    parse: (text: string) => Parsed | undefined,
    form: string,
  ): Parsed {
    const text = object[member];
    const parsed = typeof text === 'string' ? parse(text) : undefined;
    if (parsed !== undefined) return parsed;
    if (text !== undefined) this.fault(pointerTo(at, member), form);
    return '' as Parsed;
  }

  /** An address that may be published. */
  url(object: JsonObject, member: string, at: JsonPointer): string {
    const text = this.text(object, member, at, 2048);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isFine = url !== undefined && isSecureUrl(url, this.allowLoopbackHttp);
    if (isFine && url.username === '' && url.password === '') return text;
    if (text !== '') this.fault(pointerTo(at, member), 'must be an https URL without a user');
    return text;
  }

  fault(pointer: JsonPointer, detail: string): void {
    this.faults.push({ pointer, detail });
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
