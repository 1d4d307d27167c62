import type { Agent } from '../../agents/domain/agent.js';
import { keysForVerification, type VerificationKey } from '../../agents/domain/keys.js';
import type { PlatformKey, PlatformKeys } from '../../attestation/domain/platform-key.js';
import type { AgentId } from '../../kernel/ids.js';

/** `schemas/v0.1/verification-keys.schema.json`, of the parties of one interaction. */
export interface VerificationKeysDocument {
  /** The one that the statements of this interaction name. */
  readonly audience: string;
  readonly agents: Readonly<Record<string, readonly VerificationKey[]>>;
  readonly platform: readonly (VerificationKey & Pick<PlatformKey, 'purpose'>)[];
}

export function verificationKeysDocument(
  audience: string,
  parties: ReadonlyMap<AgentId, Agent>,
  platform: PlatformKeys,
): VerificationKeysDocument {
  return {
    audience,
    // `fromEntries` defines own members: an agent called `constructor` is a name like any other.
    agents: Object.fromEntries(
      Array.from(parties, ([agentId, agent]) => [agentId, keysForVerification(agent)]),
    ),
    // Keys of other purposes verify nothing in the document of an interaction.
    platform: [...platform.values()]
      .filter(({ purpose }) => purpose === 'attestation')
      .map((key) => ({
        keyId: key.keyId,
        purpose: key.purpose,
        jwk: key.jwk,
        from: key.from,
        until: key.retiredAt ?? key.revoked?.at ?? null,
        revoked: key.revoked?.at ?? null,
      })),
  };
}
