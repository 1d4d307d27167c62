import { describe, expect, it } from '@jest/globals';
import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import type { EventEnvelope } from '../../../src/kernel/envelope.js';
import type {
  Acceptance,
  FederatedInteraction,
} from '../../../src/kernel/federated-interaction.js';
import { signEd25519 } from '../../../src/kernel/ed25519.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import {
  makeStatement,
  statementText,
  type AcceptanceStatement,
} from '../../../src/kernel/statements.js';
import type { Timestamp } from '../../../src/kernel/timestamp.js';
import { AUDIENCE, signingKey, type SigningKey } from '../../support/interaction-fixtures.js';
import {
  betaKey,
  bundleOf,
  envelope,
  golden,
  logKey,
  preludeOf,
  registeredKey,
  signedChange,
  trusting,
} from '../support/bundles.js';

/**
 * Alpha proposes, beta counters, alpha rejects. Beta's owner changes its agent with `agents:admin`, and
 * no key of the agent signs that.
 */
const told = golden('rejected');
const [proposed, countered, rejected] = told.events as [
  EventEnvelope,
  EventEnvelope,
  EventEnvelope,
];
const trust = trusting(logKey);
const BETA = 'agent-beta';
const BEFORE = '2029-12-31T12:00:00.000Z' as Timestamp;
const BETWEEN = '2030-01-01T00:01:30.000Z' as Timestamp;
const UNSIGNED = { by: 'owner-admin' };
const second = signingKey('agent-beta#2', 41);
const third = signingKey('agent-beta#3', 42);
const fourth = signingKey('agent-beta#4', 43);

interface Change {
  readonly type: string;
  readonly data: object;
  readonly by: object;
}

const adding = (key: SigningKey, by: object, at = BEFORE, replaces: string | null = null) => ({
  type: 'agent-key-added',
  data: { key: registeredKey(BETA, key, at), replaces },
  by,
});
const revoking = (keyId: string, by: object) => ({
  type: 'agent-key-revoked',
  data: { keyId, reasonHash: null },
  by,
});
const signedBy = (key: SigningKey, at = BEFORE): object => signedChange(BETA, key, at);

/** Changes of beta, numbered on from its registration. */
function changes(at: Timestamp, made: readonly Change[], from = 1): readonly EventEnvelope[] {
  return made.map(({ type, data, by }, nth) => ({
    ...envelope(
      `agent-${BETA}`,
      from + nth,
      type,
      { agentId: BETA, authorization: by, ...data },
      at,
    ),
    sealed: type === 'agent-key-revoked' || type === 'agent-retired' ? 'A'.repeat(40) : null,
  }));
}

/** Beta's acceptance of its own terms, signed with this key. */
function acceptanceBy(key: SigningKey): Acceptance {
  const { acceptance, previousTermsHash } = countered.data as unknown as {
    readonly acceptance: Acceptance;
    readonly previousTermsHash: AcceptanceStatement['previousTermsHash'];
  };
  const statement = makeStatement<AcceptanceStatement>('federated-interaction/acceptance', {
    audience: AUDIENCE,
    interactionId: told.document.interactionId,
    revision: 2,
    previousTermsHash,
    termsHash: acceptance.termsHash,
    expiresAt: told.document.expiresAt,
    agentId: BETA as AgentId,
    method: 'ed25519',
    acceptedAt: acceptance.acceptedAt,
  });
  const value = signEd25519(key.privateKey, statementText(statement));
  return { ...acceptance, signature: { algorithm: 'Ed25519', keyId: key.keyId, value } };
}

function documentWith(acceptance: Acceptance): FederatedInteraction {
  const acceptances = { [BETA]: acceptance };
  const contractRevisions = told.document.contractRevisions.map((revision) =>
    revision.revision === 2 ? { ...revision, acceptances } : revision,
  );
  return { ...told.document, acceptances, contractRevisions };
}

interface Story {
  /** Changes of beta before the interaction, and between its acceptance and alpha's rejection. */
  readonly before?: readonly Change[];
  readonly between?: readonly Change[];
  /** By which beta accepts. */
  readonly key?: SigningKey;
}

function verify({ before = [], between = [], key = betaKey }: Story) {
  const acceptance = acceptanceBy(key);
  const log = [
    ...preludeOf(told),
    ...changes(BEFORE, before),
    proposed,
    { ...countered, data: { ...countered.data, acceptance } as unknown as EventEnvelope['data'] },
    ...changes(BETWEEN, between, before.length + 1),
    rejected,
  ];
  const [dataKey = null] = Object.values(told.dataKeys);
  const { result, checks } = verifyBundle(
    bundleOf({ log, document: documentWith(acceptance), dataKey }),
    trust,
  );
  const doubts = checks
    .filter((each) => each.result !== 'verified')
    .map(
      ({ result, check, subject, reason, detail }) =>
        `${subject.replace(told.document.interactionId, 'x')} ${check} ${result} ${reason} (${detail})`,
    );
  return { result, doubts, checks };
}

