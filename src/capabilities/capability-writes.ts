import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Executed } from '../event-store/command-execution.js';
import { commandEnvelopeOf } from '../http/command-envelope.js';
import type { Plain } from '../http/plain.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import { writeAnswer } from '../http/write-answer.js';
import type { WriteRequest } from '../http/write-request.js';
import type { Rejection } from '../kernel/rejection.js';
import type { Result } from '../kernel/result.js';
import { capabilityEtag, inTermsOf, namedRevision } from './capability-revision.js';
import { PerformCapabilityCommand } from './commands/perform-capability-command.js';
import type { Capability } from './domain/capability.js';
import { targetOf, type CapabilityCommand, type CommandOf } from './domain/commands.js';
import {
  writtenCapabilityDocument,
  type WrittenCapabilityDocument,
} from './dto/capability-document.js';
import { RegistrationAdvice } from './queries/registration-advice.js';

type Answer = Promise<Plain<WrittenCapabilityDocument>>;

/** The way of the capabilities' controllers to the command bus, and of its answer to the client. */
@Injectable()
export class CapabilityWrites {
  constructor(
    private readonly commands: CommandBus,
    private readonly advice: RegistrationAdvice,
  ) {}

  /** Answers 201 with the address of the new capability. */
  async register(write: WriteRequest, command: CommandOf<'register'>): Answer {
    const { agentId, skillId } = targetOf(command);
    const executed = orReject(await this.#perform(write, command, null));
    return await this.#answer(write, executed, `/v1/capabilities/${agentId}/${skillId}`);
  }

  /**
   * Answers 200. Refuses besides with the codes of {@link namedRevision}, and in terms of `If-Match`
   * where the revision came from there.
   */
  async change(
    write: WriteRequest,
    expected: number | undefined,
    make: (expectedRevision: number) => CommandOf<'revise' | 'change-state'>,
  ): Answer {
    const { revision, by } = orReject(namedRevision(expected, write.request.ifMatch));
    const executed = await this.#perform(write, make(revision), revision, true);
    if (!executed.ok) throw new RejectionException(inTermsOf(by, executed.error));
    return await this.#answer(write, executed.value);
  }

  /**
   * Answers 200. Twice is once, whatever happened in between.
   * @param seen revision at which the request found the capability: after a change the same request
   * is another one
   */
  async optInOrOut(
    write: WriteRequest,
    command: CommandOf<'opt-in' | 'opt-out'>,
    seen: number,
  ): Answer {
    return await this.#answer(write, orReject(await this.#perform(write, command, seen)));
  }

  #perform(
    { request, raw }: WriteRequest,
    command: CapabilityCommand,
    head: number | null,
    isHeadNamed?: true,
  ): Promise<Result<Executed<Capability>, Rejection>> {
    const { agentId, skillId } = targetOf(command);
    const envelope = commandEnvelopeOf(request, {
      kind: command.kind,
      target: `${agentId}/${skillId}`,
      body: raw,
      head: head === null ? null : String(head),
      ...(isHeadNamed && { isHeadNamed }),
    });
    return this.commands.execute(new PerformCapabilityCommand(command, request.caller, envelope));
  }

  async #answer(
    { reply }: WriteRequest,
    { state, revision, position, replayed }: Executed<Capability>,
    location?: string,
  ): Answer {
    const { agentId, id } = state.manifest;
    const warnings = await this.advice.warningsFor(agentId, id);
    writeAnswer(reply, {
      position,
      replayed,
      etag: capabilityEtag(revision),
      ...(location === undefined ? {} : { location }),
    });
    return writtenCapabilityDocument(state, warnings);
  }
}
