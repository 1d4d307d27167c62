import type { Capability } from '../../../src/capabilities/domain/capability.js';
import type { CapabilityCommand, CommandOf } from '../../../src/capabilities/domain/commands.js';
import type { CapabilityContext } from '../../../src/capabilities/domain/context.js';
import { capabilityDecider } from '../../../src/capabilities/domain/decider.js';
import type { CapabilityEvent } from '../../../src/capabilities/domain/events.js';
import type { CapabilityState } from '../../../src/capabilities/domain/evolve.js';
import type { Manifest } from '../../../src/capabilities/domain/manifest.js';
import type { Caller, Scope } from '../../../src/kernel/caller.js';
import type { Recorded } from '../../../src/kernel/event.js';
import type { AgentId, SkillId } from '../../../src/kernel/ids.js';
import type { RejectionCode } from '../../../src/kernel/rejection.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import { capability, FINANCE, type CapabilityChanges } from './capabilities.js';

export const NOW = '2030-03-01T12:00:00.000Z' as Timestamp;
export const SKILL = 'reconcile-invoice' as SkillId;
export const TENANT = 'finance-tenant';

/** An operator of the hosted agent's tenant. */
export function operator(
  scopes: readonly Scope[] = ['capabilities:write'],
  tenant = TENANT,
): Caller {
  const set = new Set(scopes);
  return {
    principal: 'operator',
    client: 'console',
    agent: null,
    tenant,
    scopes: set,
    allScopes: set,
  };
}

export function manifest(changes: CapabilityChanges = {}): Manifest {
  return capability(SKILL, { visibility: 'extended', ...changes }).manifest;
}

export function register(changes: CapabilityChanges = {}): CommandOf<'register'> {
  return { kind: 'register', manifest: manifest(changes) };
}

export function revise(changes: CapabilityChanges, expectedRevision: number): CommandOf<'revise'> {
  return { kind: 'revise', manifest: manifest(changes), expectedRevision };
}

export function become(
  state: Manifest['state'],
  expectedRevision: number,
  more: Partial<CommandOf<'change-state'>> = {},
): CommandOf<'change-state'> {
  return {
    kind: 'change-state',
    agentId: FINANCE,
    skillId: SKILL,
    state,
    replacement: null,
    expectedRevision,
    reason: undefined,
    force: false,
    ...more,
  };
}

export function opt(
  kind: 'opt-in' | 'opt-out',
  agent = 'partner-agent',
): CommandOf<'opt-in' | 'opt-out'> {
  return { kind, agentId: FINANCE, skillId: SKILL, callerAgentId: agent as AgentId };
}

const context: CapabilityContext = {
  now: NOW,
  caller: operator(),
  agentTenant: TENANT,
  replacements: [],
  predecessors: [],
  lastCall: null,
  backendSummary: null,
};

export type Outcome = readonly CapabilityEvent['type'][] | RejectionCode;

export interface Scene {
  /** The capability after the commands that were given, all of which must succeed. */
  readonly state: CapabilityState;
  readonly log: readonly Recorded<CapabilityEvent>[];
  when(command: CapabilityCommand, more?: Partial<CapabilityContext>): Outcome;
  /** The events of a command that must succeed. */
  events(command: CapabilityCommand, more?: Partial<CapabilityContext>): readonly CapabilityEvent[];
}

/** `given(register()).when(become('deprecated', 0))` */
export function given(
  ...commands: readonly (
    CapabilityCommand | readonly [CapabilityCommand, Partial<CapabilityContext>]
  )[]
): Scene {
  const log: Recorded<CapabilityEvent>[] = [];
  let state: CapabilityState = capabilityDecider.initial;
  const decide = (command: CapabilityCommand, more: Partial<CapabilityContext> = {}) =>
    capabilityDecider.decide(state, command, { ...context, ...more });
  const events = (command: CapabilityCommand, more?: Partial<CapabilityContext>) => {
    const decision = decide(command, more);
    if (!decision.ok) throw new Error(`refused: ${decision.error.code}`);
    return decision.value;
  };
  for (const each of commands) {
    const [command, more] = 'kind' in each ? [each, {}] : each;
    for (const event of events(command, more)) {
      const recorded = { ...event, recordedAt: NOW, revision: log.length };
      log.push(recorded);
      state = capabilityDecider.evolve(state, recorded);
    }
  }
  return {
    state,
    log,
    events,
    when: (command, more) => {
      const decision = decide(command, more);
      return decision.ok ? decision.value.map(({ type }) => type) : decision.error.code;
    },
  };
}

/** A capability that a command may be pointed to. */
export function other(id: string, changes: CapabilityChanges = {}): Capability {
  return capability(id, { visibility: 'extended', ...changes });
}
