import { Module, Scope, Injectable } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, NestFactory } from '@nestjs/core';
import { describe, expect, it } from '@jest/globals';
import { CapabilityHandler } from '../../../src/a2a/handlers/capability-handler.js';
import type { HandlerEvent } from '../../../src/a2a/handlers/capability-call.js';
import { HandlerRegistry } from '../../../src/a2a/handlers/handler-registry.js';
import type { HandlersOfAgents } from '../../../src/handlers/handlers-of-agents.js';
import type { AgentId } from '../../../src/kernel/ids.js';

@CapabilityHandler('invoices.v1.lookup')
class Lookup {
  async *handle(): AsyncGenerator<HandlerEvent, undefined> {
    yield { kind: 'completed' };
  }
}

@CapabilityHandler('invoices.v1.lookup')
class AnotherLookup extends Lookup {}

@CapabilityHandler('recon.v3.reconcile')
class Nothing {}

@Injectable({ scope: Scope.REQUEST })
@CapabilityHandler('recon.v3.reconcile')
class PerRequest extends Lookup {}

const FINANCE = 'finance' as AgentId;
const OTHER = 'other' as AgentId;

async function registryWith(...providers: readonly (new () => object)[]): Promise<HandlerRegistry> {
  const ofAgents: HandlersOfAgents = new Map([
    [FINANCE, providers],
    [OTHER, []],
  ]);
  @Module({
    imports: [DiscoveryModule],
    providers: [
      ...providers,
      {
        provide: HandlerRegistry,
        inject: [DiscoveryService],
        useFactory: (discovery: DiscoveryService) => new HandlerRegistry(discovery, ofAgents),
      },
    ],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, {
    logger: false,
    abortOnError: false,
  });
  return app.get(HandlerRegistry);
}

describe('the registry of handlers', () => {
  it('finds providers by the names that @CapabilityHandler gives them', async () => {
    const registry = await registryWith(Lookup);
    expect(registry.get(FINANCE, 'invoices.v1.lookup')).toBeInstanceOf(Lookup);
    expect(registry.get(FINANCE, 'recon.v3.reconcile')).toBeUndefined();
    expect(registry.get(FINANCE, 'constructor')).toBeUndefined();
  });

  it('gives no agent the handlers of another', async () => {
    const registry = await registryWith(Lookup);
    expect(registry.get(OTHER, 'invoices.v1.lookup')).toBeUndefined();
    expect(registry.get('nobody' as AgentId, 'invoices.v1.lookup')).toBeUndefined();
  });

  it.each([
    ['two classes have one name', [Lookup, AnotherLookup], 'invoices.v1.lookup'],
    ['a class handles nothing', [Nothing], 'recon.v3.reconcile'],
    ['a handler is made anew for every request', [PerRequest], 'recon.v3.reconcile'],
  ])('does not let the service start when %s', async (_, providers, name) => {
    await expect(registryWith(...providers)).rejects.toThrow(`handler ${name}: `);
  });
});
