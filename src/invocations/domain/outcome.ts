/** How a call ended. */
export type InvocationOutcome =
  | 'succeeded'
  | 'failed'
  | 'rejected'
  | 'canceled'
  | 'interrupted'
  /** It was admitted, but what it rested on had ended by then: the handler never ran. */
  | 'voided'
  /**
   * It ran, and nobody knows what it did: whoever ran it lost sight of it, or its deadline passed
   * without an outcome, as after a crash. Never said of what is known to have failed.
   */
  | 'outcome-unknown';
