import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import { CONFIG } from '../../config/tokens.js';
import type { Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { declaredExtensions } from '../../capabilities/domain/card-extensions.js';
import { negotiateExtensions } from './extensions.js';
import { negotiateVersion, type ReceivedValue } from './version.js';

/** What this deployment negotiates with a request before anything else is looked at. */
@Injectable()
export class RequestNegotiation {
  readonly #declared: readonly string[];
  readonly #required: readonly string[];

  constructor(@Inject(CONFIG) { a2a }: Config) {
    this.#declared = declaredExtensions(a2a).map(({ uri }) => uri);
    this.#required = a2a.requiredExtensions;
  }

  /** See {@link negotiateVersion}; undefined when the version is served. */
  version(header: ReceivedValue, queryValue: ReceivedValue): A2aRefusal | undefined {
    const version = negotiateVersion(header, queryValue);
    return version.ok ? undefined : version.error;
  }

  /** See {@link negotiateExtensions}; every hosted agent declares the same ones. */
  extensions(_agent: HostedAgent, header: ReceivedValue): Result<ReadonlySet<string>, A2aRefusal> {
    return negotiateExtensions(header, this.#declared, this.#required);
  }
}
