/** One statement of SQL. */
export interface Question {
  /** Of a statement that is prepared once per connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Asks within one session; rows as arrays of their columns. */
export type Ask = <Row extends readonly unknown[]>(
  question: Question & { readonly query_timeout?: number },
) => Promise<readonly Row[]>;
