import { MAX_KEYS, MAX_PARTIES } from '../limits.js';
import {
  agentId,
  base64UrlLength,
  count,
  hash,
  interactionId,
  keyId,
  moment,
  name,
  revisionNumber,
  signature,
  signatureValue,
  text,
  uuid,
} from './forms.js';
import { isRecord, listOf, members, oneOf, orNull, textThat, when, type Shape } from './shapes.js';

/** What an event of a type holds in one schema version: `data`, and whether texts are sealed in it. */
export interface EventShape {
  readonly data: Shape;
  readonly sealed: boolean;
}

const ACCEPTANCE_METHODS = ['oauth_installation', 'oauth_account', 'policy_auto_accept', 'ed25519'];
const MANY = 1_000;
/** No request has more values, and so no report more answers or references. */
const MOST_OF_A_REPORT = 50_000;

const method = oneOf(...ACCEPTANCE_METHODS);
const jwk = members({
  kty: oneOf('OKP'),
  crv: oneOf('Ed25519'),
  x: textThat((value) => base64UrlLength(value) === 32, 'base64url of 32 bytes'),
});
const transport = members({
  protocol: oneOf('A2A/1.0'),
  protocolBinding: text,
  endpoint: text,
  managedBy: oneOf('agent', 'openclasp'),
});
const acceptance = members({ agentId, method, termsHash: hash, acceptedAt: moment }, { signature });
const attestation = members({
  algorithm: oneOf('Ed25519'),
  keyId,
  value: signatureValue,
  digest: hash,
});
const registeredKey = members({
  keyId,
  jwk,
  jwkThumbprint: hash,
  proof: members({ signedAt: moment, value: signatureValue }),
});
const authorization: Shape = (value, pointer) => {
  const by = isRecord(value) ? value['by'] : undefined;
  if (by !== 'signature') return members({ by: oneOf('owner-admin', 'token') })(value, pointer);
  return signedAuthorization(value, pointer);
};
const signedAuthorization = members({
  by: oneOf('signature'),
  keyId,
  signedAt: moment,
  changeHash: hash,
  value: signatureValue,
});
const policy = members({
  taskCategories: listOf(text, MANY),
  allowedActions: listOf(text, MANY),
  maxRetentionDays: count,
});

const erasureGround = oneOf('retention', 'consent');
const yesOrNo = when((value) => typeof value === 'boolean', 'true or false');

const ofInteraction = { interactionId };
const act = { ...ofInteraction, agentId, signedAt: orNull(moment), signature: orNull(signature) };
const proposal = {
  ...ofInteraction,
  revisionId: uuid,
  revision: revisionNumber,
  termsHash: hash,
  proposedByAgentId: agentId,
  acceptance,
};
const refusal = { ...act, revision: revisionNumber, termsHash: hash, reasonHash: orNull(hash) };
const change = { agentId, authorization };

function plain(data: Readonly<Record<string, Shape>>): EventShape {
  return { data: members(data), sealed: false };
}

function sealed(data: Readonly<Record<string, Shape>>): EventShape {
  return { data: members(data), sealed: true };
}

/** Of the streams `interaction-…`, by type; later versions by `<type>.v<N>`. */
export const INTERACTION_SHAPES: ReadonlyMap<string, EventShape> = new Map([
  [
    'interaction-proposed',
    sealed({
      ...proposal,
      initiatorAgentId: agentId,
      responderAgentId: agentId,
      parties: listOf(agentId, MAX_PARTIES),
      audience: name,
      initiatorTransport: transport,
      responderTransport: transport,
      expiresAt: moment,
    }),
  ],
  ['revision-proposed', sealed({ ...proposal, previousTermsHash: hash })],
  [
    'revision-accepted',
    plain({
      ...ofInteraction,
      revision: revisionNumber,
      acceptance,
      policyRevision: orNull(count),
    }),
  ],
  [
    'revision-attested',
    plain({ ...ofInteraction, revision: revisionNumber, termsHash: hash, attestation }),
  ],
  ['revision-rejected', sealed(refusal)],
  ['revision-withdrawn', sealed(refusal)],
  ['interaction-cancelled', sealed({ ...act, termsHash: hash, reasonHash: orNull(hash) })],
  ['outcome-reported', sealed({ ...act, termsHash: hash, reportHash: hash })],
  ['interaction-completed', plain({ ...ofInteraction, termsHash: hash })],
  ['interaction-expired', plain({ ...ofInteraction, effectiveAt: moment })],
  ['erasure-consented', plain(act)],
  ['texts-erased', plain({ ...ofInteraction, ground: erasureGround })],
  [
    'texts-erased.v2',
    plain({
      ...ofInteraction,
      ground: erasureGround,
      retention: orNull(members({ days: count, until: moment })),
    }),
  ],
]);

/** Of the streams `agent-…`, by type; later versions by `<type>.v<N>`. */
export const AGENT_SHAPES: ReadonlyMap<string, EventShape> = new Map([
  [
    'agent-registered',
    plain({
      agentId,
      tenant: name,
      owner: name,
      clients: listOf(text, MANY),
      keys: listOf(registeredKey, MAX_KEYS),
      methods: listOf(method, 4),
      transport,
    }),
  ],
  ['agent-key-added', plain({ ...change, key: registeredKey, replaces: orNull(keyId) })],
  ['agent-key-revoked', sealed({ ...change, keyId, reasonHash: orNull(hash) })],
  ['agent-methods-changed', plain({ ...change, methods: listOf(method, 4) })],
  ['agent-policy-changed', plain({ ...change, policy: orNull(policy) })],
  ['agent-policy-changed.v2', sealed({ ...change, hasPolicy: yesOrNo })],
  ['agent-clients-changed', plain({ ...change, clients: listOf(text, MANY) })],
  ['agent-transport-changed', plain({ ...change, transport })],
  ['agent-retired', sealed({ ...change, reasonHash: orNull(hash) })],
]);

/** Of the stream `platform-keys`. */
export const PLATFORM_KEY_SHAPES: ReadonlyMap<string, EventShape> = new Map([
  [
    'platform-key-added',
    plain({
      keyId,
      purpose: oneOf('attestation', 'card', 'checkpoint', 'backend-token'),
      jwk,
      jwkThumbprint: hash,
    }),
  ],
  ['platform-key-retired', plain({ keyId, replacedBy: keyId })],
  [
    'platform-key-revoked',
    plain({ keyId, reason: oneOf('key-compromise', 'superseded', 'unspecified') }),
  ],
]);

const answers = listOf(
  members({
    item: text,
    verdict: oneOf('met', 'missed', 'partial', 'unknown'),
    references: listOf(text, MOST_OF_A_REPORT),
  }),
  MOST_OF_A_REPORT,
);

/** The texts of an agent's policy, and of acts; contracts have the wire's schema. */
export const POLICY_TEXTS = members({ policy: orNull(policy) });
export const REASON_TEXTS = members({ reason: orNull(text) });
export const REPORT_TEXTS = members({
  report: members({
    successCriteria: answers,
    completionConditions: answers,
    evidenceRequirements: answers,
  }),
});
export const CONTRACT_TEXTS = members({ contract: when(isRecord, 'an object') });
