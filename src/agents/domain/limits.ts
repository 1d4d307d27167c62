/** Past keys included: history is never forgotten, so it must be bounded. */
export const MAX_KEYS = 64;
/**
 * Of one agent, registration aside: evidence holds all of a party's history. Revocations and the
 * retirement are always possible, and there are at most as many of them as keys, and one.
 */
export const MAX_CHANGES = 10_000;
export const MAX_CLIENTS = 64;
export const MAX_POLICY_ENTRIES = 100;
export const MAX_POLICY_TEXT_LENGTH = 1_000;
/**
 * Of a policy's JSON text. With {@link MAX_CHANGES} it bounds what a party can put into the evidence that
 * others need: all of its history is less than what `countersign verify` reads.
 */
export const MAX_POLICY_CHARACTERS = 5_000;
/** Beyond 36,500 days texts are never destroyed by themselves; a policy does not consent to that. */
export const MAX_POLICY_RETENTION_DAYS = 36_500;
export const MAX_REASON_LENGTH = 2_000;
export const MAX_ENDPOINT_LENGTH = 2_048;
