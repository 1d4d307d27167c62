/** The outcome of something that may be refused. A refusal is a value; a throw is a bug. */
export type Result<T, E> = Ok<T> | Err<E>;

export interface Ok<T> {
  readonly ok: true;
  readonly value: T;
}

export interface Err<E> {
  readonly ok: false;
  readonly error: E;
}

/** It was done, and this came of it. */
export function ok<T>(value: T): Ok<T> {
  return { ok: true, value };
}

/** It was refused, for this reason. */
export function err<E>(error: E): Err<E> {
  return { ok: false, error };
}
