import { describe, expect, it } from '@jest/globals';
import type { CheckId } from '../../../src/audit/verify/check-result.js';
import type { DOCUMENT_REASONS } from '../../../src/audit/verify/reasons.js';
import { parseVerificationKeys } from '../../../src/audit/verify/verification-keys.js';
import { verifyInteraction } from '../../../src/audit/verify/verify-interaction.js';
import { attestRevision } from '../../../src/kernel/attestation.js';
import type {
  Acceptance,
  Contract,
  ContractRevision,
  FederatedInteraction,
  InteractionStatus,
  RevisionStatus,
  UnattestedRevision,
} from '../../../src/kernel/federated-interaction.js';
import type { AgentId, InteractionId, KeyId, TermsHash, Uuid } from '../../../src/kernel/ids.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import {
  after,
  alpha,
  answeredAt,
  attested,
  beta,
  CONTRACT,
  EXPIRES_AT,
  gamma,
  interactionOf,
  keyEntry,
  keysDocument,
  negotiated,
  platform,
  proposedAt,
  signAcceptance,
  signer,
  START,
  type KeysDocument,
  type RevisionSpec,
} from '../support/documents.js';

function verify(document: unknown, keys: KeysDocument = keysDocument()) {
  const parsed = parseVerificationKeys(JSON.parse(JSON.stringify(keys)));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return verifyInteraction(JSON.parse(JSON.stringify(document)), parsed.value);
}

/** `check subject: reason` of everything that is not verified. */
function complaints(document: unknown, keys?: KeysDocument): string[] {
  return verify(document, keys)
    .checks.filter(({ result }) => result !== 'verified')
    .map(({ check, subject, reason }) => `${check} ${subject}: ${reason ?? ''}`);
}

const accepted: RevisionSpec = { by: beta, status: 'accepted', and: [alpha] };
const superseded: RevisionSpec = { by: alpha, status: 'superseded' };

/** One proposal of alpha's, accepted by beta, as `change` makes it. */
function active(
  change?: (revision: UnattestedRevision) => UnattestedRevision,
  contract?: Partial<Contract>,
): FederatedInteraction {
  const spec: RevisionSpec = { by: alpha, status: 'accepted', and: [beta] };
  return interactionOf({
    status: 'active',
    revisions: [{ ...spec, ...(change && { change }), ...(contract && { contract }) }],
  });
}

function withAcceptance(
  { agentId }: { agentId: AgentId },
  change: (acceptance: Acceptance) => Acceptance,
): (revision: UnattestedRevision) => UnattestedRevision {
  return (revision) => ({
    ...revision,
    acceptances: {
      ...revision.acceptances,
      [agentId]: change(revision.acceptances[agentId]!),
    },
  });
}

function changed(
  document: FederatedInteraction,
  number: number,
  change: (revision: ContractRevision) => ContractRevision,
): FederatedInteraction {
  return {
    ...document,
    contractRevisions: document.contractRevisions.map((revision) =>
      revision.revision === number ? change(revision) : revision,
    ),
  };
}

