import type { AgentId, SkillId } from '../../kernel/ids.js';
import type { Json, JsonObject } from '../../kernel/json.js';

/** Where a capability stands in its life. `removed` is final: its id is never used again. */
export type LifecycleState = 'preview' | 'ga' | 'deprecated' | 'removed';

/** In which cards a capability may appear. `internal` ones appear nowhere, not even in an error. */
export type Visibility = 'public' | 'extended' | 'internal';

/** All that a card ever says of a capability, besides its id. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples: readonly string[];
  /** Media types `type/subtype` or `type/*`, lower case, without parameters. */
  readonly inputModes: readonly string[];
  readonly outputModes: readonly string[];
}

/** How a capability is invoked by id and arguments, without a model in between. */
export interface DirectInvoke {
  /** JSON Schema 2020-12 of the arguments. A data part that fits exactly one of them is routed by it. */
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** The summary that the card publishes, `{type, name?}`; nothing that tells where the backend is. */
  readonly backend: JsonObject;
  /** Opt-out of authentication; excludes `requiresContract`. */
  readonly allowUnauthenticated: boolean;
}

/**
 * One capability's record: the skill as it is advertised, and all that routing and enforcement need.
 * Documents spell members as `requires_scopes`, `requires_contract`, `direct_invoke`, …: see
 * `parse-manifest.ts`, which alone makes one.
 */
export interface Manifest {
  readonly id: SkillId;
  /** The hosted agent that offers it. */
  readonly agentId: AgentId;
  readonly state: LifecycleState;
  readonly visibility: Visibility;
  readonly skill: Skill;
  /** All of them must be in the caller's token. */
  readonly requiresScopes: readonly string[];
  readonly tenants: '*' | readonly string[];
  /** Name under which the implementation is registered (`@CapabilityHandler`). Never published. */
  readonly handler: string;
  /** Those of {@link ENFORCED_LIMITS} are enforced; all are handed to the handler. */
  readonly limits: Readonly<Record<string, Json>>;
  readonly owner: string;
  /** What to use instead, once deprecated or removed. */
  readonly replacement: SkillId | null;
  /** Calls need a contract in force. */
  readonly requiresContract: boolean;
  /** The action that a contract must allow. */
  readonly action: string | null;
  /** The data that a contract must allow. */
  readonly data: readonly string[];
  /** Which party of the contract may call. */
  readonly callers: 'initiator' | 'any-party';
  readonly directInvoke: DirectInvoke | null;
}

/** Limits that are enforced before a handler runs; positive integers. */
export const ENFORCED_LIMITS = [
  'max_message_bytes',
  'max_parts',
  'max_execution_seconds',
  'max_concurrent',
  'max_calls_per_minute',
] as const;

export type EnforcedLimit = (typeof ENFORCED_LIMITS)[number];
