import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { commandEnvelopeOf } from '../http/command-envelope.js';
import { interactionEtag } from '../http/etag.js';
import { inTermsOf, namedHead } from '../http/named-head.js';
import { orReject, RejectionException } from '../http/rejection-exception.js';
import type { Plain } from '../http/plain.js';
import { writeAnswer } from '../http/write-answer.js';
import type { WriteRequest } from '../http/write-request.js';
import type { Executed } from '../event-store/command-execution.js';
import type { FederatedInteraction } from '../kernel/federated-interaction.js';
import type { InteractionId } from '../kernel/ids.js';
import type { Head, Rejection } from '../kernel/rejection.js';
import type { Result } from '../kernel/result.js';
import { ContractAdvice } from './contract-advice.js';
import { DueExpiries } from './due-expiries.js';
import { PerformInteractionCommand } from './commands/perform-interaction-command.js';
import type { CommandOf, InteractionCommand } from './domain/commands.js';
import { headOf, headText } from './domain/head.js';
import type { Interaction } from './domain/interaction.js';
import { newestRevision } from './domain/revisions.js';
import type { ActOnExistingBody } from './dto/acts.js';
import type { ConsentToErasureBody } from './dto/command-bodies.js';
import { erasureConsentsDocument, type ErasureConsentsDocument } from './dto/erasure-documents.js';
import { erasureConsentOf } from './dto/to-command.js';
import { warningsHeader } from './dto/warnings.js';
import { interactionIdOf, wireDocumentOf } from './dto/wire-document.js';

/** Reads a command off a checked body, written against a head. */
type MakeCommand<Body> = (body: Body, head: Head) => Result<InteractionCommand, Rejection>;

/**
 * The way from the controller to the command bus, and of the answer to the client. It is made of the
 * interaction as of the command's last event, so that every retry has the same: the wire document, or
 * for a consent to erasure the consents. Once the texts are erased, that document is refused with
 * `interaction-erased`.
 */
@Injectable()
export class InteractionWrites {
  constructor(
    private readonly commands: CommandBus,
    private readonly advice: ContractAdvice,
    private readonly expiries: DueExpiries,
  ) {}

  /** Answers 201 with the address of the new interaction, and warnings of its terms. */
  async propose(write: WriteRequest, command: CommandOf<'propose'>): Promise<FederatedInteraction> {
    const performed = await this.#perform(write, command.interactionId, command, null);
    const executed = orReject(performed);
    this.#warn(write, executed);
    return this.#answer(write, executed, (path) => path);
  }

  /** Answers 201 with the address of the new revision, and warnings of its terms. */
  async revise<Body extends ActOnExistingBody>(
    write: WriteRequest,
    id: string,
    body: Body,
    make: MakeCommand<Body>,
  ): Promise<FederatedInteraction> {
    const executed = await this.#onExisting(write, id, body, make);
    const { revision } = newestRevision(executed.state);
    this.#warn(write, executed);
    return this.#answer(write, executed, (path) => `${path}/revisions/${String(revision)}`);
  }

  /** Answers 201 with the address of the acceptances. */
  async accept<Body extends ActOnExistingBody>(
    write: WriteRequest,
    id: string,
    body: Body,
    make: MakeCommand<Body>,
  ): Promise<FederatedInteraction> {
    const executed = await this.#onExisting(write, id, body, make);
    return this.#answer(write, executed, (path) => `${path}/acceptances`);
  }

  /** Answers 200: the act changes the interaction and has no address of its own. */
  async change<Body extends ActOnExistingBody>(
    write: WriteRequest,
    id: string,
    body: Body,
    make: MakeCommand<Body>,
  ): Promise<FederatedInteraction> {
    return this.#answer(write, await this.#onExisting(write, id, body, make));
  }

  /**
   * Answers 201 with the address of the consents, and with them: the last one may have cost the wire
   * document its texts by now. A head may be named and need not be, since nothing moves it any more.
   */
  async consentToErasure(
    write: WriteRequest,
    id: string,
    body: ConsentToErasureBody,
  ): Promise<Plain<ErasureConsentsDocument>> {
    const interactionId = interactionIdOf(id);
    const { ifMatch } = write.request;
    const isNamed = ifMatch !== null || body.head !== undefined;
    const named = isNamed ? orReject(namedHead(body.head, ifMatch)) : undefined;
    const command = erasureConsentOf(body, named?.head);
    const executed = await this.#perform(write, interactionId, command, named?.head ?? null);
    if (!executed.ok) {
      throw new RejectionException(inTermsOf(named?.by ?? 'body', executed.error));
    }
    const path = `/v1/interactions/${interactionId}/erasure-consents`;
    this.#tell(write, executed.value, path);
    return erasureConsentsDocument(executed.value.state);
  }

  /** Refuses with `head-required`, and in terms of `If-Match` where the head came from there. */
  async #onExisting<Body extends ActOnExistingBody>(
    write: WriteRequest,
    id: string,
    body: Body,
    make: MakeCommand<Body>,
  ): Promise<Executed<Interaction>> {
    const interactionId = interactionIdOf(id);
    const { head, by } = orReject(namedHead(body.head, write.request.ifMatch));
    const command = orReject(make(body, head));
    const executed = await this.#perform(write, interactionId, command, head);
    if (!executed.ok) throw new RejectionException(inTermsOf(by, executed.error));
    return executed.value;
  }

  async #perform(
    { request, raw }: WriteRequest,
    interactionId: InteractionId,
    command: InteractionCommand,
    head: Head | null,
  ): Promise<Result<Executed<Interaction>, Rejection>> {
    const envelope = commandEnvelopeOf(request, {
      kind: command.kind,
      target: interactionId,
      body: raw,
      head: head && headText(head),
      isHeadNamed: true,
    });
    const perform = (): Promise<Result<Executed<Interaction>, Rejection>> =>
      this.commands.execute(
        new PerformInteractionCommand(interactionId, command, request.caller, envelope),
      );
    const performed = await perform();
    if (performed.ok || performed.error.code !== 'interaction-ended') return performed;
    // Perhaps by an expiry that the log does not hold yet: told of it is who finds it there.
    await this.expiries.record(interactionId);
    return await perform();
  }

  /** Of the terms that the command proposed. */
  #warn({ request, reply }: WriteRequest, { state }: Executed<Interaction>): void {
    const warnings = this.advice.warningsOn(state, newestRevision(state), request.caller);
    reply.headers(warningsHeader(warnings));
  }

  #answer(
    write: WriteRequest,
    executed: Executed<Interaction>,
    location?: (path: string) => string,
  ): FederatedInteraction {
    const { state } = executed;
    const document = wireDocumentOf(state);
    this.#tell(write, executed, location?.(`/v1/interactions/${state.interactionId}`));
    return document;
  }

  #tell(
    { reply }: WriteRequest,
    { state, position, replayed }: Executed<Interaction>,
    location: string | undefined,
  ): void {
    writeAnswer(reply, {
      position,
      replayed,
      etag: interactionEtag(state, headOf(state)),
      ...(location !== undefined && { location }),
    });
  }
}
