import type { AcceptancePolicy } from './events.js';
import {
  MAX_POLICY_CHARACTERS,
  MAX_POLICY_ENTRIES,
  MAX_POLICY_RETENTION_DAYS,
  MAX_POLICY_TEXT_LENGTH,
} from './limits.js';

const MEMBERS = ['allowedActions', 'maxRetentionDays', 'taskCategories'];

/**
 * Says whether a parsed value is a policy and nothing else: both lists with 1 to 100 different
 * non-empty texts, a whole number of days from 0 to 36,500, and at most 5,000 characters of JSON. An empty
 * list would never apply.
 */
export function isAcceptancePolicy(value: unknown): value is AcceptancePolicy {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.keys(value).sort();
  if (members.length !== MEMBERS.length || members.some((m, i) => m !== MEMBERS[i])) return false;
  const policy = value as Record<keyof AcceptancePolicy, unknown>;
  return (
    isList(policy.taskCategories) &&
    isList(policy.allowedActions) &&
    isDays(policy.maxRetentionDays) &&
    JSON.stringify(policy).length <= MAX_POLICY_CHARACTERS
  );
}

function isList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= MAX_POLICY_ENTRIES &&
    new Set(value).size === value.length &&
    value.every(
      (text) =>
        typeof text === 'string' && text.length >= 1 && text.length <= MAX_POLICY_TEXT_LENGTH,
    )
  );
}

function isDays(value: unknown): boolean {
  return (
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    value >= 0 &&
    value <= MAX_POLICY_RETENTION_DAYS
  );
}
