import { randomBytes, randomUUID } from 'node:crypto';
import type { AgentEvent } from '../../src/agents/domain/events.js';
import { AGENT_EVENT_TYPES } from '../../src/agents/event-types.js';
import type { CommandEnvelope } from '../../src/event-store/command-execution.js';
import type { NewEnvelope, Sealed } from '../../src/kernel/envelope.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import type { EventStore } from '../../src/event-store/port.js';
import { seal } from '../../src/event-store/sealing.js';
import { canonicalJson } from '../../src/kernel/canonical-json.js';
import type { InteractionEvent } from '../../src/interactions/domain/events.js';
import { INTERACTION_EVENT_TYPES } from '../../src/interactions/event-types.js';
import type { DomainEvent } from '../../src/kernel/event.js';
import type { Acceptance, Contract, Signature } from '../../src/kernel/federated-interaction.js';
import {
  deriveUuid,
  type AgentId,
  type InteractionId,
  type KeyId,
  type TermsHash,
  type Uuid,
} from '../../src/kernel/ids.js';
import type { JsonObject } from '../../src/kernel/json.js';
import { timestampOf, type Timestamp } from '../../src/kernel/timestamp.js';

const AGENTS = 1_000;
/** Interactions that go on at one time: their events lie interleaved in the log. */
const CONCURRENT = 256;
const BEGIN_MS = Date.parse('2030-01-01T00:00:00.000Z');

/**
 * Fills a log up to so many events, or a few more, of a day's mix: proposals that are accepted,
 * countered, amended, completed, rejected, cancelled or left to expire, among a thousand agents.
 * Signatures are random bytes of the right length: no view verifies them.
 */
export async function growReplayLog(
  store: EventStore,
  keys: KeyStore,
  events: number,
): Promise<void> {
  let written = Number(await store.head());
  const write = async (stream: string, appends: readonly (readonly Written[])[]) => {
    let revision = -1;
    for (const append of appends) {
      const envelopes = await Promise.all(
        append.map(async (event) => envelopeOf(event, stream, keys, BEGIN_MS + written * 10)),
      );
      const expected = revision === -1 ? 'no-stream' : revision;
      const appended = await store.append(stream, expected, envelopes);
      if (!appended.ok) throw new Error('nobody else writes this log');
      revision = appended.value.revision;
      written += append.length;
    }
  };
  const agents = Array.from({ length: AGENTS }, (_, n) => `did:web:agent-${String(n)}.example`);
  if (written === 0) {
    await Promise.all(agents.map(async (id) => write(`agent-${id}`, agentStory(id as AgentId))));
  }
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      while (written < events) {
        const id = randomUUID() as InteractionId;
        await write(`interaction-${id}`, interactionStory(id, pick(agents, written)));
      }
    }),
  );
}

type Written = InteractionEvent | AgentEvent;

const TYPES = new Map(Object.entries({ ...AGENT_EVENT_TYPES, ...INTERACTION_EVENT_TYPES }));

function pick(agents: readonly string[], seed: number): readonly AgentId[] {
  const first = (seed * 31) % agents.length;
  const size = seed % 10 === 0 ? 3 : 2;
  return Array.from(
    { length: size },
    (_, n) => agents[(first + n * 17) % agents.length] as AgentId,
  );
}

/** @param origin the command that makes the event, and its place in that; else one of its own */
export async function envelopeOf(
  event: DomainEvent,
  stream: string,
  keys: KeyStore,
  atMs: number,
  origin: CommandEnvelope = newCommand(),
  index = 0,
): Promise<NewEnvelope> {
  const id = deriveUuid(['event', stream, origin.commandId, index]);
  const { type } = event;
  let sealed: Sealed | null = null;
  if (event.texts !== null) {
    const key = await keys.obtain(stream);
    if (key === 'erased') throw new Error('nothing was erased');
    sealed = seal(canonicalJson(event.texts), key, random(12), { stream, id, type });
  }
  return {
    id,
    type,
    recordedAt: timestampOf(atMs),
    schemaVersion: TYPES.get(type)?.schemaVersion ?? 1,
    data: event.data as JsonObject,
    sealed,
    salt: random(16).toString('base64url'),
    metadata: { ...origin, basedOn: { 'agent-did:web:agent-1.example': 3 } },
  };
}

