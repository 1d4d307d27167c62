import { parseInteractionId } from '../../kernel/ids.js';
import type { Contract } from '../../kernel/federated-interaction.js';
import type { Head, Rejection } from '../../kernel/rejection.js';
import { err, ok, type Result } from '../../kernel/result.js';
import { validateContract } from '../../kernel/wire-schema.js';
import type { CommandOf, Proof } from '../domain/commands.js';
import type { AcceptanceMember, SignatureMember } from './acts.js';
import type {
  AcceptBody,
  CancelBody,
  CompleteBody,
  ConsentToErasureBody,
  ProposeBody,
  RejectBody,
  ReviseBody,
  WithdrawBody,
} from './command-bodies.js';
import { parseOutcomeReport } from './outcome-report-document.js';

/** From checked request bodies to the domain's commands. */

/** Refuses with `interaction-id-invalid` and `contract-invalid`. */
export function proposalOf(body: ProposeBody): Result<CommandOf<'propose'>, Rejection> {
  const interactionId = parseInteractionId(body.interactionId);
  if (interactionId === undefined) return err({ code: 'interaction-id-invalid' });
  const contract = contractOf(body);
  if (!contract.ok) return contract;
  const { agentId, responderAgentId, termsHash, expiresAt, acceptance } = body;
  return ok({
    kind: 'propose',
    interactionId,
    agentId,
    responderAgentId,
    contract: contract.value,
    termsHash,
    expiresAt,
    proof: acceptanceProof(acceptance),
  });
}

/** Refuses with `contract-invalid`. */
export function revisionOf(body: ReviseBody, head: Head): Result<CommandOf<'revise'>, Rejection> {
  const contract = contractOf(body);
  if (!contract.ok) return contract;
  const { agentId, termsHash, acceptance } = body;
  return ok({
    kind: 'revise',
    agentId,
    head,
    contract: contract.value,
    termsHash,
    proof: acceptanceProof(acceptance),
  });
}

export function acceptanceOf(
  { agentId, acceptance }: AcceptBody,
  head: Head,
): Result<CommandOf<'accept'>, never> {
  return ok({ kind: 'accept', agentId, head, proof: acceptanceProof(acceptance) });
}

export function rejectionOf(
  { agentId, reason, signature }: RejectBody,
  head: Head,
): Result<CommandOf<'reject'>, never> {
  return ok({ kind: 'reject', agentId, head, reason, proof: signatureProof(signature) });
}

export function withdrawalOf(
  { agentId, reason, signature }: WithdrawBody,
  head: Head,
): Result<CommandOf<'withdraw'>, never> {
  return ok({ kind: 'withdraw', agentId, head, reason, proof: signatureProof(signature) });
}

export function cancellationOf(
  { agentId, reason, signature }: CancelBody,
  head: Head,
): Result<CommandOf<'cancel'>, never> {
  return ok({ kind: 'cancel', agentId, head, reason, proof: signatureProof(signature) });
}

/** Refuses with `request-invalid`. */
export function completionOf(
  body: CompleteBody,
  head: Head,
): Result<CommandOf<'complete'>, Rejection> {
  const report = parseOutcomeReport(body.report);
  if (!report.ok) return report;
  const { agentId, signature } = body;
  return ok({
    kind: 'complete',
    agentId,
    head,
    report: report.value,
    proof: signatureProof(signature),
  });
}

export function erasureConsentOf(
  { agentId, signature }: ConsentToErasureBody,
  head: Head | undefined,
): CommandOf<'consent-to-erasure'> {
  return { kind: 'consent-to-erasure', agentId, head, proof: signatureProof(signature) };
}

function contractOf({ contract }: { readonly contract: object }): Result<Contract, Rejection> {
  const judged = validateContract(contract);
  if (judged.ok) return judged;
  const faults = judged.error.map(({ pointer, detail }) => ({
    pointer: `/contract${pointer}`,
    detail,
  }));
  return err({ code: 'contract-invalid', faults });
}

function acceptanceProof(member: AcceptanceMember | undefined): Proof | undefined {
  return member && { keyId: member.keyId, value: member.value, at: member.acceptedAt };
}

function signatureProof(member: SignatureMember | undefined): Proof | undefined {
  return member && { keyId: member.keyId, value: member.value, at: member.signedAt };
}
