import type { Provider } from '@nestjs/common';
import { CapabilityRegistry } from '../../capabilities/queries/capability-registry.js';
import { SchemaJudges } from '../../capabilities/queries/schemas/schema-judges.js';
import type { Config } from '../../config/config.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { CLOCK, CONFIG, HOSTED_AGENTS } from '../../config/tokens.js';
import { logReport } from '../../http/fault-log.js';
import type { Clock } from '../../kernel/timestamp.js';
import type { Tasks } from '../tasks/port.js';
import { TASKS, TEXT_CLASSIFIER } from '../tokens.js';
import { ClassifierAdvice } from './classifier-advice.js';
import { ClassifierFeed } from './classifier-feed.js';
import { RoutingExplanations } from './explanations.js';
import { InputSchemas } from './input-schemas.js';
import { MessageRouter } from './message-router.js';
import { ModelRouter } from './model-router.js';
import type { TextClassifier } from './text-classifier.js';

/**
 * What finds out what messages are for. They want `CapabilityRegistry`, `SchemaJudges`,
 * `TEXT_CLASSIFIER`, `TASKS`, `HOSTED_AGENTS`, `CONFIG` and `CLOCK`. `ClassifierAdvice` is a part of the
 * capabilities' `RegistrationAdvice`.
 */
export const ROUTING_PROVIDERS: readonly Provider[] = [
  {
    provide: InputSchemas,
    inject: [SchemaJudges],
    useFactory: (judges: SchemaJudges) => new InputSchemas(judges),
  },
  {
    provide: ClassifierFeed,
    inject: [CapabilityRegistry, TEXT_CLASSIFIER, InputSchemas, HOSTED_AGENTS],
    useFactory: (
      registry: CapabilityRegistry,
      classifier: TextClassifier,
      schemas: InputSchemas,
      hosted: readonly HostedAgent[],
    ) =>
      new ClassifierFeed({
        registry,
        classifier,
        prepare: (capabilities) => schemas.prepare(capabilities),
        agents: hosted.map(({ agentId }) => agentId),
        report: logReport,
      }),
  },
  {
    provide: MessageRouter,
    inject: [ClassifierFeed, InputSchemas, CONFIG, CLOCK],
    useFactory: (
      classifier: ClassifierFeed,
      schemas: InputSchemas,
      { a2a }: Config,
      clock: Clock,
    ) =>
      new MessageRouter({
        classifier,
        model: a2a.modelRouter && new ModelRouter(a2a.modelRouter, clock, logReport),
        fits: schemas.fits,
        threshold: a2a.routingThreshold,
      }),
  },
  {
    provide: RoutingExplanations,
    inject: [CapabilityRegistry, MessageRouter, TASKS],
    useFactory: (registry: CapabilityRegistry, router: MessageRouter, tasks: Tasks) =>
      new RoutingExplanations(registry, router, tasks),
  },
  {
    provide: ClassifierAdvice,
    inject: [ClassifierFeed],
    useFactory: (feed: ClassifierFeed) => new ClassifierAdvice(feed),
  },
];
