import type { EventEnvelope } from '../../../kernel/envelope.js';
import { failure, type Flaw } from '../check-result.js';
import { isSameCommand } from './same-command.js';

/** What the commands of one agent's stream were told apart by so far: nothing of it comes again. */
export class AgentCommands {
  readonly #ids = new Set<string>();
  readonly #changeHashes = new Set<string>();

  /**
   * Takes the next event, which has a command of its own.
   *
   * @param opening the event before it, where its command may go on with this one
   */
  take(envelope: EventEnvelope, opening: EventEnvelope | null): Flaw | undefined {
    const { commandId } = envelope.metadata;
    if (opening !== null && isSameCommand(opening, envelope)) return undefined;
    if (this.#ids.has(commandId)) return failure('command-repeated', commandId);
    this.#ids.add(commandId);
    return undefined;
  }

  /** A request names the revision that it changes: it fits once, and its signature entitles once. */
  takeRequest(changeHash: string): Flaw | undefined {
    if (this.#changeHashes.has(changeHash)) return failure('change-repeated', changeHash);
    this.#changeHashes.add(changeHash);
    return undefined;
  }
}
