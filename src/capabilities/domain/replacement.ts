import type { Rejection } from '../../kernel/rejection.js';
import type { Capability } from './capability.js';
import type { Manifest } from './manifest.js';

/**
 * Could somebody who may use the predecessor be told of a replacement that does not exist for them?
 * More restricted is: less visible; a preview; a scope that the predecessor does not ask for; a
 * tenant left out; a contract, or a role in it, that the predecessor does not ask for.
 */
export function isMoreRestricted(replacement: Manifest, predecessor: Manifest): boolean {
  if (predecessor.visibility === 'internal') return false;
  if (replacement.state === 'preview' && predecessor.state !== 'preview') return true;
  return (
    RANK[replacement.visibility] > RANK[predecessor.visibility] ||
    asksForMore(replacement, predecessor) ||
    (replacement.requiresContract && !predecessor.requiresContract) ||
    (replacement.requiresContract &&
      replacement.callers === 'initiator' &&
      predecessor.callers === 'any-party')
  );
}

const RANK = { public: 0, extended: 1, internal: 2 } as const;

/** Public capabilities ask for nothing, whatever stands in their manifests. */
function asksForMore(replacement: Manifest, predecessor: Manifest): boolean {
  if (replacement.visibility === 'public') return false;
  const { requiresScopes, tenants } = replacement;
  return (
    requiresScopes.some((scope) => !predecessor.requiresScopes.includes(scope)) ||
    (tenants !== '*' &&
      (predecessor.tenants === '*' || predecessor.tenants.some((each) => !tenants.includes(each))))
  );
}

/**
 * Why a capability may not point to its replacement; undefined when it may.
 *
 * Refuses with `replacement-circular` (itself, or one that points back to it),
 * `replacement-not-found`, `replacement-removed` and `replacement-more-restricted`.
 *
 * @param chain the replacement, then what replaces it, and so on, as far as there is something
 */
export function replacementRefusal(
  predecessor: Manifest,
  chain: readonly Capability[],
): Rejection | undefined {
  const { id, replacement } = predecessor;
  if (replacement === null) return undefined;
  if (replacement === id || chain.some(({ manifest }) => manifest.replacement === id)) {
    return { code: 'replacement-circular' };
  }
  const [named] = chain;
  if (named === undefined) return { code: 'replacement-not-found' };
  if (named.manifest.state === 'removed') return { code: 'replacement-removed' };
  if (isMoreRestricted(named.manifest, predecessor)) return { code: 'replacement-more-restricted' };
  return undefined;
}
