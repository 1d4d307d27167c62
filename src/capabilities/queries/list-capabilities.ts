import { Query } from '@nestjs/cqrs';
import type { Position } from '../../event-store/port.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Capability } from '../domain/capability.js';
import type { LifecycleState, Visibility } from '../domain/manifest.js';

/** All that are given must hold. */
export interface CapabilityFilter {
  /** Capabilities of these agents. */
  readonly agents: readonly string[];
  readonly state?: LifecycleState;
  readonly visibility?: Visibility;
  readonly owner?: string;
}

export interface ListedCapability {
  readonly capability: Capability;
  /** False when a later event of the capability could not be applied: the entry is old. */
  readonly reliable: boolean;
}

/**
 * A page of the registry in the order of agent ids and skill ids. Refuses with `projection-behind`
 * when the view does not reach `position` in time.
 */
export class ListCapabilities extends Query<Result<readonly ListedCapability[], Rejection>> {
  constructor(
    readonly filter: CapabilityFilter,
    /** Only capabilities that sort after this agent and skill. */
    readonly after: readonly [agentId: string, skillId: string],
    /** At most so many entries. */
    readonly limit: number,
    readonly position: Position,
  ) {
    super();
  }
}
