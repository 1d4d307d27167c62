import { Global, Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { A2aModule } from './a2a/a2a.module.js';
import { CARD_SIGNING } from './a2a/card/card-signing.js';
import type { TextClassifier } from './a2a/routing/text-classifier.js';
import type { TaskService } from './a2a/tasks/tasks.providers.js';
import { PUSH_CONFIGS, TASKS, TEXT_CLASSIFIER } from './a2a/tokens.js';
import { AgentsModule } from './agents/agents.module.js';
import { PlatformKeyring } from './attestation/platform-keyring.js';
import { PlatformKeysController } from './attestation/platform-keys.controller.js';
import { AuditModule } from './audit/audit.module.js';
import { CHECKPOINT_SIGNING } from './audit/log/checkpoint-signing.js';
import { Cosigning } from './audit/log/cosigning.js';
import { PublishedLog } from './audit/log/published-log.js';
import { TRANSPARENCY_LOG } from './audit/queries/transparency-log.js';
import { CapabilitiesModule } from './capabilities/capabilities.module.js';
import type { Config } from './config/config.js';
import { CLOCK, CONFIG, HOSTED_AGENTS, RANDOM_BYTES } from './config/tokens.js';
import type { RandomBytes } from './event-store/command-execution.js';
import type { KeyStore } from './event-store/key-store.js';
import type { EventStore } from './event-store/port.js';
import { EVENT_STORE, KEY_STORE } from './event-store/tokens.js';
import { HANDLERS_OF_AGENTS, type HandlersOfAgents } from './handlers/handlers-of-agents.js';
import { HealthRegistry } from './http/health/health-registry.js';
import { HealthController } from './http/health/health.controller.js';
import { ProblemPagesController } from './http/problem-pages.controller.js';
import { SchemasController } from './http/schemas.controller.js';
import { ATTESTING } from './interactions/attesting.js';
import { InteractionsModule } from './interactions/interactions.module.js';
import { BACKEND_TOKEN_SIGNING } from './invocations/backends/backend-token-signing.js';
import type { Clock } from './kernel/timestamp.js';
import type { ReadModel } from './projections/port.js';
import { READ_MODEL } from './projections/tokens.js';

/** What stands before the container is built: opened, checked, and closed by `service.ts`. */
export interface Parts {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly eventStore: EventStore;
  readonly keyStore: KeyStore;
  readonly readModel: ReadModel;
  readonly keyring: PlatformKeyring;
  readonly health: HealthRegistry;
  readonly transparencyLog: {
    readonly log: PublishedLog;
    readonly cosigning: Cosigning;
    readonly start: () => void;
  };
  readonly taskService: TaskService;
  readonly textClassifier: TextClassifier;
  readonly handlers: HandlersOfAgents;
}

/** Hands the parts to every context, under the names of their ports. */
@Global()
@Module({})
class PartsModule {
  static with(parts: Parts): DynamicModule {
    const providers = [
      { provide: CONFIG, useValue: parts.config },
      { provide: CLOCK, useValue: parts.clock },
      { provide: RANDOM_BYTES, useValue: parts.random },
      { provide: EVENT_STORE, useValue: parts.eventStore },
      { provide: KEY_STORE, useValue: parts.keyStore },
      { provide: READ_MODEL, useValue: parts.readModel },
      { provide: PlatformKeyring, useValue: parts.keyring },
      { provide: ATTESTING, useExisting: PlatformKeyring },
      { provide: CHECKPOINT_SIGNING, useExisting: PlatformKeyring },
      { provide: PublishedLog, useValue: parts.transparencyLog.log },
      { provide: TRANSPARENCY_LOG, useExisting: PublishedLog },
      { provide: Cosigning, useValue: parts.transparencyLog.cosigning },
      { provide: HealthRegistry, useValue: parts.health },
      { provide: HOSTED_AGENTS, useValue: parts.config.a2a.agents },
      { provide: HANDLERS_OF_AGENTS, useValue: parts.handlers },
      { provide: CARD_SIGNING, useExisting: PlatformKeyring },
      { provide: BACKEND_TOKEN_SIGNING, useExisting: PlatformKeyring },
      { provide: TASKS, useValue: parts.taskService.tasks },
      { provide: PUSH_CONFIGS, useValue: parts.taskService.pushConfigs },
      { provide: TEXT_CLASSIFIER, useValue: parts.textClassifier },
    ];
    return { module: PartsModule, providers, exports: providers };
  }
}

@Module({})
export class AppModule {
  static with(parts: Parts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PartsModule.with(parts),
        CqrsModule.forRoot(),
        AgentsModule,
        InteractionsModule,
        CapabilitiesModule,
        A2aModule.with(parts.handlers),
        AuditModule,
      ],
      controllers: [
        HealthController,
        PlatformKeysController,
        ProblemPagesController,
        SchemasController,
      ],
    };
  }
}
