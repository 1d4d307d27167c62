/** How a call ended. */
export type InvocationOutcome =
  | 'succeeded'
  | 'failed'
  | 'rejected'
  | 'canceled'
  | 'interrupted'
  /** It was admitted, but what it rested on had ended by then: the handler never ran. */
  | 'voided'
  /** The deadline passed without an outcome, as after a crash. */
  | 'outcome-unknown';
