import { Global, Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CapabilitiesModule } from '../capabilities/capabilities.module.js';
import { declaredExtensions } from '../capabilities/domain/card-extensions.js';
import { DirectBackends } from '../capabilities/queries/direct-backends.js';
import { CapabilityRegistry } from '../capabilities/queries/capability-registry.js';
import { RegistrationAdvice } from '../capabilities/queries/registration-advice.js';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/tokens.js';
import type { HandlersOfAgents } from '../handlers/handlers-of-agents.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { AuthorizationModule } from '../invocations/authorization.module.js';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { ApprovalSubjects } from '../invocations/queries/approval-subjects.js';
import { CapabilityAdvice } from './capability-advice.js';
import { extensionSettings } from './card/card-settings.js';
import { CardController } from './card/card.controller.js';
import { CARD_PROVIDERS } from './card/card.providers.js';
import { HandlerRegistry } from './handlers/handler-registry.js';
import { TURN_PROVIDERS } from './turns/turns.providers.js';
import { RequestNegotiation } from './negotiation/request-negotiation.js';
import { ClassifierAdvice } from './routing/classifier-advice.js';
import { RoutingController } from './routing/routing.controller.js';
import { ROUTING_PROVIDERS } from './routing/routing.providers.js';

/**
 * The A2A surface of hosted agents: cards, routing, execution. Global, since capabilities ask it for
 * advice, and the record of calls for what waits for an approval. The bindings themselves are routes of the server: see `transports/a2a-routes.ts`.
 */
@Global()
@Module({})
export class A2aModule {
  /** @param handlers implementations of the capabilities of each hosted agent */
  static with(handlers: HandlersOfAgents): DynamicModule {
    return {
      module: A2aModule,
      imports: [
        DiscoveryModule,
        AuthorizationModule,
        CapabilitiesModule,
        InteractionsModule,
        InvocationsModule,
      ],
      controllers: [CardController, RoutingController],
      providers: [
        {
          provide: RequestNegotiation,
          inject: [CONFIG],
          useFactory: ({ a2a }: Config) =>
            new RequestNegotiation(declaredExtensions(extensionSettings(a2a), {})),
        },
        ...CARD_PROVIDERS,
        ...ROUTING_PROVIDERS,
        ...TURN_PROVIDERS,
        ...new Set([...handlers.values()].flat()),
        {
          provide: RegistrationAdvice,
          inject: [CapabilityRegistry, HandlerRegistry, DirectBackends, ClassifierAdvice],
          useFactory: (
            registry: CapabilityRegistry,
            handlers: HandlerRegistry,
            backends: DirectBackends,
            classifier: ClassifierAdvice,
          ) => new CapabilityAdvice(registry, handlers, backends, classifier),
        },
      ],
      exports: [ApprovalSubjects, RegistrationAdvice],
    };
  }
}
