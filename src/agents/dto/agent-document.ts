import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Plain } from '../../http/plain.js';
import type { Caller } from '../../kernel/caller.js';
import type { Agent } from '../domain/agent.js';
import { keysForVerification } from '../domain/keys.js';
import { ACCEPTANCE_METHODS } from '../domain/methods.js';
import { policyInForce } from '../domain/policy-in-force.js';

const KEY_ID = 'Unique within the agent, for ever';
const HASH = 'base64url of a SHA-256: 43 characters';

export class JwkDocument {
  @ApiProperty({ enum: ['OKP'] })
  readonly kty!: string;

  @ApiProperty({ enum: ['Ed25519'] })
  readonly crv!: string;

  @ApiProperty({ description: 'base64url of 32 bytes' })
  readonly x!: string;
}

export class VerificationKeyDocument {
  @ApiProperty({ description: KEY_ID })
  readonly keyId!: string;

  @ApiProperty({ type: () => JwkDocument })
  readonly jwk!: JwkDocument;

  @ApiProperty({ format: 'date-time', description: 'Begin of the window, inclusive' })
  readonly from!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'End of the window, exclusive; null while it is open',
  })
  readonly until!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the key was revoked, null otherwise',
  })
  readonly revoked!: string | null;
}

export class KeyProofDocument {
  @ApiProperty({ format: 'date-time' })
  readonly signedAt!: string;

  @ApiProperty({ description: 'The key’s own signature over its `agent/key-proof` statement' })
  readonly value!: string;
}

export class KeyHistoryEntry extends VerificationKeyDocument {
  @ApiProperty({ description: `RFC 7638; ${HASH}` })
  readonly jwkThumbprint!: string;

  @ApiProperty({ type: () => KeyProofDocument })
  readonly proof!: KeyProofDocument;
}

export class KeyHistoryDocument {
  @ApiProperty()
  readonly agentId!: string;

  @ApiProperty({
    type: () => [KeyHistoryEntry],
    description: 'Every key that the agent ever had, in the order of registration',
  })
  readonly keys!: readonly KeyHistoryEntry[];
}

export class TransportDocument {
  @ApiProperty({ enum: ['A2A/1.0'] })
  readonly protocol!: string;

  @ApiProperty()
  readonly protocolBinding!: string;

  @ApiProperty({ format: 'uri' })
  readonly endpoint!: string;

  @ApiProperty({
    enum: ['agent', 'openclasp'],
    description: '`openclasp`: this deployment serves the endpoint',
  })
  readonly managedBy!: string;
}

export class AcceptancePolicyDocument {
  @ApiProperty({ type: [String], minItems: 1, maxItems: 100, description: 'Compared exactly' })
  readonly taskCategories!: readonly string[];

  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: 100,
    description: 'A proposal may allow no action outside this list',
  })
  readonly allowedActions!: readonly string[];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 36_500,
    description: 'Ceiling of `retentionDays`',
  })
  readonly maxRetentionDays!: number;
}

export class StoredPolicyDocument extends AcceptancePolicyDocument {
  @ApiProperty({ type: 'integer', description: 'Revision of the agent that set the policy' })
  readonly revision!: number;

  @ApiProperty({
    description:
      'False, and without effect, while the methods lack `policy_auto_accept` or once retired',
  })
  readonly applies!: boolean;
}

/** An agent as a caller sees it. `owner`, `clients` and `policy` are for its own tenant alone. */
export class AgentDocument {
  @ApiProperty()
  readonly agentId!: string;

  @ApiProperty()
  readonly tenant!: string;

  @ApiProperty({ enum: ['active', 'retired'] })
  readonly status!: 'active' | 'retired';

  @ApiProperty({
    type: 'integer',
    description: 'Names this state of the agent: changes are written against it',
  })
  readonly revision!: number;

  @ApiProperty({ enum: ACCEPTANCE_METHODS, isArray: true })
  readonly methods!: readonly string[];

  @ApiProperty({ type: () => TransportDocument })
  readonly transport!: TransportDocument;

  @ApiProperty({ type: () => [VerificationKeyDocument], description: 'Past keys included' })
  readonly keys!: readonly VerificationKeyDocument[];

  @ApiProperty({ format: 'date-time' })
  readonly registeredAt!: string;

  @ApiProperty({ format: 'date-time' })
  readonly updatedAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly retiredAt!: string | null;

  @ApiPropertyOptional({ description: 'The owning principal; own tenant only' })
  readonly owner?: string;

  @ApiPropertyOptional({ type: [String], description: 'OAuth client ids; own tenant only' })
  readonly clients?: readonly string[];

  @ApiPropertyOptional({
    type: () => StoredPolicyDocument,
    nullable: true,
    description: 'Own tenant only',
  })
  readonly policy?: StoredPolicyDocument | null;
}

/**
 * Counterparties need to know where an agent speaks, how it accepts and with which keys it signs.
 * Who owns it, which clients act for it and what it accepts unseen would help only an attacker.
 */
export function agentDocument(agent: Agent, caller: Caller): Plain<AgentDocument> {
  return {
    agentId: agent.agentId,
    tenant: agent.tenant,
    status: agent.retiredAt === null ? 'active' : 'retired',
    revision: agent.revision,
    methods: agent.methods,
    transport: agent.transport,
    keys: keysForVerification(agent),
    registeredAt: agent.registeredAt,
    updatedAt: agent.updatedAt,
    retiredAt: agent.retiredAt,
    ...(caller.tenant === agent.tenant ? confidential(agent) : {}),
  };
}

function confidential(agent: Agent): Pick<Plain<AgentDocument>, 'owner' | 'clients' | 'policy'> {
  const { owner, clients, policy } = agent;
  const shown = policy && {
    ...policy.rules,
    revision: policy.revision,
    applies: policyInForce(agent) !== undefined,
  };
  return { owner, clients, policy: shown };
}

export function keyHistory(agent: Agent): Plain<KeyHistoryDocument> {
  const keys = Array.from(agent.keys.values(), (key) => ({
    keyId: key.keyId,
    jwk: key.jwk,
    from: key.from,
    until: key.until,
    revoked: key.revokedAt,
    jwkThumbprint: key.jwkThumbprint,
    proof: key.proof,
  }));
  return { agentId: agent.agentId, keys };
}
