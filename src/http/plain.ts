/**
 * What a class that only describes a document (for OpenAPI) says of plain objects: answers are made
 * as literals, never as instances.
 */
export type Plain<T> = T extends readonly (infer Item)[]
  ? readonly Plain<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: Plain<T[Member]> }
    : T;
