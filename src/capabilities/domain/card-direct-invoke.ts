import type { JsonObject } from '../../kernel/json.js';
import type { SkillId } from '../../kernel/ids.js';
import type { Capability } from './capability.js';
import type { Manifest } from './manifest.js';

/** How a skill is invoked directly, as a card says it (RFC skill-direct-invoke, section 3.4). */
export interface DirectInvokeDeclaration extends JsonObject {
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly directInvokeSupported: true;
  readonly bypassModel: true;
  /** What may be said of it; nothing that tells where it is. */
  readonly backend: JsonObject;
  /** What is activated never falls back to a model. */
  readonly fallback: 'none';
}

/** By the ids of the skills that a card lists, in their order. */
export type DirectInvokeDeclarations = Readonly<Record<string, DirectInvokeDeclaration>>;

/**
 * The declarations of the skills that a card lists: of those alone that its reader may use.
 * @param isBound whether the backend is here of which the manifest speaks: a card promises no other call
 */
export function directInvokeDeclarations(
  capabilities: ReadonlyMap<SkillId, Capability>,
  skills: readonly { readonly id: SkillId }[],
  isBound: (manifest: Manifest) => boolean,
): DirectInvokeDeclarations {
  const declared: Record<string, DirectInvokeDeclaration> = {};
  for (const { id } of skills) {
    const manifest = capabilities.get(id)?.manifest;
    const directInvoke = manifest?.directInvoke ?? null;
    if (manifest === undefined || directInvoke === null || !isBound(manifest)) continue;
    const { inputSchema, outputSchema, backend } = directInvoke;
    declared[id] = {
      inputSchema,
      outputSchema,
      directInvokeSupported: true,
      bypassModel: true,
      backend,
      fallback: 'none',
    };
  }
  return declared;
}
