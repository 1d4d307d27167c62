import { spkiOf } from '../../../kernel/ed25519.js';
import type { JsonObject } from '../../../kernel/json.js';
import { changeHash, reasonHash } from '../../../kernel/statements.js';
import type { PlacedEvent } from './entry.js';
import type { AgentChangeEvent, RegisteredKeyData } from './event-data.js';
import { REASON_TEXTS } from './event-shapes.js';
import { policyRules } from './policy-texts.js';

/**
 * Whether this is the hash of a request that asks for the recorded change, of the agent as it was just
 * before. Undefined where the event does not hold all that was signed: the words of a reason and the
 * rules of a policy are texts, which who reads the log need not have.
 */
export function isOfRequest(
  hash: string,
  event: AgentChangeEvent,
  placed: PlacedEvent,
): boolean | undefined {
  const expectedRevision = placed.envelope.revision - 1;
  return requestsOf(event, placed)?.some(
    (request) => changeHash({ expectedRevision, ...request }) === hash,
  );
}

/** The requests that are recorded as this change: some things can be asked for in two forms. */
function requestsOf(event: AgentChangeEvent, placed: PlacedEvent): readonly object[] | undefined {
  switch (event.type) {
    case 'agent-key-added': {
      const { key, replaces } = event.data;
      const named = replaces === null ? {} : { replaces };
      return formsOf(key).map((form) => ({ change: 'add-key', key: form, ...named }));
    }
    case 'agent-key-revoked': {
      const { keyId } = event.data;
      const reason = reasonOf(event.data.reasonHash, placed);
      return reason && [{ change: 'revoke-key', keyId, ...reason }];
    }
    case 'agent-methods-changed':
      return [{ change: 'change-methods', methods: event.data.methods }];
    case 'agent-policy-changed': {
      const rules = policyRules(event, placed);
      if (!rules.ok || rules.value === undefined) return undefined;
      return [{ change: 'change-policy', policy: rules.value }];
    }
    case 'agent-clients-changed':
      return [{ change: 'change-clients', clients: event.data.clients }];
    case 'agent-transport-changed': {
      const change = 'change-transport';
      const { managedBy, ...endpoint } = event.data.transport;
      return managedBy === 'agent'
        ? [
            { change, transport: endpoint },
            { change, transport: event.data.transport },
          ]
        : [{ change, hosted: true }];
    }
    case 'agent-retired': {
      const reason = reasonOf(event.data.reasonHash, placed);
      return reason && [{ change: 'retire', ...reason }];
    }
  }
}

function formsOf({ keyId, jwk, proof }: RegisteredKeyData): readonly JsonObject[] {
  const { signedAt, value } = proof;
  const rest = { keyId, proof: { signedAt, value } };
  const { kty, crv, x } = jwk;
  return [
    { ...rest, jwk: { kty, crv, x } },
    { ...rest, spki: spkiOf(jwk) },
  ];
}

/** The member of a request, none without a reason; undefined where its words are not given. */
function reasonOf(hash: string | null, { texts }: PlacedEvent): object | undefined {
  if (hash === null) return {};
  if (REASON_TEXTS(texts, '') !== undefined) return undefined;
  const { reason } = texts as { readonly reason: string | null };
  return reason !== null && reasonHash(reason) === hash ? { reason } : undefined;
}
