import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { Manifest, Skill } from '../../../src/capabilities/domain/manifest.js';
import type { Caller } from '../../../src/kernel/caller.js';
import type { AgentId, SkillId } from '../../../src/kernel/ids.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';

export const FINANCE = 'finance-agent' as AgentId;
const MOMENT = '2030-01-01T00:00:00.000Z' as Timestamp;

export interface CapabilityChanges extends Partial<Omit<Manifest, 'id' | 'skill'>> {
  readonly skill?: Partial<Skill>;
  readonly optedIn?: readonly string[];
}

/** A public capability that is generally available, and what is different about it. */
export function capability(id: string, changes: CapabilityChanges = {}): Capability {
  const { skill, optedIn = [], ...manifest } = changes;
  return {
    manifest: {
      id: id as SkillId,
      agentId: FINANCE,
      state: 'ga',
      visibility: 'public',
      requiresScopes: [],
      tenants: '*',
      handler: `handler.${id}`,
      limits: {},
      owner: 'owner-team',
      replacement: null,
      requiresContract: false,
      action: null,
      data: [],
      callers: 'initiator',
      directInvoke: null,
      ...manifest,
      skill: {
        name: `Name of ${id}`,
        description: `Does ${id}.`,
        tags: ['tag'],
        examples: [`Please ${id}.`],
        inputModes: ['text/plain'],
        outputModes: ['application/json'],
        ...skill,
      },
    },
    optedIn: new Set(optedIn as AgentId[]),
    registeredAt: MOMENT,
    updatedAt: MOMENT,
    revision: 0,
  };
}

/** As the registry holds them, in this order. */
export function byId(...capabilities: readonly Capability[]): ReadonlyMap<SkillId, Capability> {
  return new Map(capabilities.map((each) => [each.manifest.id, each]));
}

/** Somebody with a token. */
export function partner(
  changes: {
    readonly agent?: string;
    readonly tenant?: string;
    readonly scopes?: readonly string[];
  } = {},
): Caller {
  const { agent = 'partner-agent', tenant = 'partner', scopes = [] } = changes;
  return {
    principal: 'client|partner',
    client: null,
    agent: agent as AgentId,
    tenant,
    scopes: new Set(),
    allScopes: new Set(scopes),
  };
}
