import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actingAs } from '../../agents/domain/acting.js';
import type { Executed } from '../../event-store/command-execution.js';
import type { Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import type { Interaction } from '../domain/interaction.js';
import { interactionStream } from '../domain/stream.js';
import { InteractionExecution } from '../interaction-execution.js';
import { DecisionContexts } from './decision-contexts.js';
import { PerformInteractionCommand } from './perform-interaction-command.js';

/** The one way of every interaction command to its events; the decider is in `domain/decide.ts`. */
@CommandHandler(PerformInteractionCommand)
export class PerformInteractionCommandHandler implements ICommandHandler<PerformInteractionCommand> {
  constructor(
    private readonly execution: InteractionExecution,
    private readonly contexts: DecisionContexts,
  ) {}

  async execute(
    performed: PerformInteractionCommand,
  ): Promise<Result<Executed<Interaction>, Rejection>> {
    const { interactionId, command, envelope } = performed;
    const executed = await this.execution.execute(
      interactionStream(interactionId),
      command,
      envelope,
      (state, now) => this.contexts.prepare(performed, state, now),
    );
    if (!executed.ok) return executed;
    const { state, revision, position, replayed } = executed.value;
    if (state === undefined) throw new Error(`${interactionId} has a command but no proposal`);
    if (replayed && !(await this.#mayHear(performed))) {
      return err({
        code: command.kind === 'propose' ? 'not-acting-agent' : 'interaction-not-found',
      });
    }
    return ok({ state, revision, position, replayed });
  }

  /**
   * A replayed command was not judged again: whether this token may act for the agent is asked
   * here, since its principal may have acted through another client, or may no longer act.
   */
  async #mayHear({ command, caller }: PerformInteractionCommand): Promise<boolean> {
    if (caller === undefined || !('agentId' in command)) return true;
    const agent = await this.contexts.agent(command.agentId);
    return agent !== undefined && actingAs(caller, agent) !== undefined;
  }
}
