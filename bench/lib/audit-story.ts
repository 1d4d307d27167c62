import { randomUUID } from 'node:crypto';
import type { OutcomeReport } from '../../src/interactions/domain/outcome-report.js';
import { acceptanceStatement, consentToRevision } from '../../src/interactions/domain/consent.js';
import { revisionDocument } from '../../src/interactions/domain/document.js';
import type { InteractionEvent } from '../../src/interactions/domain/events.js';
import { evolve } from '../../src/interactions/domain/evolve.js';
import type { Interaction } from '../../src/interactions/domain/interaction.js';
import { newestRevision } from '../../src/interactions/domain/revisions.js';
import { attestRevision } from '../../src/kernel/attestation.js';
import { ERASED } from '../../src/kernel/event.js';
import type { Contract } from '../../src/kernel/federated-interaction.js';
import type { InteractionId, Uuid } from '../../src/kernel/ids.js';
import {
  makeStatement,
  reasonHash,
  reportHash,
  type CancellationStatement,
  type CompletionStatement,
  type RejectionStatement,
} from '../../src/kernel/statements.js';
import { termsHash } from '../../src/kernel/terms.js';
import { millisecondsOf, timestampOf, type Timestamp } from '../../src/kernel/timestamp.js';
import { AUDIT_AUDIENCE, type LoggedAgent, type SigningKey } from './audit-agents.js';

const EXPIRES_AT = '2030-06-01T00:00:00.000Z' as Timestamp;
/** No act follows another sooner. */
const SOON_MS = 10;
const TRANSPORT = {
  protocol: 'A2A/1.0',
  protocolBinding: 'JSONRPC',
  endpoint: 'https://gateway.example/a2a/agent',
  managedBy: 'agent',
} as const;

/** One interaction as its parties and the platform would have made it: every hash and signature fits. */
export class AuditStory {
  readonly #id = randomUUID() as string as InteractionId;
  #state: Interaction | undefined;
  #expiresAt = EXPIRES_AT;

  /**
   * @param parties the first one proposes
   * @param attesting the platform's
   * @param now the moment at which the next event is recorded
   */
  constructor(
    private readonly parties: readonly LoggedAgent[],
    private readonly attesting: SigningKey,
    private readonly now: () => Timestamp,
  ) {}

  get interactionId(): InteractionId {
    return this.#id;
  }

  /**
   * Acts, each with its events, made when their turn has come; `dice` from 0 to 1 says how the
   * interaction goes. The mix is that of `growReplayLog`.
   */
  *acts(dice: number): Generator<readonly InteractionEvent[], void> {
    const [alpha, beta] = this.parties as readonly [LoggedAgent, LoggedAgent];
    const others = this.parties.slice(1);
    const expires = dice >= 0.1 && dice < 0.15;
    if (expires) this.#expiresAt = timestampOf(millisecondsOf(this.now()) + SOON_MS);
    yield this.#record(this.#propose(alpha, 1));
    if (dice < 0.1) {
      yield this.#record(this.#reject(beta));
    } else if (expires) {
      const data = { interactionId: this.#id, effectiveAt: this.#expiresAt };
      yield this.#record({ type: 'interaction-expired', data, texts: null });
    } else if (dice < 0.4) {
      yield this.#record(this.#propose(beta, 2));
      yield* this.#acceptAll([alpha, ...others.slice(1)]);
      yield* this.#reportAll();
    } else if (dice < 0.5) {
      yield* this.#acceptAll(others);
      yield this.#record(this.#propose(alpha, 2));
      yield* this.#acceptAll(others);
      yield this.#record(this.#cancel(alpha));
    } else {
      yield* this.#acceptAll(others);
    }
  }

  get #interaction(): Interaction {
    if (this.#state === undefined) throw new Error('nothing was proposed yet');
    return this.#state;
  }

  #record(...events: readonly InteractionEvent[]): readonly InteractionEvent[] {
    for (const event of events) {
      const revision = this.#state?.version ?? 0;
      const recorded = { ...event, recordedAt: this.now(), revision };
      this.#state = evolve(this.#state, recorded);
    }
    return events;
  }

