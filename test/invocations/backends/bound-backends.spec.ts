import { Injectable, Module, Scope } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CapabilityHandler } from '../../../src/a2a/handlers/capability-handler.js';
import type { BackendBinding } from '../../../src/config/hosted-agents.js';
import type { HandlerClass, HandlersOfAgents } from '../../../src/handlers/handlers-of-agents.js';
import { BackendSummaries } from '../../../src/invocations/backends/backend-summaries.js';
import { BoundBackends } from '../../../src/invocations/backends/bound-backends.js';
import {
  DirectInvokeHandler,
  type DirectInvokeCall,
  type DirectInvokeImplementation,
} from '../../../src/invocations/backends/direct-invoke-handler.js';
import { Backends } from '../../../src/invocations/commands/backends.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import type { Json } from '../../../src/kernel/json.js';
import { hostedAgent } from '../../capabilities/support/capability-node.js';
import { backendCall, binding, HOSTED } from './support/calls.js';
import { TokenKeys } from './support/token-keys.js';

@DirectInvokeHandler('recon.v4', { summary: { type: 'in-process', name: 'ledger' } })
class Reconcile implements DirectInvokeImplementation {
  async invoke({ skillId }: DirectInvokeCall): Promise<Json> {
    return Promise.resolve({ skillId });
  }
}

@DirectInvokeHandler('lookup.v1')
@CapabilityHandler('lookup.v1')
class Lookup extends Reconcile {}

@DirectInvokeHandler('recon.v4')
class AnotherReconcile extends Reconcile {}

@DirectInvokeHandler('recon.v4')
class Nothing {}

@DirectInvokeHandler('recon.v4', { summary: { type: 'in-process', url: 'http://10.1.2.3/' } })
class Talkative extends Reconcile {}

@Injectable({ scope: Scope.REQUEST })
@DirectInvokeHandler('recon.v4')
class PerRequest extends Reconcile {}

@CapabilityHandler('messages.v1')
class OnlyMessages {}

const OTHER = 'other' as AgentId;

let keys: TokenKeys;

beforeAll(async () => {
  keys = await TokenKeys.open('backend-token');
});

afterAll(() => keys.dispose());

async function backendsWith(
  classes: readonly HandlerClass[],
  bindings: Readonly<Record<string, BackendBinding>> = {},
): Promise<Backends> {
  const handlers: HandlersOfAgents = new Map([
    [HOSTED, classes],
    [OTHER, []],
  ]);
  const hosted = [
    hostedAgent(HOSTED, { backends: new Map(Object.entries(bindings)) }),
    hostedAgent(OTHER),
  ];
  @Module({
    imports: [DiscoveryModule],
    providers: [
      ...classes,
      {
        provide: Backends,
        inject: [DiscoveryService],
        useFactory: (discovery: DiscoveryService) =>
          new BoundBackends(discovery, hosted, handlers, keys.tokens(), Date.now, () => 0.5),
      },
    ],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, {
    logger: false,
    abortOnError: false,
  });
  return app.get(Backends);
}

describe('the backends of a deployment', () => {
  it('are the classes with @DirectInvokeHandler, whatever else they are', async () => {
    const backends = await backendsWith([Reconcile, Lookup, OnlyMessages]);
    expect(await backends.get(HOSTED, 'recon.v4')?.invoke(backendCall())).toEqual({
      ok: true,
      value: { skillId: 'reconcile' },
    });
    expect(backends.get(HOSTED, 'recon.v4')?.summary).toEqual({
      type: 'in-process',
      name: 'ledger',
    });
    expect(backends.get(HOSTED, 'lookup.v1')?.summary).toEqual({ type: 'in-process' });
    expect(backends.get(HOSTED, 'messages.v1')).toBeUndefined();
    expect(backends.get(HOSTED, 'constructor')).toBeUndefined();
  });

  it('are those that the file of hosted agents names, by what cards may say of them', async () => {
    const url = 'https://internal.example/secret';
    const backends = await backendsWith([], {
      'a.http': binding(url, { name: 'Ledger' }),
      'b.a2a': binding(url, { kind: 'a2a', name: 'Partner' }),
      'c.mcp': binding(url, { kind: 'mcp', name: 'Tools', tool: 'reconcile' }),
    });
    const summaries = new BackendSummaries(backends);
    const all = ['a.http', 'b.a2a', 'c.mcp', 'd'].map((name) => summaries.summaryOf(HOSTED, name));
    expect(all).toEqual([
      { type: 'http', name: 'Ledger' },
      { type: 'a2a', name: 'Partner' },
      { type: 'mcp', name: 'Tools' },
      undefined,
    ]);
  });

  it('are no other agent’s', async () => {
    const backends = await backendsWith([Reconcile], { http: binding('https://x.example/') });
    expect(backends.get(OTHER, 'recon.v4')).toBeUndefined();
    expect(backends.get(OTHER, 'http')).toBeUndefined();
    expect(backends.get('nobody' as AgentId, 'http')).toBeUndefined();
  });

  it.each([
    ['two classes have one name', [Reconcile, AnotherReconcile], 'two classes have this name'],
    ['a class invokes nothing', [Nothing], 'its class has no invoke()'],
    ['a class is made anew for every request', [PerRequest], 'is no singleton'],
  ])('do not let the service start when %s', async (_, classes, fault) => {
    await expect(backendsWith(classes)).rejects.toThrow(`handler recon.v4: ${fault}`);
  });

  it('do not let the service start when a class and a binding have one name', async () => {
    const both = backendsWith([Reconcile], { 'recon.v4': binding('https://x.example/') });
    await expect(both).rejects.toThrow('finance: a handler and an entry of `backends` are both');
  });

  it('do not let the service start when a class would have cards say more than type and name', async () => {
    const fault = 'finance: the summary of handler recon.v4: /url is not a documented member';
    await expect(backendsWith([Talkative])).rejects.toThrow(fault);
  });

  it('make no further attempt once the node has stopped', async () => {
    const backends = (await backendsWith([], {
      http: binding('https://x.invalid/'),
    })) as BoundBackends;
    backends.onApplicationShutdown();
    expect(await backends.get(HOSTED, 'http')?.invoke(backendCall())).toEqual({
      ok: false,
      error: {
        ...{ kind: 'unavailable', code: 'backend-not-tried', isUnknown: false },
        detail: 'the call was given up',
      },
    });
  });
});
