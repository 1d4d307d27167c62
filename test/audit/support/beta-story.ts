import { verifyBundle } from '../../../src/audit/verify/verify-bundle.js';
import type { EventEnvelope, Sealed } from '../../../src/kernel/envelope.js';
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
  requestOf,
  signedChange,
  trusting,
} from './bundles.js';

/** Alpha proposes, beta counters, alpha rejects; and all the while beta's agent is changed. */
const told = golden('rejected');
const [proposed, countered, rejected] = told.events as [
  EventEnvelope,
  EventEnvelope,
  EventEnvelope,
];
const trust = trusting(logKey);
export const BETA = 'agent-beta';
export const BEFORE = '2029-12-31T12:00:00.000Z' as Timestamp;
export const BETWEEN = '2030-01-01T00:01:30.000Z' as Timestamp;
export const UNSIGNED = { by: 'owner-admin' };
export const BY_TOKEN = { by: 'token' };
export const second = signingKey('agent-beta#2', 41);
export const third = signingKey('agent-beta#3', 42);
export const fourth = signingKey('agent-beta#4', 43);

export interface Change {
  readonly type: string;
  readonly data: object;
  /** The key that signs it, or what else is recorded to entitle to it. */
  readonly by: SigningKey | object;
  /** The event's command and its place in that; otherwise it has one of its own. */
  readonly command?: string;
  readonly index?: number;
}

export const adding = (
  key: SigningKey,
  by: Change['by'],
  at = BEFORE,
  replaces: string | null = null,
): Change => ({
  type: 'agent-key-added',
  data: { key: registeredKey(BETA, key, at), replaces },
  by,
});
export const revoking = (keyId: string, by: Change['by']): Change => ({
  type: 'agent-key-revoked',
  data: { keyId, reasonHash: null },
  by,
});

/** What a key signs for a change at this place of beta's stream. */
export function signatureOf(
  { type, data }: Pick<Change, 'type' | 'data'>,
  by: SigningKey,
  revision: number,
  at = BEFORE,
): object {
  return signedChange(BETA, by, requestOf(type, data, revision), at);
}

/** Changes of beta, numbered on from its registration. */
export function changes(
  at: Timestamp,
  made: readonly Change[],
  from = 1,
): readonly EventEnvelope[] {
  return made.map((change, nth) => {
    const { type, data, by, command, index } = change;
    const revision = from + nth;
    const authorization = 'privateKey' in by ? signatureOf(change, by, revision, at) : by;
    const told = { agentId: BETA, authorization, ...data };
    const event = envelope(`agent-${BETA}`, revision, type, told, at, command, index);
    const isSealed = type === 'agent-key-revoked' || type === 'agent-retired';
    return isSealed ? { ...event, sealed: 'A'.repeat(40) as Sealed } : event;
  });
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
  /** How beta was registered, if not with its first key. */
  readonly registered?: EventEnvelope;
  /** Changes of beta before the interaction, and between its acceptance and alpha's rejection. */
  readonly before?: readonly Change[];
  readonly between?: readonly Change[];
  /** By which beta accepts. */
  readonly key?: SigningKey;
}

/** What the verifier makes of it, with the real keys' signatures, where it has doubts. */
export function verifyStory({ registered, before = [], between = [], key = betaKey }: Story) {
  const acceptance = acceptanceBy(key);
  const log = [
    ...preludeOf(told).map((event) =>
      event.stream === `agent-${BETA}` ? (registered ?? event) : event,
    ),
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
