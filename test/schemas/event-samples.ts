import type { AgentEvent, ChangeAuthorization } from '../../src/agents/domain/events.js';
import type { PlatformKeyEvent } from '../../src/attestation/domain/events.js';
import type { LogEvent } from '../../src/audit/log/domain/events.js';
import type { CardEvent } from '../../src/capabilities/domain/card-events.js';
import type { CapabilityEvent } from '../../src/capabilities/domain/events.js';
import type { Manifest } from '../../src/capabilities/domain/manifest.js';
import type { InteractionEvent } from '../../src/interactions/domain/events.js';
import type { InvocationEvent } from '../../src/invocations/domain/events.js';
import type { InvocationOutcome } from '../../src/invocations/domain/outcome.js';
import type { OutcomeReport } from '../../src/interactions/domain/outcome-report.js';
import type { Acceptance, Transport } from '../../src/kernel/federated-interaction.js';
import type { AgentId, KeyId, SkillId, TermsHash, Uuid } from '../../src/kernel/ids.js';
import type { KeyStoreChosen } from '../../src/event-store/key-store-of-log.js';
import type { Position } from '../../src/event-store/port.js';
import type { CalendarEvent } from '../../src/processes/calendar-events.js';
import type { ProcessEvent } from '../../src/processes/events.js';
import type { RetentionNoted } from '../../src/processes/retention-events.js';
import {
  alpha,
  AUDIENCE,
  beta,
  EXPIRES_AT,
  INTERACTION,
  negotiated,
  START,
} from '../audit/support/documents.js';

/**
 * At least one event of every type, each variant of its members among them. The compiler keeps the
 * list complete, and each sample what the code writes.
 */
type SampleEvent =
  | AgentEvent
  | CalendarEvent
  | CapabilityEvent
  | CardEvent
  | InteractionEvent
  | InvocationEvent
  | KeyStoreChosen
  | LogEvent
  | PlatformKeyEvent
  | ProcessEvent
  | RetentionNoted;
type Samples = {
  readonly [Type in SampleEvent['type']]: readonly [
    Omit<Extract<SampleEvent, { type: Type }>, 'type'>,
    ...Omit<Extract<SampleEvent, { type: Type }>, 'type'>[],
  ];
};

const HASH = 'EixzToIN05H7uwySM9C3emWArSgZSAnmXZg5DZAxVsw' as TermsHash;
const [, accepted] = negotiated().contractRevisions;
const { contract, platformAttestation } = accepted!;
const acceptance = accepted!.acceptances[beta.agentId]!;
const signature = acceptance.signature!;
const { value } = signature;
const REVISION_ID = '2d1c5c4e-3b0e-4f57-9f0e-0a4f3f0f9c11' as Uuid;

const transport: Transport = {
  protocol: 'A2A/1.0',
  protocolBinding: 'JSONRPC',
  endpoint: 'https://alpha.example/a2a',
  managedBy: 'agent',
};
const key = {
  keyId: alpha.keyId,
  jwk: alpha.jwk,
  jwkThumbprint: HASH,
  proof: { signedAt: START, value },
};
const authorizations: readonly ChangeAuthorization[] = [
  { by: 'signature', keyId: alpha.keyId, signedAt: START, changeHash: HASH, value },
  { by: 'owner-admin' },
  { by: 'token' },
];
const change = { agentId: alpha.agentId, authorization: authorizations[0]! };
const withoutReason = { reasonHash: null };
const withReason = { reasonHash: HASH };
const signedAct = {
  interactionId: INTERACTION,
  agentId: alpha.agentId,
  signedAt: START,
  signature,
};
const unsignedAct = { ...signedAct, signedAt: null, signature: null };
const byToken: Acceptance = {
  agentId: 'constructor' as AgentId,
  method: 'oauth_account',
  termsHash: HASH,
  acceptedAt: START,
};
const report: OutcomeReport = {
  successCriteria: [{ item: 'All 12 sections present', verdict: 'met', references: ['urn:x'] }],
  completionConditions: [{ item: 'delivered', verdict: 'partial', references: [] }],
  evidenceRequirements: [],
};
const proposal = {
  interactionId: INTERACTION,
  revisionId: REVISION_ID,
  termsHash: HASH,
  proposedByAgentId: beta.agentId,
  acceptance,
};

