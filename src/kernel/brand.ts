declare const brand: unique symbol;

/** A type that only its parser can make: the proof that a value was checked at the edge. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