export function newCommand(): CommandEnvelope {
  return {
    commandId: randomUUID(),
    requestDigest: hash(),
    actor: { principal: 'user-4711', agent: 'did:web:agent-1.example', tenant: 'acme' },
    correlationId: randomUUID(),
    causationId: null,
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  };
}

export function agentStory(agentId: AgentId): readonly (readonly AgentEvent[])[] {
  const key = (n: number) => ({
    keyId: `${agentId}#${String(n)}` as KeyId,
    jwk: { kty: 'OKP', crv: 'Ed25519', x: hash() } as const,
    jwkThumbprint: hash(),
    proof: { signedAt: timestampOf(BEGIN_MS), value: signature().value },
  });
  const authorization = { by: 'owner-admin' } as const;
  return [
    [
      {
        type: 'agent-registered',
        data: {
          agentId,
          tenant: `tenant-${agentId.slice(-10)}`,
          owner: `owner-of-${agentId}`,
          clients: [`client-of-${agentId}`],
          keys: [key(1)],
          methods: ['ed25519'],
          transport: transportOf(agentId),
        },
        texts: null,
      },
    ],
    [
      {
        type: 'agent-key-added',
        data: { agentId, authorization, key: key(2), replaces: key(1).keyId },
        texts: null,
      },
    ],
    [
      {
        type: 'agent-policy-changed',
        data: {
          agentId,
          authorization,
          hasPolicy: true,
        },
        texts: {
          policy: {
            taskCategories: ['translation'],
            allowedActions: ['translate'],
            maxRetentionDays: 30,
          },
        },
      },
    ],
  ];
}

function interactionStory(
  interactionId: InteractionId,
  parties: readonly AgentId[],
): readonly (readonly InteractionEvent[])[] {
  const [alpha, beta] = parties as readonly [AgentId, AgentId];
  const others = parties.slice(1);
  const story: (readonly InteractionEvent[])[] = [[proposed(interactionId, parties)]];
  const acceptAll = (revision: number, by: readonly AgentId[]) => {
    for (const [index, agentId] of by.entries()) {
      const accept = accepted(interactionId, revision, agentId);
      const isLast = index === by.length - 1;
      story.push(isLast ? [accept, attested(interactionId, revision)] : [accept]);
    }
  };
  const dice = Math.random();
  if (dice < 0.1) {
    story.push([rejected(interactionId, beta)]);
  } else if (dice < 0.15) {
    story.push([expired(interactionId)]);
  } else if (dice < 0.4) {
    // A counter-proposal, accepted, reported on and completed.
    story.push([revised(interactionId, 2, beta, parties)]);
    acceptAll(2, [alpha, ...others.slice(1)]);
    for (const party of parties) story.push([reported(interactionId, party)]);
    story[story.length - 1] = [reported(interactionId, beta), completed(interactionId)];
  } else if (dice < 0.5) {
    // An amendment, and an early end.
    acceptAll(1, others);
    story.push([revised(interactionId, 2, alpha, parties)]);
    acceptAll(2, others);
    story.push([cancelled(interactionId, alpha)]);
  } else {
    acceptAll(1, others);
  }
  return story;
}

export function proposed(
  interactionId: InteractionId,
  parties: readonly AgentId[],
): InteractionEvent {
  const [initiator, responder] = parties as readonly [AgentId, AgentId];
  return {
    type: 'interaction-proposed',
    data: {
      interactionId,
      revisionId: randomUUID() as string as Uuid,
      revision: 1,
      termsHash: hash() as TermsHash,
      proposedByAgentId: initiator,
      acceptance: acceptance(initiator),
      initiatorAgentId: initiator,
      responderAgentId: responder,
      parties,
      audience: 'https://countersign.example',
      initiatorTransport: transportOf(initiator),
      responderTransport: transportOf(responder),
      expiresAt: '2030-06-01T00:00:00.000Z' as Timestamp,
    },
    texts: { contract: contractOf(interactionId, parties) },
  };
}

