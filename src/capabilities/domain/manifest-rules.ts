import type { JsonPointer } from '../../kernel/json.js';
import {
  REJECTIONS,
  type Fault,
  type Rejection,
  type RejectionCode,
} from '../../kernel/rejection.js';
import type { ManifestMembers } from './parse-manifest.js';

/** A rule that a manifest breaks, and where. */
export interface BrokenRule extends Fault {
  readonly code: RejectionCode;
}

interface Rule {
  readonly code: RejectionCode;
  /** The member to mend. */
  readonly pointer: JsonPointer;
  /** Another member that it rests on. */
  readonly with: JsonPointer;
  /** Members that have faults are null. */
  readonly isBroken: (manifest: ManifestMembers) => boolean;
}

const RULES: readonly Rule[] = [
  // Its card would advertise it to callers whom enforcement turns away.
  {
    code: 'public-capability-restricted',
    pointer: '/requires_scopes',
    with: '/visibility',
    isBroken: ({ visibility, requiresScopes }) =>
      visibility === 'public' && requiresScopes !== null && requiresScopes.length > 0,
  },
  {
    code: 'public-capability-restricted',
    pointer: '/tenants',
    with: '/visibility',
    isBroken: ({ visibility, tenants }) =>
      visibility === 'public' && tenants !== null && tenants !== '*',
  },
  // No contract could allow it.
  {
    code: 'contract-action-missing',
    pointer: '/action',
    with: '/requires_contract',
    isBroken: ({ requiresContract, action }) => requiresContract === true && action === null,
  },
  {
    code: 'unauthenticated-with-contract',
    pointer: '/direct_invoke/allow_unauthenticated',
    with: '/requires_contract',
    isBroken: ({ requiresContract, directInvoke }) =>
      requiresContract === true && directInvoke?.allowUnauthenticated === true,
  },
  {
    code: 'replacement-unexpected',
    pointer: '/replacement',
    with: '/state',
    isBroken: ({ state, replacement }) =>
      (state === 'preview' || state === 'ga') && replacement !== null,
  },
];

/**
 * The rules between the members of one manifest that do not hold: `public-capability-restricted`,
 * `contract-action-missing`, `unauthenticated-with-contract` and `replacement-unexpected`.
 *
 * @param faults of the manifest's shape: nothing is said about what rests on a member with one
 */
export function brokenRules(
  manifest: ManifestMembers,
  faults: readonly Fault[] = [],
): readonly BrokenRule[] {
  const isFaulty = (member: JsonPointer): boolean =>
    faults.some(({ pointer }) => pointer !== '' && areOnOnePath(pointer, member));
  return RULES.filter((rule) => rule.isBroken(manifest))
    .filter((rule) => !isFaulty(rule.pointer) && !isFaulty(rule.with))
    .map(({ code, pointer }) => ({ code, pointer, detail: `${code}: ${REJECTIONS[code]}` }));
}

/** The rules that a manifest breaks, as a refusal; undefined when all hold. */
export function manifestRefusal(manifest: ManifestMembers): Rejection | undefined {
  return brokenRulesRefusal(brokenRules(manifest));
}

/** The code of the one rule that is broken, or `manifest-invalid` for several; all faults with it. */
export function brokenRulesRefusal(broken: readonly BrokenRule[]): Rejection | undefined {
  const [first] = broken;
  if (first === undefined) return undefined;
  const isOne = broken.every(({ code }) => code === first.code);
  return {
    code: isOne ? first.code : 'manifest-invalid',
    faults: broken.map(({ pointer, detail }) => ({ pointer, detail })),
  };
}

function areOnOnePath(a: JsonPointer, b: JsonPointer): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
