import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { commandEnvelopeOf } from '../http/command-envelope.js';
import type { Plain } from '../http/plain.js';
import { orReject } from '../http/rejection-exception.js';
import { writeAnswer } from '../http/write-answer.js';
import type { WriteRequest } from '../http/write-request.js';
import { agentEtag, agreeingRevision } from './agent-etag.js';
import { PerformAgentCommand } from './commands/perform-agent-command.js';
import type { AgentChange, AgentCommand } from './domain/commands.js';
import { agentDocument, type AgentDocument } from './dto/agent-document.js';

/** The way of the agents' controllers to the command bus, and of its answer to the client. */
@Injectable()
export class AgentWrites {
  constructor(private readonly commands: CommandBus) {}

  /** Answers 201 with the address of the new agent. */
  async register(
    write: WriteRequest,
    command: Extract<AgentCommand, { kind: 'register' }>,
  ): Promise<Plain<AgentDocument>> {
    return await this.#perform(write, command, null, `/v1/agents/${command.agentId}`);
  }

  /** Answers 200. Refuses besides with `request-invalid` when `If-Match` names another revision. */
  async change(write: WriteRequest, command: AgentChange): Promise<Plain<AgentDocument>> {
    const { expectedRevision } = command;
    orReject(agreeingRevision(expectedRevision, write.request.ifMatch));
    return await this.#perform(write, command, String(expectedRevision));
  }

  async #perform(
    { request, reply, raw }: WriteRequest,
    command: AgentCommand,
    head: string | null,
    location?: string,
  ): Promise<Plain<AgentDocument>> {
    const { kind, agentId: target } = command;
    const envelope = commandEnvelopeOf(request, { kind, target, body: raw, head });
    const executed = orReject(
      await this.commands.execute(new PerformAgentCommand(command, request.caller, envelope)),
    );
    const { position, replayed, revision } = executed;
    const etag = agentEtag(revision);
    writeAnswer(reply, {
      position,
      replayed,
      etag,
      ...(location === undefined ? {} : { location }),
    });
    return agentDocument(executed.state, request.caller);
  }
}