const accepted = (doubt: string) => `interaction-x@1, revision 2, agent-beta acceptance ${doubt}`;

describe('a key that no earlier key signed', () => {
  it('changes nothing of what does not rest on it, and is told', () => {
    for (const story of [
      { before: [adding(second, UNSIGNED)] },
      { between: [adding(second, UNSIGNED, BETWEEN)] },
      { between: [adding(second, UNSIGNED, BETWEEN, betaKey.keyId)] },
    ]) {
      const { result, doubts, checks } = verify(story);
      expect([result, doubts]).toEqual(['verified', []]);
      expect(checks).toContainEqual(
        expect.objectContaining({ check: 'change', subject: 'agent-agent-beta@1, owner-admin' }),
      );
    }
  });

  it.each<[string, readonly Change[], SigningKey]>([
    ['the key itself', [adding(second, UNSIGNED)], second],
    [
      'a key that it signed for',
      [adding(second, UNSIGNED), adding(third, signedBy(second))],
      third,
    ],
    [
      'the next one after that',
      [adding(second, UNSIGNED), adding(third, signedBy(second)), adding(fourth, signedBy(third))],
      fourth,
    ],
  ])('leaves it open who signed with %s', (_, before, key) => {
    const { result, doubts } = verify({ before, key });
    expect(result).toBe('not-checkable');
    expect(doubts).toEqual([
      accepted(`not-checkable change-without-signature (${key.keyId} rests on agent-agent-beta@1)`),
    ]);
  });

  it('casts no doubt on one that an earlier key signed for afterwards', () => {
    const before = [adding(second, UNSIGNED), adding(third, signedBy(betaKey))];
    expect(verify({ before, key: third })).toMatchObject({ result: 'verified', doubts: [] });
  });

  it('hides nothing that is wrong: another method, another signer', () => {
    const onlyByToken = {
      type: 'agent-methods-changed',
      data: { methods: ['oauth_account'] },
      by: UNSIGNED,
    };
    const before = [adding(second, UNSIGNED)];
    expect(verify({ before: [...before, onlyByToken], key: second }).doubts).toEqual([
      accepted('failed method-not-permitted (ed25519)'),
    ]);
    const forger = { ...third, keyId: second.keyId };
    expect(verify({ before, key: forger }).doubts).toEqual([
      accepted('failed signature-invalid (agent-beta#2)'),
    ]);
  });
});

describe('a revocation that nobody signed', () => {
  it.each([
    ['nobody', UNSIGNED],
    ['a key that rests on an unsigned change', signedBy(second)],
    ['the key itself', signedBy(betaKey)],
  ])('counts from its place on, as one by %s does: what is signed later fails', (_, by) => {
    const before = [adding(second, UNSIGNED), revoking(betaKey.keyId, by)];
    const { result, doubts } = verify({ before });
    expect([result, doubts]).toEqual(['failed', [accepted('failed raced (agent-beta#1)')]]);
  });

  it('takes nothing from what was signed before it', () => {
    const between = [revoking(betaKey.keyId, UNSIGNED)];
    expect(verify({ between })).toMatchObject({ result: 'verified', doubts: [] });
  });

  it('nor is a replaced key good again because nobody signed its replacement', () => {
    const before = [adding(second, UNSIGNED, BEFORE, betaKey.keyId)];
    expect(verify({ before }).doubts).toEqual([accepted('failed key-window-ended (agent-beta#1)')]);
  });

  it('of a key in doubt makes what it signs later wrong, not open', () => {
    const before = [adding(second, UNSIGNED), revoking(second.keyId, signedBy(betaKey))];
    expect(verify({ before, key: second }).doubts).toEqual([
      accepted('failed raced (agent-beta#2)'),
    ]);
  });
});

describe('other changes that nobody signed', () => {
  const methods = (...list: readonly string[]): Change => ({
    type: 'agent-methods-changed',
    data: { methods: list },
    by: UNSIGNED,
  });
  const policy: Change = {
    type: 'agent-policy-changed',
    data: { policy: { taskCategories: [], allowedActions: [], maxRetentionDays: 1 } },
    by: UNSIGNED,
  };

  it('of methods and policy: an acceptance by the agent’s own key rests on none of them', () => {
    const before = [methods('oauth_account'), policy, methods('ed25519')];
    expect(verify({ before })).toMatchObject({ result: 'verified', doubts: [] });
  });

  it('count all the same where they forbid what follows', () => {
    expect(verify({ before: [methods('oauth_account')] }).doubts).toEqual([
      accepted('failed method-not-permitted (ed25519)'),
    ]);
    const retired: Change = { type: 'agent-retired', data: { reasonHash: null }, by: UNSIGNED };
    expect(verify({ before: [retired] }).doubts[0]).toBe(
      'interaction-x@0 transition failed party-unknown (agent-beta)',
    );
  });
});
