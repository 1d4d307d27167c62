import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CapabilitiesModule } from '../capabilities/capabilities.module.js';
import { RegistrationAdvice } from '../capabilities/queries/registration-advice.js';
import { InvocationsModule } from '../invocations/invocations.module.js';
import { CardController } from './card/card.controller.js';
import { CARD_PROVIDERS } from './card/card.providers.js';
import type { CapabilityImplementation } from './handlers/capability-call.js';
import { HANDLER_PROVIDERS } from './handlers/handlers.providers.js';
import { RequestNegotiation } from './negotiation/request-negotiation.js';
import { ClassifierAdvice } from './routing/classifier-advice.js';
import { RoutingController } from './routing/routing.controller.js';
import { ROUTING_PROVIDERS } from './routing/routing.providers.js';

/**
 * The A2A surface of hosted agents: cards, routing, execution. Global, since capabilities ask it for
 * advice. The bindings themselves are routes of the server: see `transports/a2a-routes.ts`.
 */
@Global()
@Module({})
export class A2aModule {
  /** @param handlers implementations of capabilities, each named by `@CapabilityHandler` */
  static with(handlers: readonly Type<CapabilityImplementation>[]): DynamicModule {
    return {
      module: A2aModule,
      imports: [DiscoveryModule, CapabilitiesModule, InvocationsModule],
      controllers: [CardController, RoutingController],
      providers: [
        RequestNegotiation,
        ...CARD_PROVIDERS,
        ...ROUTING_PROVIDERS,
        ...HANDLER_PROVIDERS,
        ...handlers,
        { provide: RegistrationAdvice, useExisting: ClassifierAdvice },
      ],
      exports: [RegistrationAdvice],
    };
  }
}