const plain: Manifest = {
  id: 'reconcile-invoice' as SkillId,
  agentId: alpha.agentId,
  state: 'ga',
  visibility: 'extended',
  skill: {
    name: 'Reconcile an invoice',
    description: 'Matches an invoice to its purchase order.',
    tags: ['finance'],
    examples: [],
    inputModes: ['text/plain', 'image/*'],
    outputModes: ['application/json'],
  },
  requiresScopes: ['recon.run'],
  tenants: '*',
  handler: 'recon.v3.reconcile',
  limits: {},
  owner: 'finance-agents-team',
  replacement: null,
  requiresContract: false,
  action: null,
  data: [],
  callers: 'initiator',
  directInvoke: null,
};
const rich: Manifest = {
  ...plain,
  state: 'deprecated',
  visibility: 'internal',
  requiresScopes: [],
  tenants: ['tenant'],
  limits: { max_parts: 3, cost_class: 'medium' },
  replacement: 'reconcile-invoice-v2' as SkillId,
  requiresContract: true,
  action: 'invoices.reconcile',
  data: ['invoices'],
  callers: 'any-party',
  directInvoke: {
    inputSchema: { type: 'object' },
    outputSchema: {},
    backend: { kind: 'function' },
    allowUnauthenticated: false,
  },
};
const subject = { agentId: alpha.agentId, skillId: plain.id };
const called = {
  invocationId: REVISION_ID,
  ...subject,
  handler: plain.handler,
  caller: { principal: 'owner', client: 'client', agent: beta.agentId, tenant: 'tenant' },
  taskId: REVISION_ID,
  routing: { layer: 'text-classifier', confidence: 0.875 },
};
const terms = { interactionId: INTERACTION, revision: 2, termsHash: HASH };
const planned = {
  ...called,
  terms,
  action: 'reconcile',
  data: ['invoices'],
  argumentsDigest: HASH,
};
const approver = { principal: 'approver', client: null, agent: null, tenant: 'tenant' };
const admitted = {
  ...planned,
  rule: 'allowed-action' as const,
  approval: { by: approver, at: EXPIRES_AT },
  deadline: EXPIRES_AT,
};
const decided = {
  data: {
    invocationId: REVISION_ID,
    by: approver,
    termsHash: HASH,
    argumentsDigest: HASH,
  },
  texts: { reason: 'Twice paid already.' },
};
const outcomes = [
  'succeeded',
  'failed',
  'rejected',
  'canceled',
  'interrupted',
  'voided',
  'outcome-unknown',
] as const satisfies InvocationOutcome[];

