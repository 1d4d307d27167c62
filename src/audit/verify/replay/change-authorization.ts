import type { Ed25519Jwk } from '../../../kernel/ed25519.js';
import type { AgentId } from '../../../kernel/ids.js';
import {
  makeStatement,
  verifyStatement,
  type AgentChangeStatement,
} from '../../../kernel/statements.js';
import { failure, gap, type Flaw } from '../check-result.js';
import type { AgentCommands } from './agent-commands.js';
import { isOfRequest } from './change-request.js';
import type { PlacedEvent } from './entry.js';
import type { AgentChangeEvent, Authorization } from './event-data.js';
import type { Ignorance, KeyHistory } from './key-history.js';
import { signedMomentFits } from './transitions.js';

/** Whose change it is, just before it. */
interface Owner {
  readonly agentId: AgentId;
  /** The platform's, which the signature names. */
  readonly audience: string;
  readonly keys: KeyHistory;
  readonly ignorance: Ignorance | null;
}

/**
 * A change is signed by a key of the agent's own, or made by a way that is open without one.
 *
 * Whether an owner's administrator made a change, only the platform tells. It counts all the same, and
 * from its place on: one that takes a key, a method or the agent away has to, since whoever lost a key
 * cannot sign its revocation. One that adds a key casts doubt on what is signed with it
 * ({@link KeyHistory.doubt}), and on nothing else.
 *
 * @param commands takes the signed request
 * @param goesWithFirstKey that the event is the second half of the command that gave the agent its first key
 */
export function authorizationFlaw(
  owner: Owner,
  event: AgentChangeEvent,
  placed: PlacedEvent,
  commands: AgentCommands,
  goesWithFirstKey: boolean,
): Flaw | undefined {
  const { keys, ignorance } = owner;
  const { authorization } = event.data;
  switch (authorization.by) {
    case 'signature':
      return signedChangeFlaw(owner, authorization, event, placed, commands);
    case 'token':
      if (!keys.isEmpty && !goesWithFirstKey) {
        return failure('signature-missing', 'the agent has had keys');
      }
      return ignorance === null ? undefined : gap(ignorance);
    case 'owner-admin':
      return !keys.isEmpty || ignorance !== null
        ? undefined
        : failure('illegal-transition', 'the agent never had keys');
  }
}

/** What is wrong with a signed change outweighs what is not known of its key. */
function signedChangeFlaw(
  { agentId, audience, keys, ignorance }: Owner,
  { keyId, signedAt, changeHash, value }: Extract<Authorization, { by: 'signature' }>,
  event: AgentChangeEvent,
  placed: PlacedEvent,
  commands: AgentCommands,
): Flaw | undefined {
  const repeated = commands.takeRequest(changeHash);
  const { recordedAt } = placed.envelope;
  if (!signedMomentFits(signedAt, recordedAt, true)) {
    return failure('signed-at-implausible', keyId);
  }
  const statement = makeStatement<AgentChangeStatement>('agent/change', {
    audience,
    agentId,
    changeHash,
    signedAt,
  });
  const isSignedBy = (jwk: Ed25519Jwk): boolean => verifyStatement(jwk, statement, value);
  const flaw = keys.signatureFlaw(keyId, isSignedBy, recordedAt, ignorance);
  if (flaw?.result === 'failed') return flaw;
  if (isOfRequest(changeHash, event, placed) === false) {
    return failure('change-hash-mismatch', keyId);
  }
  return repeated ?? flaw;
}
