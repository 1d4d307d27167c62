import type { Agent } from '../../agents/domain/agent.js';
import type { Ed25519Jwk } from '../../kernel/ed25519.js';
import type { AgentId } from '../../kernel/ids.js';
import { statementText } from '../../kernel/statements.js';
import type { InteractionCommand } from './commands.js';
import { acceptanceStatement, consentToProposal, consentToRevision } from './consent.js';
import type { Interaction } from './interaction.js';
import { openProposal } from './revisions.js';

/** A signature that a decision is going to look at. */
export interface ExpectedSignature {
  readonly jwk: Ed25519Jwk;
  /** The text that must have been signed. */
  readonly text: string;
  readonly value: string;
}

/**
 * Says which signature the decision on a proposal or an acceptance will verify, so that it can be
 * verified elsewhere meanwhile. Judges nothing: undefined where there is none to be expected.
 */
export function expectedAcceptance(
  state: Interaction | undefined,
  command: InteractionCommand,
  agents: ReadonlyMap<AgentId, Agent>,
  audience: string,
): ExpectedSignature | undefined {
  if (command.kind !== 'propose' && command.kind !== 'accept') return undefined;
  const { agentId, proof } = command;
  if (proof === undefined) return undefined;
  const key = agents.get(agentId)?.keys.get(proof.keyId);
  if (key === undefined) return undefined;
  const open = state && openProposal(state);
  const to =
    command.kind === 'propose'
      ? consentToProposal(command, audience)
      : state && open && consentToRevision(state, open);
  if (to === undefined) return undefined;
  const text = statementText(acceptanceStatement(agentId, proof.at, to));
  return { jwk: key.jwk, text, value: proof.value };
}
