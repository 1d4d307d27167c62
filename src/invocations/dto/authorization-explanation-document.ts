import { ApiProperty } from '@nestjs/swagger';
import type { Plain } from '../../http/plain.js';
import type { SkillId } from '../../kernel/ids.js';
import {
  MAX_EXPLAINED_TERMS,
  type AuthorizationExplanation,
} from '../authorization-explanations.js';
import { AUTHORIZATION_CODES, type GoverningTerms } from '../domain/authorization.js';

class TermsDocument {
  @ApiProperty()
  readonly interactionId!: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Of the contract' })
  readonly revision!: number;

  @ApiProperty()
  readonly termsHash!: string;
}

class TermsInForceDocument extends TermsDocument {
  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'null: none, or the texts are erased',
  })
  readonly deadline!: string | null;
}

class ArgumentFault {
  @ApiProperty({ description: 'JSON Pointer into the arguments' })
  readonly pointer!: string;

  @ApiProperty()
  readonly detail!: string;
}

class ArgumentsDocument {
  @ApiProperty()
  readonly valid!: boolean;

  @ApiProperty({ type: () => [ArgumentFault] })
  readonly errors!: readonly ArgumentFault[];
}

/** Whether a call would be allowed at a moment, and why. Nothing is run or recorded. */
export class AuthorizationExplanationDocument {
  @ApiProperty()
  readonly agentId!: string;

  @ApiProperty()
  readonly skillId!: string;

  @ApiProperty({ format: 'date-time', description: 'For which the answer holds' })
  readonly moment!: string;

  @ApiProperty({ enum: ['grant', 'refusal'] })
  readonly decision!: string;

  @ApiProperty({
    enum: ['entitlement', 'allowed-action', ...AUTHORIZATION_CODES],
    description: 'Of a grant, the rule that allows; of a refusal, its code: the rule that does not',
  })
  readonly rule!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What decided: an action, a data value, an entry of a contract, a deadline',
  })
  readonly entry!: string | null;

  @ApiProperty({
    type: () => TermsDocument,
    nullable: true,
    description:
      'Of a grant, the terms under which the call runs; of a refusal, whose rule decided',
  })
  readonly terms!: TermsDocument | null;

  @ApiProperty({
    type: () => [TermsDocument],
    description: 'Of `contract-ambiguous`: two that allow the call. Name one',
  })
  readonly among!: readonly TermsDocument[];

  @ApiProperty({
    type: [String],
    description: 'Entries of the terms for which a person must approve the call first',
  })
  readonly approvals!: readonly string[];

  @ApiProperty({
    type: () => [TermsInForceDocument],
    maxItems: MAX_EXPLAINED_TERMS,
    description:
      'Between the two agents, those that are in force for longest first; empty where the decision ' +
      'was made without a look at them',
  })
  readonly inForce!: readonly TermsInForceDocument[];

  @ApiProperty({ type: 'integer', description: 'How many terms are in force' })
  readonly inForceTotal!: number;

  @ApiProperty({ type: () => ArgumentsDocument, nullable: true, description: 'null: none sent' })
  readonly arguments!: ArgumentsDocument | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of `capability-removed`, what to use instead if there is something',
  })
  readonly replacement!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    description: 'The streams that the decision rests on, and their last revision that counts',
  })
  readonly basedOn!: Readonly<Record<string, number>>;
}

/** The answer to a question about this agent and skill. */
export function authorizationExplanationDocument(
  { agentId, skillId }: { readonly agentId: string; readonly skillId: SkillId },
  explanation: AuthorizationExplanation,
): Plain<AuthorizationExplanationDocument> {
  const { decision, capability, moment, inForce, inForceTotal, basedOn } = explanation;
  const isGrant = decision.kind === 'grant';
  const isRemoved = !isGrant && decision.code === 'capability-removed';
  return {
    agentId,
    skillId,
    moment,
    decision: decision.kind,
    rule: isGrant ? decision.rule : decision.code,
    entry: isGrant ? null : decision.entry,
    terms: decision.terms && termsDocument(decision.terms),
    among: isGrant ? [] : (decision.among ?? []).map(termsDocument),
    approvals: isGrant ? decision.approvals : [],
    inForce,
    inForceTotal,
    arguments: explanation.arguments && {
      valid: explanation.arguments.length === 0,
      errors: explanation.arguments,
    },
    replacement: isRemoved ? (capability?.manifest.replacement ?? null) : null,
    basedOn,
  };
}

function termsDocument({
  interactionId,
  revision,
  termsHash,
}: GoverningTerms): Plain<TermsDocument> {
  return { interactionId, revision, termsHash };
}
