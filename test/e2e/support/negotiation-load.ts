import { randomUUID } from 'node:crypto';
import { commandIdentity } from '../../../src/event-store/command-execution.js';
import type { FederatedInteraction } from '../../../src/kernel/federated-interaction.js';
import type { Answer } from '../../support/service.js';
import type { Cluster } from './cluster.js';
import { contractOf, documentOf, inFuture, newest, pathOf, type Negotiator } from './negotiator.js';

/** A write as its client knows it. */
export interface SentWrite {
  /** The id under which its events must be in the log, if any. */
  readonly commandId: string;
  readonly interactionId: string;
  readonly act: string;
  /** HTTP status of the answer that settled it. */
  readonly status: number;
}

/** The writes of one race: all against one head, of which one may win. */
export type Race = readonly SentWrite[];

/** Beyond what a killed node needs to come back: most lapse while all are busy. */
const LAPSES_AFTER_MS = 4_000;

/**
 * Agents that negotiate through all nodes of a cluster at once: each step of an interaction at
 * another node, each request repeated until it is answered.
 */
export class NegotiationLoad {
  readonly writes: SentWrite[] = [];
  readonly races: Race[] = [];
  /** Interactions that nobody answers. */
  readonly lapsing: string[] = [];
  /** Interactions with {@link trusting}, whose policy accepts them. */
  readonly trusted: string[] = [];
  #stopped = false;
  #steps = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly alpha: Negotiator,
    private readonly beta: Negotiator,
    private readonly trusting: Negotiator,
  ) {}

  /** Negotiates until {@link stop}, so many interactions at a time. */
  async run(atOnce: number): Promise<void> {
    await Promise.all(
      Array.from({ length: atOnce }, async (_, worker) => {
        for (let round = worker; !this.#stopped; round++) await this.#negotiate(round % 4);
      }),
    );
  }

  /** What is under way is brought to its end. */
  stop(): void {
    this.#stopped = true;
  }

  async #negotiate(kind: number): Promise<void> {
    if (kind === 0) await this.#race();
    else if (kind === 1) await this.#complete();
    else if (kind === 2) await this.#lapse();
    else this.trusted.push((await this.#propose(this.trusting)).interactionId);
  }

  /** A proposal that nobody answers; one that came too late to be taken is none. */
  async #lapse(): Promise<void> {
    const { alpha, beta } = this;
    const terms = contractOf([alpha, beta]);
    const body = alpha.proposal(terms, beta, inFuture(LAPSES_AFTER_MS));
    const { write } = await this.#write(alpha, terms, '', body);
    if (write.status === 201) this.lapsing.push(terms.interactionId);
  }

  /** Accept, revise and cancel at once, at three nodes. */
  async #race(): Promise<void> {
    const { alpha, beta } = this;
    const pending = await this.#propose(beta);
    const terms = { ...newest(pending).contract, retentionDays: 1 };
    const first = this.#steps++;
    const sent = await Promise.all([
      this.#write(beta, pending, 'acceptances', beta.consent(pending), first),
      this.#write(beta, pending, 'revisions', beta.revision(pending, terms), first + 1),
      this.#write(alpha, pending, 'cancellation', alpha.cancellation(pending), first + 2),
    ]);
    this.races.push(sent.map(({ write }) => write));
  }

  /** From the proposal to both reports. */
  async #complete(): Promise<void> {
    const { alpha, beta } = this;
    const pending = await this.#propose(beta);
    const agreed = await this.#succeed(beta, pending, 'acceptances', beta.consent(pending));
    const reported = await this.#succeed(alpha, agreed, 'completion', alpha.completion(agreed));
    await this.#succeed(beta, reported, 'completion', beta.completion(reported));
  }

  async #propose(responder: Negotiator): Promise<FederatedInteraction> {
    const terms = contractOf([this.alpha, responder]);
    return this.#succeed(this.alpha, terms, '', this.alpha.proposal(terms, responder));
  }

  async #succeed(
    who: Negotiator,
    interaction: { readonly interactionId: string },
    act: string,
    body: object,
  ): Promise<FederatedInteraction> {
    return documentOf((await this.#write(who, interaction, act, body)).answer);
  }

  /** @param act the last part of its path; empty for a proposal */
  async #write(
    who: Negotiator,
    { interactionId }: { readonly interactionId: string },
    act: string,
    body: object,
    first = this.#steps++,
  ): Promise<{ readonly answer: Answer; readonly write: SentWrite }> {
    const idempotencyKey = randomUUID();
    const path = act === '' ? '/v1/interactions' : `${pathOf({ interactionId })}/${act}`;
    const headers = { 'idempotency-key': idempotencyKey };
    const answer = await this.cluster.settle(first, async (node) =>
      who.at(node).post(path, body, { headers }),
    );
    const { client: principal, agentId: agent, tenant } = who;
    const actor = { principal, agent, tenant };
    const content = { kind: '', target: '', body: null };
    const { commandId } = commandIdentity({ actor, idempotencyKey, content, head: null });
    const write = { commandId, interactionId, act, status: answer.status };
    this.writes.push(write);
    return { answer, write };
  }
}
