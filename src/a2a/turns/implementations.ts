import type { Capability } from '../../capabilities/domain/capability.js';
import type { SchemaJudges } from '../../capabilities/queries/schemas/schema-judges.js';
import type { Backends } from '../../invocations/commands/backends.js';
import { hashJson } from '../../kernel/digest.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Reporter } from '../../kernel/reporter.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { acceptedModes, jsonModes } from '../routing/media-types.js';
import { noneProduced } from '../routing/routing-refusals.js';
import type { A2aRefusal } from '../wire/refusal.js';
import type { Message } from '../wire/types.js';
import { backendArguments } from '../handlers/backend-arguments.js';
import { BackendImplementation } from '../handlers/backend-implementation.js';
import type { CapabilityImplementation } from '../handlers/capability-call.js';
import { notImplemented, tokenRequired } from './execution-refusals.js';
import type { Handlers } from '../handlers/handler-registry.js';
import { sizeRefusal } from './limits.js';
import type { ReceivedMessage } from './received-message.js';
import type { PlannedCall } from './turn-plan.js';

/** What can run a message that was routed. */
interface ImplementationParts {
  readonly handlers: Handlers;
  /** Of capabilities that have no handler. */
  readonly backends: Backends;
  readonly schemas: SchemaJudges;
  readonly report: Reporter;
}

/** What a message runs on, and by which digest it goes on record what that gets. */
type Found = Pick<
  PlannedCall,
  'implementation' | 'handler' | 'outputModes' | 'argumentsDigest' | 'takesArguments'
>;

/** What is to be run, and for which message. */
export interface Wanted {
  readonly capability: Capability;
  /** Of the task that the message goes on with, which stays with it; null: the manifest's. */
  readonly handler: string | null;
  /** What the implementation gets: what was sent, with what was said before it. */
  readonly message: Message;
  /** Media types that the client accepts; absent: all. */
  readonly accepted: readonly string[] | undefined;
}

/** What runs it, and the arguments that it gets; null: it gets the message. */
interface Runner {
  readonly implementation: CapabilityImplementation;
  readonly given: JsonObject | null;
}

/**
 * Finds what runs a routed message: the capability's handler; where there is none, its backend, if the
 * message holds what that takes.
 */
export class Implementations {
  constructor(private readonly parts: ImplementationParts) {}

  /**
   * Refuses with InvalidParams `message-too-large`, `too-many-parts`, `data-unfit`,
   * UnsupportedOperation `handler-absent`, `token-required`, and ContentTypeNotSupported
   * `output-modes-unmet`.
   */
  find(received: ReceivedMessage, wanted: Wanted): Result<Found, A2aRefusal> {
    const { capability, message, accepted } = wanted;
    const { agentId, skill } = capability.manifest;
    const handler = wanted.handler ?? capability.manifest.handler;
    const tooBig = sizeRefusal(capability.manifest, message);
    if (tooBig !== undefined) return err(tooBig);
    const own = this.parts.handlers.get(agentId, handler);
    const found: Result<Runner, A2aRefusal> =
      own === undefined
        ? this.#onBackend(received, wanted, handler)
        : ok({ implementation: own, given: null });
    if (!found.ok) return found;
    const { implementation, given } = found.value;
    const takesArguments = given !== null;
    const produced = takesArguments ? jsonModes(skill.outputModes) : skill.outputModes;
    const outputModes = acceptedModes(produced, accepted);
    if (outputModes.length === 0) return err(noneProduced(capability, produced));
    const argumentsDigest = takesArguments ? hashJson(given) : digestOf(received, message);
    return ok({ implementation, handler, outputModes, argumentsDigest, takesArguments });
  }

  #onBackend(
    { request: { caller, traceparent }, params }: ReceivedMessage,
    { capability, message }: Wanted,
    handler: string,
  ): Result<Runner, A2aRefusal> {
    const { backends, schemas, report } = this.parts;
    const { agentId, directInvoke } = capability.manifest;
    const backend = backends.get(agentId, handler);
    if (backend === undefined || directInvoke === null) return err(notImplemented(capability));
    if (caller === null && !directInvoke.allowUnauthenticated) {
      return err(tokenRequired(capability));
    }
    const judge = schemas.of(directInvoke.inputSchema);
    const given = backendArguments(message, params.message, judge);
    if (!given.ok) return given;
    const output = schemas.of(directInvoke.outputSchema);
    const implementation = new BackendImplementation({
      ...{ backend, arguments: given.value, traceId: null, traceparent, output, report },
    });
    return ok({ implementation, given: given.value });
  }
}

/** Of what a handler gets. The digest of what was sent is known already. */
function digestOf(received: ReceivedMessage, message: Message): string {
  return message === received.params.message ? received.digest : hashJson(message);
}
