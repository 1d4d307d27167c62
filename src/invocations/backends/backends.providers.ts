import type { Provider } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DirectBackends } from '../../capabilities/queries/direct-backends.js';
import type { Config } from '../../config/config.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { CLOCK, CONFIG, HOSTED_AGENTS, RANDOM_BYTES } from '../../config/tokens.js';
import type { RandomBytes } from '../../event-store/command-execution.js';
import { HANDLERS_OF_AGENTS, type HandlersOfAgents } from '../../handlers/handlers-of-agents.js';
import { chanceOf } from '../../kernel/chance.js';
import type { Clock } from '../../kernel/timestamp.js';
import { Backends } from '../commands/backends.js';
import { CallTokens } from '../commands/call-tokens.js';
import { BackendSummaries } from './backend-summaries.js';
import { BACKEND_TOKEN_SIGNING, type BackendTokenSigning } from './backend-token-signing.js';
import { BackendTokens } from './backend-tokens.js';
import { BoundBackends } from './bound-backends.js';

/**
 * What calls backends. They want Nest's `DiscoveryModule`, `BACKEND_TOKEN_SIGNING`, `CONFIG`, `CLOCK`,
 * `RANDOM_BYTES`, `HOSTED_AGENTS` and `HANDLERS_OF_AGENTS`.
 */
export const BACKEND_PROVIDERS: readonly Provider[] = [
  {
    provide: BackendTokens,
    inject: [BACKEND_TOKEN_SIGNING, CONFIG, CLOCK, RANDOM_BYTES],
    useFactory: (
      signing: BackendTokenSigning,
      { publicBaseUrl }: Config,
      clock: Clock,
      random: RandomBytes,
    ) => new BackendTokens(signing, publicBaseUrl, clock, random),
  },
  { provide: CallTokens, useExisting: BackendTokens },
  {
    provide: Backends,
    inject: [
      DiscoveryService,
      HOSTED_AGENTS,
      HANDLERS_OF_AGENTS,
      BackendTokens,
      CLOCK,
      RANDOM_BYTES,
    ],
    useFactory: (
      discovery: DiscoveryService,
      hosted: readonly HostedAgent[],
      handlers: HandlersOfAgents,
      tokens: BackendTokens,
      clock: Clock,
      random: RandomBytes,
    ) => new BoundBackends(discovery, hosted, handlers, tokens, clock, chanceOf(random)),
  },
  {
    provide: DirectBackends,
    inject: [Backends],
    useFactory: (backends: Backends) => new BackendSummaries(backends),
  },
];
