import type { AgentId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import { changeHash } from '../../kernel/statements.js';
import type { AgentChange, RegisterAgent } from '../domain/commands.js';
import type { KeySubmission } from '../domain/key-registration.js';
import type { ChangeBody } from './change-bodies.js';
import type { RegisterAgentBody } from './register-agent-body.js';
import { keySubmissionOf } from './submitted-key.js';
import { transportChoiceOf } from './submitted-transport.js';

/** Refuses with `request-invalid` for keys or a transport that are given in no or in two forms. */
export function registrationOf(
  agentId: AgentId,
  body: RegisterAgentBody,
): Result<RegisterAgent, Rejection> {
  const transport = transportChoiceOf(body);
  if (!transport.ok) return transport;
  const keys: KeySubmission[] = [];
  for (const [index, submitted] of (body.keys ?? []).entries()) {
    const key = keySubmissionOf(submitted, `/keys/${String(index)}`);
    if (!key.ok) return key;
    keys.push(key.value);
  }
  return ok({
    kind: 'register',
    agentId,
    owner: body.owner,
    clients: body.clients ?? [],
    keys,
    methods: body.methods,
    transport: transport.value,
  });
}

/** What all changes have in common. */
export type ChangeEnvelope = Pick<
  AgentChange,
  'agentId' | 'expectedRevision' | 'changeHash' | 'signature'
>;

/**
 * @param raw the body as parsed: what was signed, unlike the checked copy that decorators see
 */
export function changeEnvelopeOf(agentId: AgentId, body: ChangeBody, raw: unknown): ChangeEnvelope {
  const { expectedRevision, signature } = body;
  return {
    agentId,
    expectedRevision,
    // The body was read from it, so it is an object.
    changeHash: changeHash(raw as object),
    signature: signature && {
      keyId: signature.keyId,
      signedAt: signature.signedAt,
      value: signature.value,
    },
  };
}
