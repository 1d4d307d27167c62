import type { Rejection } from '../../kernel/rejection.js';
import type { Manifest } from './manifest.js';

/**
 * The rules between the members of one manifest; undefined when all hold.
 *
 * Refuses with `public-capability-restricted`, `contract-action-missing`,
 * `unauthenticated-with-contract` and `replacement-unexpected`.
 */
export function manifestRefusal(manifest: Manifest): Rejection | undefined {
  const { visibility, requiresScopes, tenants, requiresContract, action, directInvoke } = manifest;
  // Its card would advertise it to callers whom enforcement turns away.
  if (visibility === 'public' && (requiresScopes.length > 0 || tenants !== '*')) {
    return { code: 'public-capability-restricted' };
  }
  // No contract could allow it.
  if (requiresContract && action === null) return { code: 'contract-action-missing' };
  if (requiresContract && directInvoke?.allowUnauthenticated === true) {
    return { code: 'unauthenticated-with-contract' };
  }
  const isCurrent = manifest.state === 'preview' || manifest.state === 'ga';
  if (isCurrent && manifest.replacement !== null) return { code: 'replacement-unexpected' };
  return undefined;
}
