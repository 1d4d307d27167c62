import fc from 'fast-check';
import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { DirectInvoke } from '../../../src/capabilities/domain/manifest.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { SkillId } from '../../../src/kernel/ids.js';
import { capability, partner } from './capabilities.js';

const SCOPES = ['recon.run', 'ledger.read', 'interactions:read'];
const TENANTS = ['partner', 'rival'];
const AGENTS = ['partner-agent', 'rival-agent'];
const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];

const DIRECT_INVOKE: DirectInvoke = {
  inputSchema: { type: 'object' },
  outputSchema: {},
  backend: { type: 'http' },
  allowUnauthenticated: false,
};

/** Registries of up to six capabilities, in every state, visibility and kind of demand. */
export function someCapabilities(): fc.Arbitrary<readonly Capability[]> {
  return fc
    .uniqueArray(fc.constantFrom(...IDS), { maxLength: IDS.length })
    .chain((ids) => fc.tuple(...ids.map((id) => someCapability(id))));
}

function someCapability(id: string): fc.Arbitrary<Capability> {
  const changes = fc.record({
    state: fc.constantFrom('preview', 'ga', 'deprecated', 'removed'),
    visibility: fc.constantFrom('public', 'extended', 'internal'),
    requiresScopes: fc.subarray(SCOPES),
    tenants: fc.oneof(fc.constant('*' as const), fc.subarray(TENANTS, { minLength: 1 })),
    optedIn: fc.subarray(AGENTS),
    directInvoke: fc.option(fc.constant(DIRECT_INVOKE)),
    replacement: fc.option(fc.constantFrom(...IDS).map((each) => each as SkillId)),
  } as const);
  return changes.map((each) =>
    // What a registry does not take: its card and its enforcement would disagree.
    capability(
      id,
      each.visibility === 'public' ? { ...each, requiresScopes: [], tenants: '*' } : each,
    ),
  );
}

export function someCallers(): fc.Arbitrary<readonly Caller[]> {
  return fc.array(
    fc
      .record({
        agent: fc.constantFrom(...AGENTS),
        tenant: fc.constantFrom(...TENANTS),
        scopes: fc.subarray(SCOPES),
      })
      .map(partner),
    { maxLength: 3 },
  );
}