export const SAMPLES: Samples = {
  'agent-registered': [
    {
      data: {
        agentId: alpha.agentId,
        tenant: 'tenant',
        owner: 'owner',
        clients: ['client'],
        keys: [key],
        methods: ['ed25519'],
        transport,
      },
      texts: null,
    },
    {
      data: {
        agentId: 'did:web:a.example' as AgentId,
        tenant: 'tenant',
        owner: 'owner',
        clients: [],
        keys: [],
        methods: ['oauth_account', 'oauth_installation', 'policy_auto_accept'],
        transport: { ...transport, managedBy: 'openclasp' },
      },
      texts: null,
    },
  ],
  'agent-key-added': [
    { data: { ...change, key, replaces: null }, texts: null },
    { data: { ...change, key, replaces: 'old' as KeyId }, texts: null },
  ],
  'agent-key-revoked': [
    { data: { ...change, keyId: alpha.keyId, ...withReason }, texts: { reason: 'lost' } },
    { data: { ...change, keyId: alpha.keyId, ...withoutReason }, texts: { reason: null } },
  ],
  'agent-methods-changed': [
    ...(authorizations.map((authorization) => ({
      data: { ...change, authorization, methods: ['ed25519', 'oauth_account'] },
      texts: null,
    })) as never as [Samples['agent-methods-changed'][0]]),
  ],
  'agent-policy-changed': [
    {
      data: { ...change, hasPolicy: true },
      texts: {
        policy: {
          taskCategories: ['translation'],
          allowedActions: ['translate'],
          maxRetentionDays: 0,
        },
      },
    },
    { data: { ...change, hasPolicy: false }, texts: { policy: null } },
  ],
  'agent-clients-changed': [{ data: { ...change, clients: ['a', 'b'] }, texts: null }],
  'agent-transport-changed': [{ data: { ...change, transport }, texts: null }],
  'agent-retired': [
    { data: { ...change, ...withReason }, texts: { reason: 'replaced' } },
    { data: { ...change, ...withoutReason }, texts: { reason: null } },
  ],
  'capability-registered': [
    { data: { manifest: plain }, texts: null },
    { data: { manifest: rich }, texts: null },
  ],
  'capability-revised': [
    { data: { manifest: { ...plain, visibility: 'public', state: 'preview' } }, texts: null },
  ],
  'capability-state-changed': [
    {
      data: { ...subject, state: 'ga', replacement: null, forced: false, ...withoutReason },
      texts: { reason: null },
    },
    {
      data: {
        ...subject,
        state: 'removed',
        replacement: 'reconcile-invoice-v2' as SkillId,
        forced: true,
        ...withReason,
      },
      texts: { reason: 'unsafe' },
    },
  ],
  'caller-opted-in': [{ data: { ...subject, callerAgentId: beta.agentId }, texts: null }],
  'caller-opted-out': [{ data: { ...subject, callerAgentId: beta.agentId }, texts: null }],
  'card-published': [
    { data: { agentId: alpha.agentId, version: 1, digest: HASH, generator: 1 }, texts: null },
  ],
  'interaction-proposed': [
    {
      data: {
        ...proposal,
        revision: 1,
        initiatorAgentId: alpha.agentId,
        responderAgentId: beta.agentId,
        parties: [alpha.agentId, beta.agentId],
        audience: AUDIENCE,
        initiatorTransport: transport,
        responderTransport: transport,
        expiresAt: EXPIRES_AT,
      },
      texts: { contract },
    },
  ],
  'revision-proposed': [
    { data: { ...proposal, revision: 2, previousTermsHash: HASH }, texts: { contract } },
    {
      data: { ...proposal, revision: 3, previousTermsHash: HASH, acceptance: byToken },
      texts: { contract: withoutDeadline() },
    },
  ],
  'revision-accepted': [
    {
      data: { interactionId: INTERACTION, revision: 2, acceptance, policyRevision: null },
      texts: null,
    },
    {
      data: {
        interactionId: INTERACTION,
        revision: 2,
        acceptance: { ...byToken, method: 'policy_auto_accept' },
        policyRevision: 0,
      },
      texts: null,
    },
  ],
  'revision-attested': [
    {
      data: {
        interactionId: INTERACTION,
        revision: 2,
        termsHash: HASH,
        attestation: platformAttestation!,
      },
      texts: null,
    },
  ],
  'revision-rejected': [
    {
      data: { ...signedAct, revision: 1, termsHash: HASH, ...withReason },
      texts: { reason: 'no' },
    },
    {
      data: { ...unsignedAct, revision: 1, termsHash: HASH, ...withoutReason },
      texts: { reason: null },
    },
  ],
  'revision-withdrawn': [
    { data: { ...signedAct, revision: 1, termsHash: HASH, ...withReason }, texts: { reason: '' } },
    {
      data: { ...unsignedAct, revision: 1, termsHash: HASH, ...withoutReason },
      texts: { reason: null },
    },
  ],
  'interaction-cancelled': [
    { data: { ...signedAct, termsHash: HASH, ...withReason }, texts: { reason: 'no' } },
    { data: { ...unsignedAct, termsHash: HASH, ...withoutReason }, texts: { reason: null } },
  ],
  'outcome-reported': [
    { data: { ...signedAct, termsHash: HASH, reportHash: HASH }, texts: { report } },
    { data: { ...unsignedAct, termsHash: HASH, reportHash: HASH }, texts: { report } },
  ],
  'interaction-completed': [{ data: { interactionId: INTERACTION, termsHash: HASH }, texts: null }],
  'interaction-expired': [
    { data: { interactionId: INTERACTION, effectiveAt: EXPIRES_AT }, texts: null },
  ],
  'erasure-consented': [
    { data: signedAct, texts: null },
    { data: unsignedAct, texts: null },
  ],
  'texts-erased': [
    {
      data: {
        interactionId: INTERACTION,
        ground: 'retention',
        retention: { days: 30, until: EXPIRES_AT },
      },
      texts: null,
    },
    { data: { interactionId: INTERACTION, ground: 'retention', retention: null }, texts: null },
    { data: { interactionId: INTERACTION, ground: 'consent', retention: null }, texts: null },
  ],
  'approval-requested': [
    {
      data: { ...planned, scopes: ['recon.run'], expiresAt: EXPIRES_AT },
      texts: { entries: ['reconcile'] },
    },
  ],
  'approval-given': [decided, { ...decided, texts: { reason: null } }],
  'approval-denied': [decided],
  'invocation-refused': [
    {
      data: {
        ...subject,
        invocationId: REVISION_ID,
        plannedId: REVISION_ID,
        caller: called.caller,
        code: 'action-prohibited',
        terms,
        argumentsDigest: HASH,
      },
      texts: null,
    },
  ],
  'invocation-admitted': [
    { data: admitted, texts: null },
    {
      data: {
        ...admitted,
        caller: { principal: 'owner', client: null, agent: null, tenant: 'tenant' },
      },
      texts: null,
    },
    {
      data: {
        ...admitted,
        caller: null,
        rule: 'entitlement',
        terms: null,
        action: null,
        data: [],
        argumentsDigest: null,
        approval: null,
      },
      texts: null,
    },
  ],
  'invocation-ended': [
    ...(outcomes.map((outcome) => ({
      data: { invocationId: REVISION_ID, outcome, resultDigest: HASH },
      texts: null,
    })) as never as [Samples['invocation-ended'][0]]),
  ],
  'platform-key-added': [
    {
      data: {
        keyId: 'platform-1' as KeyId,
        purpose: 'attestation',
        jwk: alpha.jwk,
        jwkThumbprint: HASH,
      },
      texts: null,
    },
  ],
  'platform-key-retired': [
    { data: { keyId: 'platform-1' as KeyId, replacedBy: 'platform-2' as KeyId }, texts: null },
  ],
  'platform-key-revoked': [
    { data: { keyId: 'platform-1' as KeyId, reason: 'key-compromise' }, texts: null },
  ],
  'key-store-chosen': [{ data: { fingerprint: HASH }, texts: null }],
  'lease-acquired': [{ data: { node: 'node-1', until: START }, texts: null }],
  'lease-released': [{ data: { node: 'node-1' }, texts: null }],
  'checkpoint-moved': [
    { data: { node: 'node-1', position: '00000000000000000001' as Position }, texts: null },
  ],
  'calendar-pages-begun': [
    { data: { node: 'node-1', pages: ['2030-01-31T14', '2030-01-31T15'] }, texts: null },
  ],
  'calendar-page-done': [{ data: { node: 'node-1', page: '2030-01-31T14' }, texts: null }],
  'calendar-entries-noted': [
    {
      data: {
        node: 'node-1',
        entries: [
          {
            interactionId: INTERACTION,
            dueAt: EXPIRES_AT,
            eventId: REVISION_ID,
            correlationId: 'correlation',
          },
        ],
      },
      texts: null,
    },
  ],
  'retention-noted': [
    { data: { interactionId: INTERACTION, days: 0 }, texts: null },
    { data: { interactionId: INTERACTION, days: 36_500 }, texts: null },
  ],
  'calendar-page-closed': [{ data: { node: 'node-1' }, texts: null }],
  'checkpoint-signed': [
    {
      data: {
        origin: 'countersign.example/log',
        size: 2,
        rootHash: 'AjWNtVbsaD5enBhgDq-44qe3RbaIX3blDDoC-Y9MimM',
        keyId: 'checkpoint-1' as KeyId,
        note: 'countersign.example/log\n2\nAjWNtVbsaD5enBhgDq+44qe3RbaIX3blDDoC+Y9MimM=\n\n— countersign.example/log khQHOEhoBekp8OTKbsQ9bdknP9oczXsQ5qsqrCriMK3fjX7qDT6scymsfWZRoHURA9XydfkwOXvWvPMybG4nFMC1uAk=\n',
      },
      texts: null,
    },
  ],
  'checkpoint-cosigned': [
    {
      data: {
        size: 2,
        rootHash: 'AjWNtVbsaD5enBhgDq-44qe3RbaIX3blDDoC-Y9MimM',
        witness: 'witness.example/w1+02174a32+BOrdUmyx8tLHuHDQgfFK+ytLza/RD2h9S80yEKqWjZRt',
        cosignedAt: 1893456012,
        line: '— witness.example/w1 AhdKMgAAAABw29iMxIlYxeRVCcpS3CkaRMrkdgs1GM0ns2F0fK/8XGpr2EUQGrQwXE3jYOZFzE/P8Xu5DmQgW1ECOpIfD61QCWNoBg==\n',
      },
      texts: null,
    },
  ],
};

function withoutDeadline() {
  const { deadline: _, ...rest } = contract;
  return rest;
}
