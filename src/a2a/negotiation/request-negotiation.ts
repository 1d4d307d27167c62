import type { AgentExtension } from '../../capabilities/domain/agent-card.js';
import type { HostedAgent } from '../../config/hosted-agents.js';
import type { Result } from '../../kernel/result.js';
import type { A2aRefusal } from '../wire/refusal.js';
import { negotiateExtensions } from './extensions.js';
import { negotiateVersion, type ReceivedValue } from './version.js';

/** What a deployment negotiates with a request before anything else is looked at. */
export class RequestNegotiation {
  readonly #declared: readonly string[];
  readonly #required: readonly string[];

  /** @param extensions as its cards declare them */
  constructor(extensions: readonly AgentExtension[]) {
    this.#declared = extensions.map(({ uri }) => uri);
    this.#required = extensions.flatMap(({ uri, required }) => (required === true ? [uri] : []));
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
