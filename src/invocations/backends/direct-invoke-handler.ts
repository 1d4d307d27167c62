import { applyDecorators, Injectable, SetMetadata } from '@nestjs/common';
import type { Json, JsonObject } from '../../kernel/json.js';
import type { BackendCall } from '../commands/backends.js';

/** One direct invocation of a capability, as an implementation in this process gets it. */
export interface DirectInvokeCall extends BackendCall {
  /**
   * A token that tells whoever is called next who asks, and for what: valid for 60 seconds and for
   * `audience` alone. Made only when it is asked for.
   * @param audience the token's `aud`: what the service that it is sent to calls itself
   * @throws when this node holds no platform key of the purpose `backend-token`, and once the call has
   * ended or its signal has aborted
   */
  token(audience: string): Promise<string>;
}

/** An implementation of direct invocations, in this process. */
export interface DirectInvokeImplementation {
  /**
   * The output: JSON of at most 1 MiB, which is then checked against the capability's output schema.
   * Whatever it throws is a failure of the backend, of which the caller learns the code alone.
   */
  invoke(call: DirectInvokeCall): Promise<Json>;
}

export interface DirectInvokeOptions {
  /**
   * What cards say of the backend; a manifest's `direct_invoke.backend` must equal it: `{type, name?}`,
   * nothing that tells where it is. `{type: 'in-process'}` when not given.
   */
  readonly summary?: JsonObject;
}

interface Registration {
  readonly name: string;
  readonly summary: JsonObject;
}

const REGISTRATION = 'countersign:direct-invoke-handler';

/**
 * Makes a class a provider that implements direct invocations (`DirectInvokeImplementation`), under
 * the name that manifests give as their `handler`. The same class may carry `@CapabilityHandler`, for
 * messages.
 *
 *     @DirectInvokeHandler('recon.v4.reconcile', { summary: { type: 'in-process', name: 'ledger' } })
 *     export class Reconcile implements DirectInvokeImplementation { … }
 */
export function DirectInvokeHandler(
  name: string,
  options: DirectInvokeOptions = {},
): ClassDecorator {
  const registration: Registration = { name, summary: options.summary ?? { type: 'in-process' } };
  return applyDecorators(Injectable(), SetMetadata(REGISTRATION, registration));
}

/** How a class is registered for direct invocations, undefined when it is not. */
export function directInvokeRegistration(type: object): Registration | undefined {
  return Reflect.getMetadata(REGISTRATION, type) as Registration | undefined;
}
