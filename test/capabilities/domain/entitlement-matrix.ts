import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { Entitlement } from '../../../src/capabilities/domain/entitlement.js';
import type { LifecycleState, Visibility } from '../../../src/capabilities/domain/manifest.js';
import type { Caller } from '../../../src/kernel/caller.js';
import { capability, partner } from '../support/capabilities.js';

/** One row: what a capability is, who asks, and what comes of it. */
export interface EntitlementCase {
  /** Says all of it. */
  readonly name: string;
  readonly capability: Capability;
  readonly caller: Caller | null;
  readonly expected: Entitlement;
}

const SCOPES = ['recon.run', 'ledger.read'];
const PARTNER_AGENT = 'partner-agent';

/** What a capability asks for; of public ones, nothing. */
const DEMANDS = {
  nothing: { requiresScopes: [], tenants: '*' },
  scopes: { requiresScopes: SCOPES, tenants: '*' },
  tenant: { requiresScopes: [], tenants: ['partner'] },
  'scopes and tenant': { requiresScopes: SCOPES, tenants: ['partner'] },
} as const;

type Demand = keyof typeof DEMANDS;

/** Who asks. All but the first have a token of the agent that may be opted in, but where said. */
const CALLERS = {
  anonymous: null,
  'without scopes': partner({ tenant: 'partner' }),
  'with one of two scopes': partner({ tenant: 'partner', scopes: ['recon.run'] }),
  'with all scopes': partner({ tenant: 'partner', scopes: [...SCOPES, 'more'] }),
  'with all scopes, of another tenant': partner({ tenant: 'rival', scopes: SCOPES }),
  'with all scopes, for no agent': {
    ...partner({ tenant: 'partner', scopes: SCOPES }),
    agent: null,
  },
} as const satisfies Record<string, Caller | null>;

type Who = keyof typeof CALLERS;

/** Whom each demand turns away among the callers; spelled out, not computed. */
const MEETS: Record<Demand, readonly Who[]> = {
  nothing: [
    'without scopes',
    'with one of two scopes',
    'with all scopes',
    'with all scopes, of another tenant',
    'with all scopes, for no agent',
  ],
  scopes: [
    'with all scopes',
    'with all scopes, of another tenant',
    'with all scopes, for no agent',
  ],
  tenant: [
    'without scopes',
    'with one of two scopes',
    'with all scopes',
    'with all scopes, for no agent',
  ],
  'scopes and tenant': ['with all scopes', 'with all scopes, for no agent'],
};

const STATES: readonly LifecycleState[] = ['preview', 'ga', 'deprecated', 'removed'];
const VISIBILITIES: readonly Visibility[] = ['public', 'extended', 'internal'];

function expectation(
  visibility: Visibility,
  state: LifecycleState,
  demand: Demand,
  optedIn: boolean,
  who: Who,
): Entitlement {
  if (visibility === 'internal') return 'none';
  const hasAgent = who !== 'anonymous' && who !== 'with all scopes, for no agent';
  if (state === 'preview' && !(optedIn && hasAgent)) return 'none';
  if (visibility === 'extended' && !MEETS[demand].includes(who)) return 'none';
  return state === 'removed' ? 'removed' : 'granted';
}

/** Visibility × state × demand × opt-in × caller: every row that a registry can hold. */
export const ENTITLEMENT_MATRIX: readonly EntitlementCase[] = VISIBILITIES.flatMap((visibility) =>
  STATES.flatMap((state) =>
    (Object.keys(DEMANDS) as Demand[])
      .filter((demand) => visibility !== 'public' || demand === 'nothing')
      .flatMap((demand) =>
        [false, true].flatMap((optedIn) =>
          (Object.keys(CALLERS) as Who[]).map((who) => ({
            name: `${visibility} ${state} asking for ${demand}${optedIn ? ', opted in' : ''}: ${who}`,
            capability: capability('skill-of-the-row', {
              visibility,
              state,
              ...DEMANDS[demand],
              optedIn: optedIn ? [PARTNER_AGENT] : [],
            }),
            caller: CALLERS[who],
            expected: expectation(visibility, state, demand, optedIn, who),
          })),
        ),
      ),
  ),
);