function revised(
  interactionId: InteractionId,
  revision: number,
  by: AgentId,
  parties: readonly AgentId[],
): InteractionEvent {
  return {
    type: 'revision-proposed',
    data: {
      interactionId,
      revisionId: randomUUID() as string as Uuid,
      revision,
      termsHash: hash() as TermsHash,
      previousTermsHash: hash() as TermsHash,
      proposedByAgentId: by,
      acceptance: acceptance(by),
    },
    texts: { contract: contractOf(interactionId, parties) },
  };
}

function accepted(
  interactionId: InteractionId,
  revision: number,
  agentId: AgentId,
): InteractionEvent {
  return {
    type: 'revision-accepted',
    data: { interactionId, revision, acceptance: acceptance(agentId), policyRevision: null },
    texts: null,
  };
}

export function attested(interactionId: InteractionId, revision: number): InteractionEvent {
  return {
    type: 'revision-attested',
    data: {
      interactionId,
      revision,
      termsHash: hash() as TermsHash,
      attestation: { ...signature(), digest: hash() },
    },
    texts: null,
  };
}

const SIGNED_AT = '2030-01-02T03:04:05Z' as Timestamp;

function rejected(interactionId: InteractionId, agentId: AgentId): InteractionEvent {
  return {
    type: 'revision-rejected',
    data: {
      interactionId,
      agentId,
      signedAt: SIGNED_AT,
      signature: signature(),
      revision: 1,
      termsHash: hash() as TermsHash,
      reasonHash: hash(),
    },
    texts: { reason: 'The retention is longer than our customer allows.' },
  };
}

function cancelled(interactionId: InteractionId, agentId: AgentId): InteractionEvent {
  return {
    type: 'interaction-cancelled',
    data: {
      interactionId,
      agentId,
      signedAt: SIGNED_AT,
      signature: signature(),
      termsHash: hash() as TermsHash,
      reasonHash: hash(),
    },
    texts: { reason: 'The leaflet was withdrawn from print.' },
  };
}

function reported(interactionId: InteractionId, agentId: AgentId): InteractionEvent {
  const met = (item: string) => ({ item, verdict: 'met', references: ['sha-256:00'] }) as const;
  return {
    type: 'outcome-reported',
    data: {
      interactionId,
      agentId,
      signedAt: SIGNED_AT,
      signature: signature(),
      termsHash: hash() as TermsHash,
      reportHash: hash(),
    },
    texts: {
      report: {
        successCriteria: [met('All 12 sections present'), met('No machine translation left')],
        completionConditions: [met('delivered')],
        evidenceRequirements: [met('checksum of the delivered file')],
      },
    },
  };
}

function completed(interactionId: InteractionId): InteractionEvent {
  const termsHash = hash() as TermsHash;
  return { type: 'interaction-completed', data: { interactionId, termsHash }, texts: null };
}

function expired(interactionId: InteractionId): InteractionEvent {
  const effectiveAt = '2030-06-01T00:00:00.000Z' as Timestamp;
  return { type: 'interaction-expired', data: { interactionId, effectiveAt }, texts: null };
}

function contractOf(interactionId: InteractionId, parties: readonly AgentId[]): Contract {
  return {
    protocolVersion: '0.1',
    interactionId,
    purpose: 'Translate the patient leaflet of a medicine into German, for print and for the web',
    parties,
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
    retentionDays: 30,
    completionConditions: ['delivered'],
    cancellationConditions: ['either_party_before_completion'],
    signatures: {},
  };
}

function acceptance(agentId: AgentId): Acceptance {
  return {
    agentId,
    method: 'ed25519',
    termsHash: hash() as TermsHash,
    acceptedAt: SIGNED_AT,
    signature: signature(),
  };
}

function signature(): Signature {
  const value = random(64).toString('base64url');
  return { algorithm: 'Ed25519', keyId: 'agent-key-1' as KeyId, value };
}

function transportOf(agentId: AgentId) {
  return {
    protocol: 'A2A/1.0',
    protocolBinding: 'JSONRPC',
    endpoint: `https://gateway.example/a2a/${agentId}`,
    managedBy: 'agent',
  } as const;
}

function hash(): string {
  return random(32).toString('base64url');
}

let pool = randomBytes(0);

/** Many small draws from one large one. */
function random(size: number): Buffer {
  if (pool.length < size) pool = randomBytes(64 * 1024);
  const drawn = pool.subarray(0, size);
  pool = pool.subarray(size);
  return drawn;
}
