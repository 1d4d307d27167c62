import { applyDecorators, Injectable, SetMetadata } from '@nestjs/common';

const HANDLER_NAME = 'countersign:capability-handler';

/**
 * Makes a class a provider that implements capabilities (`CapabilityImplementation`), under the name
 * that manifests give as their `handler`:
 *
 *     @CapabilityHandler('recon.v3.reconcile')
 *     export class Reconcile implements CapabilityImplementation { … }
 */
export function CapabilityHandler(name: string): ClassDecorator {
  return applyDecorators(Injectable(), SetMetadata(HANDLER_NAME, name));
}

/** The name under which a class implements capabilities, undefined when it does not. */
export function handlerNameOf(type: object): string | undefined {
  return Reflect.getMetadata(HANDLER_NAME, type) as string | undefined;
}
