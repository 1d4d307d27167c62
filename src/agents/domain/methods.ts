import type { AcceptanceMethod } from '../../kernel/federated-interaction.js';

export const ACCEPTANCE_METHODS = [
  'ed25519',
  'oauth_installation',
  'oauth_account',
  'policy_auto_accept',
] as const satisfies readonly AcceptanceMethod[];

/** Whether a token is all that an acceptance by this method takes. */
export function isByToken(method: AcceptanceMethod): boolean {
  switch (method) {
    case 'oauth_installation':
    case 'oauth_account':
      return true;
    case 'ed25519':
    case 'policy_auto_accept':
      return false;
  }
}

/** What an agent accepts by until somebody entitled says otherwise. */
export function defaultMethods(hasKeys: boolean): readonly AcceptanceMethod[] {
  return hasKeys ? ['ed25519'] : ['oauth_installation', 'oauth_account'];
}

/**
 * A non-empty list without repetitions, with `ed25519` only for an agent that has ever had keys.
 * Keys that have all ended are enough: the strictest list locks such an agent until its owner acts.
 */
export function areMethodsValid(methods: readonly AcceptanceMethod[], hasKeys: boolean): boolean {
  if (methods.length === 0 || new Set(methods).size !== methods.length) return false;
  return hasKeys || !methods.includes('ed25519');
}
