import type { Agent } from '../../agents/domain/agent.js';
import { latest, type Timestamp } from '../../kernel/timestamp.js';

/**
 * The moment at which a command is judged and its events are recorded: no earlier than anything that the
 * decision rests on, since the clock of the node that recorded it may be ahead of this one's.
 *
 * @param agents the heads that were read
 * @param platformKeysAt when the head of the platform's keys was recorded; null where nothing is attested
 */
export function decisionMoment(
  clock: Timestamp,
  agents: Iterable<Agent>,
  platformKeysAt: Timestamp | null,
): Timestamp {
  let moment = latest(clock, platformKeysAt ?? clock);
  for (const { updatedAt } of agents) moment = latest(moment, updatedAt);
  return moment;
}
