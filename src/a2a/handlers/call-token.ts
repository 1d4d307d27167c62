import type { Manifest } from '../../capabilities/domain/manifest.js';
import type { CallTokens } from '../../invocations/commands/call-tokens.js';
import type { Caller } from '../../kernel/caller.js';
import { REJECTIONS } from '../../kernel/rejection.js';
import type { AdmittedGrant, CapabilityCall } from './capability-call.js';

/** What whoever is asked next may know the caller to be allowed: required by the capability and the caller's. */
export function scopesOf({ requiresScopes }: Manifest, caller: Caller | null): readonly string[] {
  return requiresScopes.filter((scope) => caller?.allScopes.has(scope) === true);
}

/** The tokens of one admitted call. */
export function tokensFor(
  tokens: CallTokens,
  { invocationId, manifest, terms }: AdmittedGrant,
  caller: Caller | null,
): CapabilityCall['token'] {
  const { agentId } = manifest;
  const subject = { invocationId, agentId, caller, scopes: scopesOf(manifest, caller), terms };
  return async (audience) => {
    const token = await tokens.issue(subject, audience);
    if (token.ok) return token.value;
    const { code, detail } = token.error;
    throw new Error(`${code}: ${detail ?? REJECTIONS[code]}`);
  };
}
