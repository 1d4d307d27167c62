import type { AgentExtension } from './agent-card.js';
import type { DirectInvokeDeclarations } from './card-direct-invoke.js';

/** Which extensions of A2A a deployment honours: what a card declares, a client relies on. */
export interface ExtensionSettings {
  /** Messages name contracts under it. */
  readonly trustUri: string;
  /** Of skill-direct-invoke; null: not served, and nowhere declared. */
  readonly directInvokeUri: string | null;
  /** URIs without which no call is served. */
  readonly required: readonly string[];
}

/** The URIs that cards declare and requests activate, in the order of the cards. */
export function honouredUris({
  trustUri,
  directInvokeUri,
}: Omit<ExtensionSettings, 'required'>): readonly string[] {
  return directInvokeUri === null ? [trustUri] : [trustUri, directInvokeUri];
}

/**
 * Extensions as the cards of every hosted agent declare them (A2A v1.0 section 4.4.4). They differ in
 * `params.skills` of skill-direct-invoke alone (RFC, section 3.4), which is absent when it is empty.
 * @param declarations of the skills of the card, by their ids
 */
export function declaredExtensions(
  settings: ExtensionSettings,
  declarations: DirectInvokeDeclarations,
): readonly AgentExtension[] {
  const { trustUri, directInvokeUri, required } = settings;
  const hasSkills = Object.keys(declarations).length > 0;
  return honouredUris(settings).map((uri) => ({
    uri,
    description: uri === trustUri ? TRUST : DIRECT_INVOKE,
    ...(required.includes(uri) ? { required: true } : {}),
    ...(uri === directInvokeUri && hasSkills ? { params: { skills: declarations } } : {}),
  }));
}

const TRUST =
  'A message may name the contract that it is sent under, in its metadata under this URI: {interactionId, termsHash?}.';

const DIRECT_INVOKE =
  'The skills in params.skills may be invoked by id and arguments, without a model in between, by a payload in the metadata of the message under this URI: {callId, skillId, arguments, bypassModel: true, traceId?, idempotencyKey?, expectedOutputMode?}.';