  #propose(by: LoggedAgent, revision: number): InteractionEvent {
    const contract = this.#contract(revision);
    const previous = this.#state && newestRevision(this.#state).termsHash;
    const to = {
      audience: AUDIT_AUDIENCE,
      interactionId: this.#id,
      revision,
      previousTermsHash: previous ?? null,
      termsHash: termsHash(contract),
      expiresAt: this.#expiresAt,
    };
    const statement = acceptanceStatement(by.agentId, this.now(), to);
    const [initiator, responder] = contract.parties as readonly [never, never];
    const proposal = {
      interactionId: this.#id,
      revisionId: randomUUID() as string as Uuid,
      revision,
      termsHash: to.termsHash,
      proposedByAgentId: by.agentId,
      acceptance: {
        agentId: by.agentId,
        method: 'ed25519',
        termsHash: to.termsHash,
        acceptedAt: statement.acceptedAt,
        signature: by.key.sign(statement),
      },
    } as const;
    const texts = { contract };
    if (previous !== undefined) {
      const data = { ...proposal, previousTermsHash: previous };
      return { type: 'revision-proposed', data, texts };
    }
    const data = {
      ...proposal,
      initiatorAgentId: initiator,
      responderAgentId: responder,
      parties: contract.parties,
      audience: AUDIT_AUDIENCE,
      initiatorTransport: TRANSPORT,
      responderTransport: TRANSPORT,
      expiresAt: this.#expiresAt,
    };
    return { type: 'interaction-proposed', data, texts };
  }

  *#acceptAll(parties: readonly LoggedAgent[]): Generator<readonly InteractionEvent[], void> {
    for (const party of parties) yield this.#accept(party, party === parties.at(-1));
  }

  #accept(by: LoggedAgent, isLast: boolean): readonly InteractionEvent[] {
    const { agentId } = by;
    const { revision, termsHash } = newestRevision(this.#interaction);
    const to = consentToRevision(this.#interaction, newestRevision(this.#interaction));
    const statement = acceptanceStatement(agentId, this.now(), to);
    const accepted = this.#record({
      type: 'revision-accepted',
      data: {
        interactionId: this.#id,
        revision,
        acceptance: {
          agentId,
          method: 'ed25519',
          termsHash,
          acceptedAt: statement.acceptedAt,
          signature: by.key.sign(statement),
        },
        policyRevision: null,
      },
      texts: null,
    });
    if (!isLast) return accepted;
    const proposal = newestRevision(this.#interaction);
    const document = revisionDocument(this.#interaction, { ...proposal, status: 'accepted' });
    if (document === ERASED) throw new Error('nothing is erased here');
    const { keyId, privateKey } = this.attesting;
    const attestation = attestRevision(document, keyId, privateKey);
    const data = { interactionId: this.#id, revision, termsHash, attestation };
    return [...accepted, ...this.#record({ type: 'revision-attested', data, texts: null })];
  }

  #reject(by: LoggedAgent): InteractionEvent {
    const { revision, termsHash } = newestRevision(this.#interaction);
    const reason = 'The retention is longer than our customer allows.';
    const named = {
      interactionId: this.#id,
      agentId: by.agentId,
      revision,
      termsHash,
      reasonHash: reasonHash(reason),
    };
    const statement = makeStatement<RejectionStatement>('federated-interaction/rejection', {
      audience: AUDIT_AUDIENCE,
      signedAt: this.now(),
      ...named,
    });
    const { signedAt } = statement;
    const data = { ...named, signedAt, signature: by.key.sign(statement) };
    return { type: 'revision-rejected', data, texts: { reason } };
  }

  #cancel(by: LoggedAgent): InteractionEvent {
    const reason = 'The leaflet was withdrawn from print.';
    const named = {
      interactionId: this.#id,
      agentId: by.agentId,
      termsHash: newestRevision(this.#interaction).termsHash,
      reasonHash: reasonHash(reason),
    };
    const statement = makeStatement<CancellationStatement>('federated-interaction/cancellation', {
      audience: AUDIT_AUDIENCE,
      signedAt: this.now(),
      ...named,
    });
    const { signedAt } = statement;
    const data = { ...named, signedAt, signature: by.key.sign(statement) };
    return { type: 'interaction-cancelled', data, texts: { reason } };
  }

  *#reportAll(): Generator<readonly InteractionEvent[], void> {
    const { termsHash } = newestRevision(this.#interaction);
    for (const party of this.parties) {
      const reported = this.#record(this.#report(party));
      if (party !== this.parties.at(-1)) yield reported;
      else {
        const data = { interactionId: this.#id, termsHash };
        const completed = this.#record({ type: 'interaction-completed', data, texts: null });
        yield [...reported, ...completed];
      }
    }
  }

  #report(by: LoggedAgent): InteractionEvent {
    const report = REPORT;
    const named = {
      interactionId: this.#id,
      agentId: by.agentId,
      termsHash: newestRevision(this.#interaction).termsHash,
      reportHash: reportHash(report),
    };
    const statement = makeStatement<CompletionStatement>('federated-interaction/completion', {
      audience: AUDIT_AUDIENCE,
      signedAt: this.now(),
      ...named,
    });
    const { signedAt } = statement;
    const data = { ...named, signedAt, signature: by.key.sign(statement) };
    return { type: 'outcome-reported', data, texts: { report } };
  }

  #contract(revision: number): Contract {
    return {
      protocolVersion: '0.1',
      interactionId: this.#id,
      purpose: 'Translate the patient leaflet of a medicine into German, for print and for the web',
      parties: this.parties.map(({ agentId }) => agentId),
      taskCategory: 'translation',
      requestedOutcome: 'A German text of all sections, naïve “quotes” kept, in the house style',
      successCriteria: ['All 12 sections present', 'No machine translation left'],
      allowedActions: ['translate', 'proofread'],
      prohibitedActions: ['publish'],
      allowedData: ['leaflet text', 'glossary'],
      prohibitedData: ['patient records'],
      deadline: '2030-05-01T00:00:00Z' as Timestamp,
      evidenceRequirements: ['checksum of the delivered file'],
      delegationRules: [],
      humanApprovalRequirements: [],
      factCheckingPolicy: 'important_claims',
      mediationPolicy: 'mutual_consent',
      retentionDays: 29 + revision,
      completionConditions: ['delivered'],
      cancellationConditions: ['either_party_before_completion'],
      signatures: {},
    };
  }
}

const met = (item: string) => ({ item, verdict: 'met', references: ['sha-256:00'] }) as const;
const REPORT: OutcomeReport = {
  successCriteria: [met('All 12 sections present'), met('No machine translation left')],
  completionConditions: [met('delivered')],
  evidenceRequirements: [met('checksum of the delivered file')],
};
