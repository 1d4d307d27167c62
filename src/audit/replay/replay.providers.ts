import type { Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AgentHeads } from '../../agents/queries/agent-heads.js';
import type { KeyStore } from '../../event-store/key-store.js';
import type { EventStore } from '../../event-store/port.js';
import { EVENT_STORE, KEY_STORE } from '../../event-store/tokens.js';
import { RecordedErasures } from '../../interactions/queries/recorded-erasures.js';
import { CurrentAgents } from './current-agents.js';
import { DisclosedEvents } from './disclosed-events.js';
import { Replay } from './replay.js';
import { ReplayAnswers } from './replay-answers.js';
import { ReplayPages } from './replay-pages.js';
import { ReplayStreams } from './replay-streams.js';
import { StreamSubjects } from './stream-subjects.js';

function replay(store: EventStore, keys: KeyStore, queries: QueryBus): Replay {
  const agents = (): CurrentAgents =>
    new CurrentAgents((agentIds) => queries.execute(new AgentHeads(agentIds)), store);
  const subjects = new StreamSubjects(store);
  const erasures = new RecordedErasures(store);
  return new Replay(store, new DisclosedEvents(subjects, agents, keys, erasures));
}

/** Everything behind `GET /v1/events`. */
export const REPLAY_PROVIDERS: readonly Provider[] = [
  { provide: Replay, useFactory: replay, inject: [EVENT_STORE, KEY_STORE, QueryBus] },
  { provide: ReplayStreams, useFactory: () => new ReplayStreams() },
  ReplayPages,
  ReplayAnswers,
];
