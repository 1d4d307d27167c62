import type { AgentId } from '../kernel/ids.js';
import type { ForgettingLocation } from './store-location.js';

/** An agent whose A2A endpoint this deployment serves: what its card says besides its skills. */
export interface HostedAgent {
  readonly agentId: AgentId;
  /**
   * Callers of this tenant with `capabilities:write` manage its capabilities. As a party of contracts
   * it is registered in this tenant, or not at all.
   */
  readonly tenant: string;
  readonly name: string;
  readonly description: string;
  /** First two numbers of the card's version; the third counts the published skill lists. */
  readonly version: string;
  readonly provider: { readonly organization: string; readonly url: string } | null;
  readonly documentationUrl: string | null;
  readonly iconUrl: string | null;
  /**
   * `derived`: there is an extended card when a capability is for it; `off`: never
   * (UnsupportedOperation); `on`: always claimed (ExtendedAgentCardNotConfigured without content).
   */
  readonly extendedCard: 'derived' | 'off' | 'on';
  /** Folder of manifest files that are loaded at the start, null for none. */
  readonly capabilitiesFolder: string | null;
  /** Modules that implement its capabilities, and no other agent's: absolute paths. */
  readonly handlers: readonly string[];
  /** Backends of direct invocations outside this process, by the handler names of manifests. */
  readonly backends: ReadonlyMap<string, BackendBinding>;
}

/** The tenant for which a deployment hosts an agent of this id; null: it hosts none. */
export function hostTenant(hosted: readonly HostedAgent[], agentId: AgentId): string | null {
  return hosted.find((each) => each.agentId === agentId)?.tenant ?? null;
}

/** Where a backend is: known to the deployment alone. Cards say only what {@link name} says. */
export interface BackendBinding {
  readonly kind: 'http' | 'a2a' | 'mcp';
  /** What cards call it; no address. */
  readonly name: string;
  /** Fixed; https, or http on a loopback address on development nodes. */
  readonly url: string;
  /** `aud` of the tokens that it gets. */
  readonly audience: string;
  /** In milliseconds; a manifest may say less. */
  readonly timeoutMs: number;
  /** The same call may be made twice: a lost answer is asked for again. */
  readonly isIdempotent: boolean;
  /** Of an MCP server: the name of its tool; null otherwise. */
  readonly tool: string | null;
}

/** Settings of the A2A surface. */
export interface A2aConfig {
  /** The first is the deployment's default agent. Empty: no A2A surface. */
  readonly agents: readonly HostedAgent[];
  /**
   * Callers without a token: `refused` (401); `secret`: they may use public capabilities, and see a
   * task only by its id; `shared`: all of them are one owner, for conformance tests alone.
   */
  readonly anonymous: 'refused' | 'secret' | 'shared';
  /** Where tasks are kept: an event store of its own, outside the audited log. */
  readonly taskStore: ForgettingLocation;
  readonly taskReadModelPath: string;
  /** Tasks are deleted for good so long after they ended, in milliseconds. */
  readonly taskRetentionMs: number;
  /** Longest run of a handler, in milliseconds, unless its manifest says less. */
  readonly executionTimeoutMs: number;
  /** Webhooks may be http and on loopback addresses: for tests alone. */
  readonly allowLoopbackWebhooks: boolean;
  /** Below this confidence of a text's meaning the caller is asked back. */
  readonly routingThreshold: number;
  /** `encoder`: sentence encoder and TF-IDF; `words`: TF-IDF alone. */
  readonly textClassifier: 'encoder' | 'words';
  /** Chat endpoint with structured output (OpenAI-compatible), null: off. */
  readonly modelRouter: ModelRouterConfig | null;
  /** How long an approval may be given at most, in milliseconds. */
  readonly approvalTimeoutMs: number;
  /** URI of the trust extension: messages name the contract under it that they are sent under. */
  readonly trustExtensionUri: string;
  /** URI of skill-direct-invoke; null: not served, and nowhere declared. */
  readonly directInvokeExtensionUri: string | null;
  /** Identifiers that entries of contracts may use besides those of manifests. */
  readonly vocabulary: readonly string[];
  /** Extensions without which a call is refused; subset of the declared ones. */
  readonly requiredExtensions: readonly string[];
}

export interface ModelRouterConfig {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | null;
  readonly timeoutMs: number;
  /** Calls per minute; above it the caller is asked back. */
  readonly callsPerMinute: number;
}
