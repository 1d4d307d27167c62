import { Injectable } from '@nestjs/common';
import type { CommandEnvelope, Executed } from '../../event-store/command-execution.js';
import type { Caller } from '../../kernel/caller.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import { CapabilityExecution } from '../capability-execution.js';
import type { Capability } from '../domain/capability.js';
import { targetOf, type CapabilityCommand } from '../domain/commands.js';
import { capabilityStream } from '../domain/stream.js';
import { CapabilityContexts } from './capability-contexts.js';

/** Commands on capabilities, whoever gives them; publishing cards is left to the caller. */
@Injectable()
export class CapabilityCommands {
  constructor(
    private readonly execution: CapabilityExecution,
    private readonly contexts: CapabilityContexts,
  ) {}

  /**
   * Refuses with the codes of the decider and of `CommandExecution`, and `projection-behind` (a
   * removal needs figures of usage, a restriction all that might point to it). Whether schemas compile is found where manifests are read
   * (`read-manifest.ts`).
   *
   * @param caller null: the deployment itself
   */
  async perform(
    command: CapabilityCommand,
    caller: Caller | null,
    envelope: CommandEnvelope,
  ): Promise<Result<Executed<Capability>, Rejection>> {
    const { agentId, skillId } = targetOf(command);
    const stream = capabilityStream(agentId, skillId);
    const executed = await this.execution.execute(
      stream,
      command,
      envelope,
      async (state, now) => await this.contexts.prepare(command, state, caller, now),
    );
    if (!executed.ok) return executed;
    const { state } = executed.value;
    if (state === null) throw new Error(`${stream} has a command but no registration`);
    return ok({ ...executed.value, state });
  }
}
