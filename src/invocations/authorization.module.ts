import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { CapabilitiesModule } from '../capabilities/capabilities.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { AuthorizationExplanations } from './authorization-explanations.js';
import { AuthorizationFacts } from './authorization-facts.js';
import { AuthorizationsController } from './authorizations.controller.js';
import { LogAuthorizer } from './log-authorizer.js';
import { Authorizer } from './queries/authorizer.js';

/**
 * Who may call what, and why. A module of its own: it asks the registry, which itself asks the record
 * of calls for usage.
 */
@Module({
  imports: [AgentsModule, CapabilitiesModule, InteractionsModule],
  controllers: [AuthorizationsController],
  providers: [
    AuthorizationFacts,
    AuthorizationExplanations,
    { provide: Authorizer, useClass: LogAuthorizer },
  ],
  exports: [Authorizer],
})
export class AuthorizationModule {}
