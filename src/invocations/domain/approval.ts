import { isBefore, type Timestamp } from '../../kernel/timestamp.js';
import type { InvocationToApprove } from './invocation.js';

/** What an approver may say. */
export type ApprovalDecision = 'approve' | 'deny';

/** In the order in which people ask for them. */
export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired', 'void'] as const;

/**
 * `void`: its call ended before it ran. What was approved and used stays `approved`; what was not
 * used in time is `expired`.
 */
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** How an approval stands at a moment; its view says the same in SQL (`approvals.ts`). */
export function approvalStateAt(
  { approval, admission, ended }: InvocationToApprove,
  now: Timestamp,
): ApprovalState {
  const { decision, expiresAt } = approval;
  if (decision?.verdict === 'denied') return 'denied';
  if (admission !== null) return 'approved';
  if (ended !== null && isBefore(ended.at, expiresAt)) return 'void';
  if (!isBefore(now, expiresAt)) return 'expired';
  return decision === null ? 'pending' : 'approved';
}