describe('what the service emits is verified', () => {
  const documents: Record<InteractionStatus, FederatedInteraction[]> = {
    pending: [
      interactionOf({ status: 'pending', revisions: [{ by: alpha, status: 'proposed' }] }),
      interactionOf({
        status: 'pending',
        revisions: [superseded, { by: beta, status: 'proposed' }],
      }),
    ],
    active: [negotiated(), active()],
    rejected: [
      interactionOf({ status: 'rejected', revisions: [{ by: alpha, status: 'rejected' }] }),
    ],
    expired: [
      interactionOf({
        status: 'expired',
        revisions: [
          { by: alpha, status: 'rejected', change: (it) => ({ ...it, updatedAt: EXPIRES_AT }) },
        ],
      }),
      interactionOf({ status: 'expired', revisions: [superseded, accepted] }),
    ],
    cancelled: [
      interactionOf({ status: 'cancelled', revisions: [{ by: alpha, status: 'rejected' }] }),
      interactionOf({
        status: 'cancelled',
        revisions: [superseded, accepted, { by: alpha, status: 'rejected' }],
      }),
    ],
    completed: [
      interactionOf({
        status: 'completed',
        revisions: [superseded, accepted, { by: alpha, status: 'superseded' }, accepted],
      }),
    ],
  };

  it.each(Object.entries(documents))('%s', (_, ofStatus) => {
    for (const document of ofStatus) {
      expect(complaints(document)).toEqual([]);
      expect(verify(document).result).toBe('verified');
    }
  });

  it('with three parties, one of whom is called `constructor`', () => {
    const parties = [alpha.agentId, beta.agentId, gamma.agentId];
    const spec: RevisionSpec = { by: beta, status: 'accepted', contract: { parties } };
    const first: RevisionSpec = { ...superseded, contract: { parties } };
    const open: RevisionSpec = {
      by: gamma,
      status: 'proposed',
      and: [beta],
      contract: { parties },
    };
    const document = interactionOf({
      status: 'active',
      revisions: [first, { ...spec, and: [alpha, gamma] }, open],
    });
    expect(complaints(document)).toEqual([]);
  });

  it('one line per check, in a fixed order', () => {
    expect(verify(active()).checks.map(({ check, subject }) => `${check} ${subject}`)).toEqual([
      'schema interaction',
      'limits interaction',
      'identity interaction',
      'parties interaction',
      'revision-numbers interaction',
      'top-level interaction',
      'terms-hash interaction',
      'signatures-empty interaction',
      'status interaction',
      'times interaction',
      'terms-hash revision 1',
      'signatures-empty revision 1',
      'revision-link revision 1',
      'acceptances revision 1',
      'acceptance revision 1, agent-alpha',
      'acceptance revision 1, agent-beta',
      'attestation revision 1',
    ]);
  });
});

/** One or more ways to each reason, and the one check that must complain. */
type Ways = readonly [
  check: CheckId,
  result: 'failed' | 'not-checkable',
  ...documents: (readonly [document: unknown, keys?: KeysDocument])[],
];

function keys(change: (keys: KeysDocument) => void): KeysDocument {
  const document = keysDocument();
  change(document);
  return document;
}

const threeParties = [alpha.agentId, beta.agentId, gamma.agentId];
const bySignature = (spec: Partial<Acceptance>) => (acceptance: Acceptance) => ({
  ...acceptance,
  ...spec,
});
const identityPoint = Buffer.from(`01${'00'.repeat(31)}`, 'hex').toString('base64url');
const identitySignature = Buffer.from(`01${'00'.repeat(63)}`, 'hex').toString('base64url');

/** Of what was recorded when revision 1 was answered: further than clocks are apart. */
const longBefore = after(answeredAt(1), -300.001);

