export type ItemVerdict = 'met' | 'missed' | 'partial' | 'unknown';

/** The answer to one entry of the contract; `item` repeats the entry's exact text. */
export interface OutcomeAnswer {
  readonly item: string;
  readonly verdict: ItemVerdict;
  /** URIs or digests of whatever supports the verdict; may be empty. */
  readonly references: readonly string[];
}

/** One party's account of how the terms in force were met: one answer for every entry. */
export interface OutcomeReport {
  readonly successCriteria: readonly OutcomeAnswer[];
  readonly completionConditions: readonly OutcomeAnswer[];
  readonly evidenceRequirements: readonly OutcomeAnswer[];
}
