import { policyInForce } from '../agents/domain/policy-in-force.js';
import type { Position } from '../event-store/port.js';
import type { InteractionEvent } from '../interactions/domain/events.js';
import { INTERACTION_STREAM_PREFIX } from '../interactions/domain/stream.js';
import type { InteractionId } from '../kernel/ids.js';
import type { Rejection } from '../kernel/rejection.js';
import type { Agents, Interactions } from './ports.js';
import type { AgendaChange, Cause, Effect, Process, WatchedEvent } from './process.js';

interface OpenProposal {
  readonly interactionId: InteractionId;
  readonly revision: number;
  /** Of the proposal's event. */
  readonly position: Position;
  readonly cause: Cause;
}

const WATCHES = [
  'interaction-proposed',
  'revision-proposed',
  'revision-attested',
  'revision-rejected',
  'revision-withdrawn',
  'interaction-cancelled',
  'interaction-completed',
  'interaction-expired',
] as const;

type Watched = Extract<InteractionEvent, { type: (typeof WATCHES)[number] }>;

/**
 * Accepts proposals on behalf of agents whose owner left a policy. The policy must have been in
 * force before the proposal, in the order of the log, and still be the agent's policy; whether it
 * covers the terms is the decider's judgement. Any doubt leaves the proposal pending.
 */
export class AutoAcceptanceProcess implements Process<Watched, OpenProposal> {
  readonly name = 'auto-acceptance';
  readonly streamPrefixes = [INTERACTION_STREAM_PREFIX];
  readonly watches = WATCHES;

  constructor(
    private readonly interactions: Interactions,
    private readonly agents: Agents,
  ) {}

  react(event: WatchedEvent<Watched>): AgendaChange<OpenProposal> {
    const key = event.data.interactionId;
    switch (event.type) {
      case 'interaction-proposed':
      case 'revision-proposed': {
        const { interactionId, revision } = event.data;
        const cause = { eventId: event.id, correlationId: event.metadata.correlationId };
        const item = { interactionId, revision, position: event.position, cause };
        return { kind: 'add', key, item, dueAt: 'at-once' };
      }
      case 'revision-attested':
      case 'revision-rejected':
      case 'revision-withdrawn':
      case 'interaction-cancelled':
      case 'interaction-completed':
      case 'interaction-expired':
        return { kind: 'remove', key };
    }
  }

  async effects({
    interactionId,
    revision,
    position,
    cause,
  }: OpenProposal): Promise<readonly Effect[]> {
    const interaction = await this.interactions.find(interactionId);
    const newest = interaction?.revisions.at(-1);
    if (interaction === undefined || newest?.revision !== revision) return [];
    if (newest.status !== 'proposed') return [];
    const waiting = interaction.parties.filter((party) => !newest.acceptances.has(party));
    const effects: Effect[] = [];
    for (const agent of (await this.agents.heads(waiting)).values()) {
      const policyRevision = policyInForce(agent)?.revision;
      if (policyRevision === undefined) continue;
      const past = await this.agents.before(agent.agentId, position);
      if (past === undefined || policyInForce(past)?.revision !== policyRevision) continue;
      const { agentId } = agent;
      const { termsHash } = newest;
      effects.push({
        name: ['auto-accept', interactionId, revision, agentId, policyRevision],
        cause,
        perform: (envelope) =>
          this.interactions.execute(
            interactionId,
            { kind: 'auto-accept', agentId, revision, termsHash, policyRevision },
            envelope,
          ),
      });
    }
    return effects;
  }

  judge({ code }: Rejection): 'settled' | 'later' {
    return code === 'contention' || code === 'attestation-unavailable' ? 'later' : 'settled';
  }
}
