import { agentStream } from '../../src/agents/domain/stream.js';
import { PLATFORM_KEYS_STREAM } from '../../src/attestation/domain/events.js';
import type { KeyStore } from '../../src/event-store/key-store.js';
import type { EventStore } from '../../src/event-store/port.js';
import { interactionStream } from '../../src/interactions/domain/stream.js';
import type { DomainEvent } from '../../src/kernel/event.js';
import type { AgentId, KeyId } from '../../src/kernel/ids.js';
import { timestampOf, type Timestamp } from '../../src/kernel/timestamp.js';
import { LoggedAgent, platformKeyAdded, SigningKey } from './audit-agents.js';
import { AuditStory } from './audit-story.js';
import { envelopeOf, newCommand } from './replay-log.js';

/** How many events there are for each agent. */
const EVENTS_PER_AGENT = 1_000;
const FEWEST_AGENTS = 50;
/** Interactions that go on at one time: their events lie interleaved in the log. */
const CONCURRENT = 256;
const BEGIN_MS = Date.parse('2030-01-01T00:00:00.000Z');
/** Between two events. */
const PACE_MS = 10;

/**
 * Fills an empty log up to so many events, or a few more, of a day's mix among its agents,
 * all of it true: an auditor who recomputes everything finds nothing wrong.
 */
export async function growAuditLog(
  store: EventStore,
  keys: KeyStore,
  events: number,
): Promise<void> {
  let written = 0;
  let begun = 0;
  const now = (): Timestamp => timestampOf(BEGIN_MS + written * PACE_MS);
  const append = async (
    stream: string,
    revision: number,
    append: readonly DomainEvent[],
    at: Timestamp,
    basedOn: Readonly<Record<string, number>> = {},
  ): Promise<number> => {
    // One command made them all, on what was there before it.
    const command = newCommand();
    const envelopes = await Promise.all(
      append.map((event, index) => envelopeOf(event, stream, keys, Date.parse(at), command, index)),
    );
    const ofCommand = envelopes.map((envelope) => ({
      ...envelope,
      metadata: { ...envelope.metadata, basedOn },
    }));
    const expected = revision === -1 ? 'no-stream' : revision;
    const appended = await store.append(stream, expected, ofCommand);
    if (!appended.ok) throw new Error('nobody else writes this log');
    written += append.length;
    return appended.value.revision;
  };

  const attesting = new SigningKey('platform-attestation-1' as KeyId);
  const ofPlatform = [
    platformKeyAdded(attesting, 'attestation'),
    platformKeyAdded(new SigningKey('platform-checkpoint-1' as KeyId), 'checkpoint'),
  ];
  await append(PLATFORM_KEYS_STREAM, -1, ofPlatform, now());
  const agents = Array.from(
    { length: Math.max(FEWEST_AGENTS, Math.round(events / EVENTS_PER_AGENT)) },
    (_, n) => new LoggedAgent(`did:web:agent-${String(n)}.example` as AgentId),
  );
  const register = async (agent: LoggedAgent): Promise<void> => {
    let revision = -1;
    // Each event by a command of its own: a key signs nothing before it is there.
    for (const event of agent.story(now())) {
      revision = await append(agentStream(agent.agentId), revision, [event], now());
    }
  };
  await Promise.all(agents.map(register));
  const live = async (): Promise<void> => {
    while (written < events) {
      // The moment of an act stands still while its events are made.
      let at = now();
      const parties = pick(agents, begun++);
      const story = new AuditStory(parties, attesting, () => at);
      const heads = Object.fromEntries(parties.map(({ agentId }) => [agentStream(agentId), 1]));
      let revision = -1;
      for (const act of story.acts(Math.random())) {
        revision = await append(interactionStream(story.interactionId), revision, act, at, heads);
        at = now();
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, live));
}

function pick(agents: readonly LoggedAgent[], seed: number): readonly LoggedAgent[] {
  const first = (seed * 31) % agents.length;
  const size = seed % 10 === 0 ? 3 : 2;
  return Array.from(
    { length: size },
    (_, n) => agents[(first + n * 17) % agents.length] as LoggedAgent,
  );
}
