import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../agents/domain/agent.js';
import { agentStream } from '../../agents/domain/stream.js';
import { AgentHeads } from '../../agents/queries/agent-heads.js';
import { AgentHeadsHandler } from '../../agents/queries/agent-heads-handler.js';
import type { Config } from '../../config/config.js';
import { CONFIG } from '../../config/tokens.js';
import type { Prepared } from '../../event-store/command-execution.js';
import { deriveUuid, parseAgentId, type AgentId } from '../../kernel/ids.js';
import type { Rejection } from '../../kernel/rejection.js';
import { ok, type Result } from '../../kernel/result.js';
import { notBefore, type Timestamp } from '../../kernel/timestamp.js';
import { ATTESTING, type Attesting } from '../attesting.js';
import type { InteractionCommand } from '../domain/commands.js';
import type { InteractionContext } from '../domain/context.js';
import { expectedAcceptance } from '../domain/expected-acceptance.js';
import { MAX_PARTIES } from '../domain/contract-rules.js';
import type { Interaction } from '../domain/interaction.js';
import type { PerformInteractionCommand } from './perform-interaction-command.js';
import { verifyAhead } from './verify-ahead.js';

/** Reads what a decision needs and what must be true now, from the heads of other streams. */
@Injectable()
export class DecisionContexts {
  constructor(
    // Asked in every write: the bus would cost more than the answer.
    private readonly agentHeads: AgentHeadsHandler,
    @Inject(ATTESTING) private readonly attesting: Attesting,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Judges nothing. Refuses with `attestation-unavailable`. */
  async prepare(
    { interactionId, command, caller, envelope }: PerformInteractionCommand,
    state: Interaction | undefined,
    clock: () => Timestamp,
  ): Promise<Result<Prepared<InteractionContext>, Rejection>> {
    const [agents, attester] = await Promise.all([
      this.agentHeads.execute(new AgentHeads(partiesOf(command, state))),
      mayAttest(command) ? this.attesting.attester() : NO_ATTESTER,
    ]);
    if (!attester.ok) return attester;
    const now = notBefore(
      clock(),
      attester.value.recordedAt,
      ...[...agents.values()].map(({ updatedAt }) => updatedAt),
    );
    const { publicBaseUrl: audience } = this.config;
    const expected = expectedAcceptance(state, command, agents, audience);
    if (expected !== undefined) await verifyAhead(expected);
    const basedOn: Record<string, number> = { ...attester.value.basedOn };
    for (const agent of agents.values()) basedOn[agentStream(agent.agentId)] = agent.revision;
    let ids = 0;
    return ok({
      context: {
        now,
        leewayMs: this.config.signingLeewayMs,
        audience,
        caller,
        agents,
        newId: () => deriveUuid(['revision', interactionId, envelope.commandId, ids++]),
        attest: attester.value.attest,
      },
      basedOn,
      // A key that is revoked, or an agent that retires, meanwhile accepts nothing.
      isBasisBinding: true,
      recordedAt: now,
    });
  }

  async agent(agentId: AgentId): Promise<Agent | undefined> {
    return (await this.agentHeads.execute(new AgentHeads([agentId]))).get(agentId);
  }
}

/** Whose heads a decision looks at. A proposal's own list of parties is not yet judged. */
function partiesOf(
  command: InteractionCommand,
  state: Interaction | undefined,
): readonly AgentId[] {
  if (command.kind !== 'propose') return state?.parties ?? [];
  const { agentId, responderAgentId, contract } = command;
  // Too many are refused whoever they are: nobody shall make the service look them all up.
  const parties = contract.parties.slice(0, MAX_PARTIES);
  return [agentId, responderAgentId, ...parties].filter((id) => parseAgentId(id) !== undefined);
}

function mayAttest({ kind }: InteractionCommand): boolean {
  return kind === 'accept' || kind === 'auto-accept';
}

const NO_ATTESTER = ok({
  attest: () => {
    throw new Error('only an acceptance completes a revision');
  },
  recordedAt: undefined,
  basedOn: {},
});
