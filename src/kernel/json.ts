/** A value that JSON can carry (RFC 8259). */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json;
}

/** An object, and neither an array nor null. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON Pointer (RFC 6901): `''` is the whole document. */
export type JsonPointer = string;

/** Appends one reference token to a pointer, escaped as RFC 6901 section 3 asks. */
export function pointerTo(parent: JsonPointer, token: string | number): JsonPointer {
  return `${parent}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
