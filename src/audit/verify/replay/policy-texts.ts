import { err, ok, type Result } from '../../../kernel/result.js';
import { failure, type Flaw } from '../check-result.js';
import type { PlacedEvent } from './entry.js';
import type { AgentEvent, Policy } from './event-data.js';
import { POLICY_TEXTS } from './event-shapes.js';

type PolicyChanged = Extract<AgentEvent, { type: 'agent-policy-changed' }>;

/**
 * The rules that a change of policy sets, null where it removes them; version 1 told them, since then
 * they are texts. Undefined where these are not given: whatever they are, no key and no method depends
 * on them.
 */
export function policyRules(
  { data }: PolicyChanged,
  { texts }: PlacedEvent,
): Result<Policy | null | undefined, Flaw> {
  if ('policy' in data) return ok(data.policy);
  if (texts === undefined || texts === null) return ok(data.hasPolicy ? undefined : null);
  const fault = POLICY_TEXTS(texts, '');
  if (fault !== undefined) return err(failure('data-malformed', `texts: ${fault}`));
  const { policy } = texts as { readonly policy: Policy | null };
  return (policy !== null) === data.hasPolicy
    ? ok(policy)
    : err(failure('data-malformed', '/data/hasPolicy'));
}
