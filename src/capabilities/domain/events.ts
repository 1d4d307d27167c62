import type { DomainEvent } from '../../kernel/event.js';
import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { LifecycleState, Manifest } from './manifest.js';

/**
 * Manifests stand in `data`: they are what enforcement rests on and must outlive an erasure. What
 * somebody gave as a reason is sealed.
 */
export type CapabilityRegistered = DomainEvent<
  'capability-registered',
  { readonly manifest: Manifest },
  null
>;

export type CapabilityRevised = DomainEvent<
  'capability-revised',
  { readonly manifest: Manifest },
  null
>;

interface Subject {
  readonly agentId: AgentId;
  readonly skillId: SkillId;
}

export type CapabilityStateChanged = DomainEvent<
  'capability-state-changed',
  Subject & {
    readonly state: LifecycleState;
    readonly replacement: SkillId | null;
    /** True when it was removed although it had been called of late. */
    readonly forced: boolean;
    readonly reasonHash: string | null;
  },
  { readonly reason: string | null }
>;

export type CallerOptedIn = DomainEvent<
  'caller-opted-in',
  Subject & { readonly callerAgentId: AgentId },
  null
>;

export type CallerOptedOut = DomainEvent<
  'caller-opted-out',
  Subject & { readonly callerAgentId: AgentId },
  null
>;

export type CapabilityEvent =
  | CapabilityRegistered
  | CapabilityRevised
  | CapabilityStateChanged
  | CallerOptedIn
  | CallerOptedOut;

/** Which capability an event is about. */
export function subjectOf({ data }: Pick<CapabilityEvent, 'data'>): Subject {
  return 'manifest' in data ? { agentId: data.manifest.agentId, skillId: data.manifest.id } : data;
}
