import { Query } from '@nestjs/cqrs';
import type { Position } from '../../event-store/port.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { Agent } from '../domain/agent.js';

/** All that are given must hold. */
export interface DirectoryFilter {
  readonly tenant?: string;
  /** Owners are told within a tenant only: judged among the agents of the asker's own. */
  readonly owner?: { readonly tenant: string; readonly principal: string };
  readonly hosted?: boolean;
  readonly retired?: boolean;
}

export interface DirectoryEntry {
  readonly agent: Agent;
  /** False when a later event of the agent could not be applied: the entry is old. */
  readonly reliable: boolean;
}

/**
 * A page of the directory in the order of agent ids. Refuses with `projection-behind` when the
 * directory does not reach `position` in time.
 */
export class ListAgents extends Query<Result<readonly DirectoryEntry[], Rejection>> {
  constructor(
    readonly filter: DirectoryFilter,
    /** Only ids that sort after this text; `''` for all. */
    readonly after: string,
    /** At most so many entries. */
    readonly limit: number,
    readonly position: Position,
  ) {
    super();
  }
}
