import type { JsonObject } from '../../kernel/json.js';
import type { Manifest } from './manifest.js';

/**
 * A manifest in the form that `parseManifest` reads: `parseManifest(manifestDocument(m), …)` is m.
 * What is null, false or the default is left out, so that a plain manifest looks as it was written.
 */
export function manifestDocument(manifest: Manifest): JsonObject {
  const { id, agentId, state, visibility, tenants, handler, limits, owner } = manifest;
  const { name, description, tags, examples, inputModes, outputModes } = manifest.skill;
  const { replacement, requiresContract, action, data, callers, directInvoke } = manifest;
  return {
    id,
    agentId,
    state,
    visibility,
    skill: { name, description, tags, examples, inputModes, outputModes },
    requires_scopes: manifest.requiresScopes,
    tenants,
    handler,
    limits,
    owner,
    ...(replacement !== null && { replacement }),
    ...(requiresContract && { requires_contract: true }),
    ...(action !== null && { action }),
    ...(data.length > 0 && { data }),
    ...(callers !== 'initiator' && { callers }),
    ...(directInvoke !== null && {
      direct_invoke: {
        input_schema: directInvoke.inputSchema,
        output_schema: directInvoke.outputSchema,
        backend: directInvoke.backend,
        ...(directInvoke.allowUnauthenticated && { allow_unauthenticated: true }),
      },
    }),
  };
}