const WAYS: Readonly<Record<keyof typeof DOCUMENT_REASONS, Ways>> = {
  'schema-violation': [
    'schema',
    'failed',
    [{ ...active(), extra: 1 }],
    // No erased texts: they are all there.
    [{ ...active(), status: 410, code: 'interaction-erased' }],
    [{ code: 'interaction-erased' }],
    [null],
    [[]],
    ['text'],
    [{ ...active(), contract: undefined }],
    [active(undefined, { deadline: '2030-01-02T00:00Z' as Timestamp })],
  ],
  'too-many': [
    'limits',
    'failed',
    [
      {
        ...active(),
        contractRevisions: Array.from({ length: 201 }, () => active().contractRevisions[0]),
      },
    ],
    [active(undefined, { parties: Array.from({ length: 17 }, (_, n) => `agent-${n}` as AgentId) })],
  ],
  erased: [
    'schema',
    'not-checkable',
    [
      {
        type: 'https://countersign.example/problems/interaction-erased',
        status: 410,
        code: 'interaction-erased',
      },
    ],
  ],
  'id-invalid': [
    'identity',
    'failed',
    [
      active((it) => ({
        ...it,
        revisionId: it.revisionId.toUpperCase().replace('4000', '4ABC') as Uuid,
      })),
    ],
    [active((it) => ({ ...it, revisionId: '00000000-0000-0000-0000-000000000000' as Uuid }))],
  ],
  'interaction-id-mismatch': [
    'identity',
    'failed',
    [
      active((it) => ({
        ...it,
        interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae8' as InteractionId,
      })),
    ],
    [active(undefined, { interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae8' as InteractionId })],
    [{ ...negotiated(), interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae8' }],
  ],
  'revision-id-repeated': [
    'identity',
    'failed',
    [
      interactionOf({
        status: 'active',
        revisions: [
          superseded,
          {
            ...accepted,
            change: (it) => ({ ...it, revisionId: '00000000-0000-4000-8000-000000000001' as Uuid }),
          },
        ],
      }),
    ],
  ],
  'parties-invalid': [
    'parties',
    'failed',
    [{ ...active(), responderAgentId: 'agent-alpha' }],
    [{ ...active(), initiatorAgentId: 'agent-gamma' }],
    [{ ...active(), responderAgentId: 'agent-gamma' }],
    [active(undefined, { parties: [alpha.agentId, beta.agentId, alpha.agentId] })],
  ],
  'parties-changed': [
    'parties',
    'failed',
    [
      interactionOf({
        status: 'active',
        revisions: [
          superseded,
          { ...accepted, and: [alpha, gamma], contract: { parties: threeParties } },
        ],
      }),
    ],
    [
      interactionOf({
        status: 'active',
        revisions: [{ ...superseded, contract: { parties: threeParties } }, accepted],
      }),
    ],
  ],
  'proposer-not-a-party': [
    'parties',
    'failed',
    [
      interactionOf({
        status: 'pending',
        revisions: [superseded, { by: gamma, status: 'proposed' }],
      }),
    ],
  ],
  'first-proposer-not-initiator': [
    'parties',
    'failed',
    [interactionOf({ status: 'active', revisions: [accepted] })],
  ],
  'no-revisions': ['revision-numbers', 'failed', [{ ...active(), contractRevisions: [] }]],
  'revision-numbers-not-contiguous': [
    'revision-numbers',
    'failed',
    [{ ...negotiated(), contractRevisions: negotiated().contractRevisions.slice(1) }],
    [
      {
        ...negotiated(),
        contractRevisions: negotiated().contractRevisions.filter((_, index) => index !== 2),
      },
    ],
    [{ ...negotiated(), contractRevisions: negotiated().contractRevisions.toReversed() }],
  ],
  'top-level-differs': [
    'top-level',
    'failed',
    [{ ...negotiated(), contractRevision: 1 }],
    [{ ...negotiated(), termsHash: negotiated().contractRevisions[0]!.termsHash }],
    [{ ...negotiated(), contract: negotiated().contractRevisions[3]!.contract }],
    [{ ...negotiated(), acceptances: {} }],
  ],
  'status-inconsistent': [
    'status',
    'failed',
    ...(['pending', 'rejected', 'expired', 'cancelled', 'completed'] as const).map(
      (status) => [{ ...negotiated(), status }] as const,
    ),
    ...(
      [
        ['active', ['proposed']],
        ['completed', ['rejected']],
        ['pending', ['superseded']],
        ['pending', ['proposed', 'proposed']],
        ['pending', ['rejected', 'proposed']],
        ['active', ['rejected', 'accepted']],
        ['active', ['accepted', 'proposed', 'accepted']],
        ['active', ['accepted', 'superseded']],
        ['rejected', ['accepted', 'rejected']],
        ['rejected', ['superseded', 'proposed']],
        ['expired', ['proposed']],
      ] as [InteractionStatus, RevisionStatus[]][]
    ).map(
      ([status, statuses]) =>
        [
          interactionOf({
            status,
            revisions: statuses.map((each) => ({
              by: alpha,
              status: each,
              ...(each === 'accepted' && { and: [beta] }),
            })),
          }),
        ] as const,
    ),
  ],
  'times-inconsistent': [
    'times',
    'failed',
    [{ ...active(), createdAt: after(START, 1) }],
    [{ ...active(), updatedAt: after(answeredAt(1), -1) }],
    [
      {
        ...interactionOf({ status: 'pending', revisions: [{ by: alpha, status: 'proposed' }] }),
        updatedAt: after(START, 1),
      },
    ],
    [
      {
        ...interactionOf({ status: 'expired', revisions: [superseded, accepted] }),
        updatedAt: answeredAt(2),
      },
    ],
    [active((it) => ({ ...it, updatedAt: after(it.createdAt, -1) }))],
    [changed(negotiated(), 1, (it) => ({ ...it, updatedAt: after(it.updatedAt, 1) }))],
    [changed(negotiated(), 1, (it) => ({ ...it, updatedAt: after(it.updatedAt, -1) }))],
    [changed(negotiated(), 4, (it) => ({ ...it, updatedAt: after(it.updatedAt, 1) }))],
    [
      {
        ...active((it) => ({ ...it, expiresAt: '2031-01-02T00:00:00.001Z' as Timestamp })),
        expiresAt: '2031-01-02T00:00:00.001Z',
      },
    ],
  ],
  'expiry-not-repeated': [
    'times',
    'failed',
    [active((it) => ({ ...it, expiresAt: '2030-02-01T00:00:00Z' as Timestamp }))],
    [changed(negotiated(), 4, ({ expiresAt, ...rest }) => rest as ContractRevision)],
    [{ ...negotiated(), expiresAt: after(EXPIRES_AT, 1) }],
  ],
  'too-late': [
    'times',
    'failed',
    [active(undefined, { deadline: answeredAt(1) })],
    [
      interactionOf({
        status: 'rejected',
        revisions: [{ by: alpha, status: 'rejected', contract: { deadline: START } }],
      }),
    ],
    [{ ...active(), updatedAt: EXPIRES_AT }],
    [active((it) => ({ ...it, updatedAt: EXPIRES_AT }))],
  ],
  'terms-hash-mismatch': [
    'terms-hash',
    'failed',
    [active((it) => ({ ...it, contract: { ...it.contract, retentionDays: 31 } }))],
    [
      active((it) => ({
        ...it,
        termsHash: interactionOf({
          status: 'pending',
          revisions: [{ by: alpha, status: 'proposed', contract: { purpose: 'T2' } }],
        }).termsHash,
      })),
    ],
  ],
  'signatures-not-empty': [
    'signatures-empty',
    'failed',
    [
      active(undefined, {
        signatures: { 'agent-alpha': { algorithm: 'Ed25519', keyId: 'k', value: 'v' } } as never,
      }),
    ],
  ],
  'link-broken': [
    'revision-link',
    'failed',
    [active((it) => ({ ...it, previousTermsHash: it.termsHash }))],
    [changed(negotiated(), 2, ({ previousTermsHash, ...rest }) => attested(rest))],
    [
      changed(negotiated(), 4, (it) => ({
        ...it,
        previousTermsHash: negotiated().contractRevisions[0]!.termsHash,
      })),
    ],
  ],
  'terms-unchanged': [
    'revision-link',
    'failed',
    [
      interactionOf({
        status: 'active',
        revisions: [
          { ...superseded, contract: CONTRACT },
          { ...accepted, contract: CONTRACT },
        ],
      }),
    ],
    [
      interactionOf({
        status: 'active',
        revisions: [
          { by: alpha, status: 'accepted', and: [beta], contract: CONTRACT },
          { by: alpha, status: 'superseded' },
          { by: beta, status: 'proposed', contract: CONTRACT },
        ],
      }),
    ],
  ],
  'acceptance-missing': [
    'acceptances',
    'failed',
    [active((it) => ({ ...it, acceptances: { [alpha.agentId]: it.acceptances[alpha.agentId]! } }))],
    [active((it) => ({ ...it, acceptances: { [beta.agentId]: it.acceptances[beta.agentId]! } }))],
    [changed(negotiated(), 4, (it) => ({ ...it, acceptances: {} }))],
  ],
  'acceptance-surplus': [
    'acceptances',
    'failed',
    [
      interactionOf({
        status: 'pending',
        revisions: [{ by: alpha, status: 'proposed', and: [beta] }],
      }),
    ],
  ],
  'agent-id-mismatch': [
    'acceptance',
    'failed',
    [
      active((it) => ({
        ...it,
        acceptances: {
          [alpha.agentId]: it.acceptances[alpha.agentId]!,
          [beta.agentId]: it.acceptances[alpha.agentId]!,
        },
      })),
    ],
  ],
  'not-a-party': [
    'acceptance',
    'failed',
    [
      active((it) => ({
        ...it,
        acceptances: {
          ...it.acceptances,
          [gamma.agentId]: signAcceptance(gamma, it, it.updatedAt),
        },
      })),
    ],
  ],
  'accepts-other-terms': [
    'acceptance',
    'failed',
    // The acceptance of revision 1, handed in for an amendment.
    [
      changed(negotiated(), 2, (it) => ({
        ...it,
        acceptances: {
          ...it.acceptances,
          [alpha.agentId]: negotiated().contractRevisions[0]!.acceptances[alpha.agentId]!,
        },
      })),
    ],
    [active(withAcceptance(beta, bySignature({ termsHash: 'x'.repeat(43) as TermsHash })))],
  ],
  'signature-missing': [
    'acceptance',
    'failed',
    [active(withAcceptance(beta, ({ signature, ...rest }) => rest))],
  ],
  'signature-unexpected': [
    'acceptance',
    'failed',
    [active(withAcceptance(beta, bySignature({ method: 'oauth_account' })))],
  ],
  'method-without-signature': [
    'acceptance',
    'not-checkable',
    ...(['oauth_installation', 'oauth_account', 'policy_auto_accept'] as const).map(
      (method) =>
        [active(withAcceptance(beta, ({ signature, ...rest }) => ({ ...rest, method })))] as const,
    ),
  ],
  'key-missing': [
    'acceptance',
    'not-checkable',
    [active(), keys((it) => (it.agents = { [alpha.agentId]: [keyEntry(alpha)] }))],
    [active(), keys((it) => (it.agents[beta.agentId] = []))],
  ],
  'key-id-wrong': [
    'acceptance',
    'failed',
    [
      active(
        withAcceptance(beta, (it) => ({
          ...it,
          signature: { ...it.signature!, keyId: 'agent-beta#2' as KeyId },
        })),
      ),
    ],
  ],
  'key-malformed': [
    'acceptance',
    'failed',
    [
      active(),
      keys(
        (it) =>
          (it.agents[beta.agentId] = [
            keyEntry(beta, { jwk: { ...beta.jwk, x: `${beta.jwk.x}=` } }),
          ]),
      ),
    ],
    [
      active(),
      keys(
        (it) =>
          (it.agents[beta.agentId] = [keyEntry(beta, { jwk: { ...beta.jwk, crv: 'X25519' } })]),
      ),
    ],
  ],
  'key-unsafe-point': [
    'acceptance',
    'failed',
    [
      active(
        withAcceptance(beta, (it) => ({
          ...it,
          signature: { ...it.signature!, value: identitySignature },
        })),
      ),
      keys(
        (it) =>
          (it.agents[beta.agentId] = [keyEntry(beta, { jwk: { ...beta.jwk, x: identityPoint } })]),
      ),
    ],
  ],
  'signature-invalid': [
    'acceptance',
    'failed',
    [active(), keys((it) => (it.audience = 'https://elsewhere.example'))],
    [active(), keys((it) => (it.agents[beta.agentId] = [keyEntry(alpha, { keyId: beta.keyId })]))],
    [active(withAcceptance(beta, (it) => ({ ...it, acceptedAt: after(it.acceptedAt, 1) })))],
    ...[
      { revision: 2 },
      { interactionId: '7c9e6679-7425-40de-944b-e07fc1f90ae8' as InteractionId },
      { previousTermsHash: 'A'.repeat(43) as TermsHash },
      { expiresAt: after(EXPIRES_AT, 1) },
    ].map(
      (other) =>
        [
          active((it) => ({
            ...it,
            acceptances: {
              ...it.acceptances,
              [beta.agentId]: signAcceptance(beta, { ...it, ...other }, it.updatedAt),
            },
          })),
        ] as const,
    ),
    ...[
      (value: string) => `${value}==`,
      (value: string) => `${value}\n`,
      // The unused bits of the last character.
      (value: string) => value.slice(0, -1) + String.fromCharCode(value.charCodeAt(85) + 1),
      () => Buffer.alloc(64, 255).toString('base64url'),
    ].map(
      (respell) =>
        [
          active(
            withAcceptance(beta, (it) => ({
              ...it,
              signature: { ...it.signature!, value: respell(it.signature!.value) },
            })),
          ),
        ] as const,
    ),
  ],
  'accepted-at-implausible': [
    'acceptance',
    'failed',
    [
      active((it) => ({
        ...it,
        acceptances: {
          ...it.acceptances,
          [beta.agentId]: signAcceptance(beta, it, '2030-01-01T00:10:00.0000001Z' as Timestamp),
        },
      })),
    ],
    [
      active((it) => ({
        ...it,
        acceptances: {
          ...it.acceptances,
          [beta.agentId]: signAcceptance(beta, it, '2029-12-31T23:59:59.9999Z' as Timestamp),
        },
      })),
    ],
    [
      active((it) => ({
        ...it,
        acceptances: {
          ...it.acceptances,
          [alpha.agentId]: signAcceptance(alpha, it, after(START, 301)),
        },
      })),
    ],
  ],
  'key-not-yet-valid': [
    'acceptance',
    'failed',
    [
      active(),
      keys((it) => (it.agents[beta.agentId] = [keyEntry(beta, { from: after(answeredAt(1), 1) })])),
    ],
  ],
  'key-window-ended': [
    'acceptance',
    'failed',
    [active(), keys((it) => (it.agents[beta.agentId] = [keyEntry(beta, { until: longBefore })]))],
  ],
  raced: [
    'acceptance',
    'failed',
    [
      active(),
      keys(
        (it) =>
          (it.agents[beta.agentId] = [keyEntry(beta, { until: longBefore, revoked: longBefore })]),
      ),
    ],
    [
      active(),
      keys(
        (it) => (it.agents[alpha.agentId] = [keyEntry(alpha, { revoked: after(START, -300.001) })]),
      ),
    ],
  ],
  'recorded-moment-unknown': [
    'acceptance',
    'not-checkable',
    [
      interactionOf({
        status: 'active',
        revisions: [
          {
            by: alpha,
            status: 'accepted',
            and: [beta, gamma],
            contract: { parties: threeParties },
          },
        ],
      }),
      keys(
        (it) => (it.agents[beta.agentId] = [keyEntry(beta, { until: after(answeredAt(1), -10) })]),
      ),
    ],
    // It is around its key's end, which came first or second: only places tell.
    ...[-300, -0.001, 0, 0.001, 300]
      .map((seconds) => after(answeredAt(1), seconds))
      .flatMap((end) => [{ until: end }, { until: end, revoked: end }, { revoked: end }])
      .map(
        (window) =>
          [active(), keys((it) => (it.agents[beta.agentId] = [keyEntry(beta, window)]))] as const,
      ),
  ],
  'attestation-missing': [
    'attestation',
    'failed',
    [changed(active(), 1, ({ platformAttestation, ...rest }) => rest)],
  ],
  'attestation-unexpected': [
    'attestation',
    'failed',
    [changed(negotiated(), 4, (it) => attested(it))],
  ],
  'digest-mismatch': [
    'attestation',
    'failed',
    [
      changed(negotiated(), 2, (it) => ({
        ...it,
        platformAttestation: attested({ ...it, updatedAt: START }).platformAttestation!,
      })),
    ],
    [changed(negotiated(), 2, (it) => ({ ...it, updatedAt: after(it.updatedAt, 1) }))],
  ],
  'key-purpose': [
    'attestation',
    'failed',
    [active(), keys((it) => (it.platform = [{ ...keyEntry(platform), purpose: 'checkpoint' }]))],
  ],
  'key-revoked': [
    'attestation',
    'failed',
    [
      active(),
      keys(
        (it) =>
          (it.platform = [
            { ...keyEntry(platform, { revoked: longBefore }), purpose: 'attestation' },
          ]),
      ),
    ],
  ],
  'log-position-needed': [
    'attestation',
    'not-checkable',
    ...[-300, 0, 300].map(
      (seconds) =>
        [
          active(),
          keys((it) => {
            const revoked = after(answeredAt(1), seconds);
            it.platform = [{ ...keyEntry(platform, { revoked }), purpose: 'attestation' }];
          }),
        ] as const,
    ),
    [
      active(),
      keys(
        (it) =>
          (it.platform = [
            { ...keyEntry(platform, { revoked: after(answeredAt(1), 1) }), purpose: 'attestation' },
          ]),
      ),
    ],
  ],
};

describe('every reason has its cases', () => {
  const cases = Object.entries(WAYS).flatMap(([reason, [check, result, ...documents]]) =>
    documents.map(([document, keys], index) => ({ reason, check, result, document, keys, index })),
  );

  it.each(cases)(
    '$reason, way $index: $check $result',
    ({ reason, check, result, document, keys }) => {
      const { result: overall, checks } = verify(document, keys);
      expect(checks).toContainEqual(expect.objectContaining({ check, reason, result }));
      if (result === 'failed') expect(overall).toBe('failed');
      else expect(overall).toBe('not-checkable');
    },
  );

  it.each([
    ['platform-1', keys((it) => (it.platform = []))],
    ['agent-beta#1', keys((it) => (it.agents[beta.agentId] = []))],
  ])('what is missing is named: %s', (name, without) => {
    const [gap, ...more] = verify(active(), without).checks.filter(
      ({ result }) => result !== 'verified',
    );
    expect(gap?.detail).toContain(name);
    expect(more).toEqual([]);
  });
});

describe('everything else about a document with one flaw is verified', () => {
  it.each([
    [
      'a changed term',
      active((it) => ({ ...it, contract: { ...it.contract, retentionDays: 31 } })),
      ['terms-hash interaction: terms-hash-mismatch', 'terms-hash revision 1: terms-hash-mismatch'],
    ],
    [
      'a late acceptance',
      active(undefined, { deadline: answeredAt(1) }),
      ['times interaction: too-late'],
    ],
    [
      'an acceptance of another hash',
      active(withAcceptance(beta, bySignature({ termsHash: 'x' as TermsHash }))),
      ['acceptance revision 1, agent-beta: accepts-other-terms'],
    ],
  ] as [string, FederatedInteraction, string[]][])('%s', (_, document, expected) => {
    expect(complaints(document)).toEqual(expected);
  });

  it('a key that was replaced or revoked later still verifies what it signed', () => {
    const later = after(answeredAt(4), 300.001);
    const retired = keys((it) => {
      it.agents[alpha.agentId] = [keyEntry(alpha, { until: later })];
      it.agents[beta.agentId] = [keyEntry(beta, { until: later, revoked: later })];
      it.platform = [{ ...keyEntry(platform, { until: later }), purpose: 'attestation' }];
    });
    expect(complaints(negotiated(), retired)).toEqual([]);
  });

  it('a window includes its beginning, and ends 300 s behind what it certainly holds', () => {
    const window = { from: answeredAt(1), until: after(answeredAt(1), 300.001) };
    const exact = keys((it) => {
      it.agents[beta.agentId] = [keyEntry(beta, window)];
      it.platform = [{ ...keyEntry(platform, window), purpose: 'attestation' }];
    });
    expect(complaints(active(), exact)).toEqual([]);
  });

  it('an attestation by another key under the name of a known one', () => {
    const impostor = signer('platform', 8, platform.keyId);
    const document = changed(active(), 1, (it) => ({
      ...it,
      platformAttestation: attestRevision(
        (({ platformAttestation, ...rest }) => rest)(it),
        impostor.keyId,
        impostor.key,
      ),
    }));
    expect(complaints(document)).toEqual(['attestation revision 1: signature-invalid']);
  });

  it('attestations dated outside the window of the platform key', () => {
    for (const [window, reason] of [
      [{ from: after(answeredAt(1), 1) }, 'key-not-yet-valid'],
      [{ until: longBefore }, 'key-window-ended'],
      [{ until: after(answeredAt(1), -300) }, 'recorded-moment-unknown'],
      [{ until: answeredAt(1) }, 'recorded-moment-unknown'],
      [{ until: after(answeredAt(1), 300) }, 'recorded-moment-unknown'],
      [{ jwk: { ...platform.jwk, x: identityPoint } }, 'key-unsafe-point'],
    ] as const) {
      const given = keys(
        (it) => (it.platform = [{ ...keyEntry(platform, window), purpose: 'attestation' }]),
      );
      expect(complaints(active(), given)).toEqual([`attestation revision 1: ${reason}`]);
    }
  });

  it('with three parties someone must have accepted when the revision was last updated', () => {
    const document = interactionOf({
      status: 'active',
      revisions: [
        {
          by: alpha,
          status: 'accepted',
          contract: { parties: threeParties },
          change: (it) => {
            const early = after(proposedAt(1), 1);
            const others = [beta, gamma].map((by) => [by.agentId, signAcceptance(by, it, early)]);
            const updatedAt = after(early, 301);
            return {
              ...it,
              updatedAt,
              acceptances: { ...it.acceptances, ...Object.fromEntries(others) },
            };
          },
        },
      ],
    });
    expect(complaints(document)).toEqual(['acceptances revision 1: accepted-at-implausible']);
  });
});

/** As docs/verification.md lists it: "What `verified` does not say". */
describe('what no signature covers', () => {
  /** Terms in force, and an amendment that was rejected although two of three had accepted it. */
  const contract = { parties: [alpha.agentId, beta.agentId, gamma.agentId] };
  const amended = interactionOf({
    status: 'active',
    revisions: [
      { by: alpha, status: 'accepted', and: [beta, gamma], contract },
      { by: beta, status: 'rejected', and: [gamma], contract },
    ],
  });
  const never = interactionOf({
    status: 'rejected',
    revisions: [{ by: alpha, status: 'rejected' }],
  });

  const withRevision = (
    document: FederatedInteraction,
    number: number,
    change: (revision: ContractRevision) => ContractRevision,
  ): FederatedInteraction => ({
    ...document,
    contractRevisions: document.contractRevisions.map((revision) =>
      revision.revision === number ? change(revision) : revision,
    ),
  });
  const without = (agentId: AgentId, { acceptances }: ContractRevision): object =>
    Object.fromEntries(Object.entries(acceptances).filter(([id]) => id !== agentId));
  const elsewhere = { ...amended.responderTransport, endpoint: 'https://other.example/a2a' };
  const { initiatorTransport: _none, ...noTransport } = amended;
  const later = after(answeredAt(2), 60);
  const anotherId = '7c9e6679-7425-40de-944b-e07fc1f90ae8' as Uuid;

  it.each<readonly [string, object]>([
    ['no transport of the initiator', noTransport],
    ['another transport', { ...amended, responderTransport: elsewhere }],
    ['another end', { ...amended, status: 'completed' }],
    ['an end by cancellation', { ...amended, status: 'cancelled' }],
    ['an expiry', { ...amended, status: 'expired', updatedAt: EXPIRES_AT }],
    ['another moment of the interaction', { ...amended, updatedAt: later }],
    ['a withdrawal instead of a rejection', { ...never, status: 'cancelled' }],
    [
      'another id',
      withRevision(amended, 2, (revision) => ({ ...revision, revisionId: anotherId })),
    ],
    [
      'another beginning',
      withRevision(amended, 2, (revision) => ({
        ...revision,
        createdAt: after(revision.createdAt, 1),
      })),
    ],
    [
      'another end of the revision',
      withRevision({ ...amended, updatedAt: later }, 2, (revision) => ({
        ...revision,
        updatedAt: later,
      })),
    ],
    [
      'a proposal that is open',
      withRevision(amended, 2, (revision) => ({ ...revision, status: 'proposed' })),
    ],
    [
      'another proposer of those who accepted',
      withRevision(amended, 2, (revision) => ({
        ...revision,
        proposedByAgentId: gamma.agentId,
      })),
    ],
    [
      'an acceptance less',
      withRevision(amended, 2, (revision) => ({
        ...revision,
        acceptances: without(gamma.agentId, revision) as ContractRevision['acceptances'],
      })),
    ],
    [
      'another beginning of all',
      {
        ...withRevision(never, 1, (revision) => ({ ...revision, createdAt: after(START, 1) })),
        createdAt: after(START, 1),
      },
    ],
  ])('is verified all the same: %s', (_name, document) => {
    expect(document).not.toEqual(amended);
    expect(complaints(document)).toEqual([]);
  });

  it.each<readonly [string, object]>([
    ['another id', { revisionId: anotherId }],
    ['another beginning', { createdAt: after(START, 1) }],
    ['another proposer', { proposedByAgentId: gamma.agentId }],
  ])('is less of accepted terms, which are attested: %s', (_name, change) => {
    const document = withRevision(amended, 1, (revision) => ({ ...revision, ...change }));
    expect(complaints(document)).toContain('attestation revision 1: digest-mismatch');
  });
});
