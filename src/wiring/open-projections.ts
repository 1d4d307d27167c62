import { AGENT_EVENT_TYPES } from '../agents/event-types.js';
import { agentDirectory } from '../agents/projection.js';
import { CAPABILITY_EVENT_TYPES } from '../capabilities/event-types.js';
import { capabilityDirectory } from '../capabilities/projection.js';
import { capabilityVocabulary } from '../capabilities/vocabulary/projection.js';
import type { Config } from '../config/config.js';
import type { KeyStore } from '../event-store/key-store.js';
import type { EventStore } from '../event-store/port.js';
import { logReport } from '../http/fault-log.js';
import { contractsByPair } from '../interactions/contracts/projection.js';
import { INTERACTION_EVENT_TYPES } from '../interactions/event-types.js';
import { interactionList } from '../interactions/projection.js';
import { approvals } from '../invocations/approvals.js';
import { capabilityUsage } from '../invocations/capability-usage.js';
import { INVOCATION_EVENT_TYPES } from '../invocations/event-types.js';
import { openInvocations } from '../invocations/open-invocations.js';
import { ProjectionRunner } from '../projections/projection-runner.js';
import { openReadDatabase } from './open-read-database.js';
import type { Opened } from './opened.js';

/** Starts the views of the audited log. */
export async function openProjections(
  config: Config,
  store: EventStore,
  keys: KeyStore,
  opened: Opened,
): Promise<ProjectionRunner> {
  const runner = new ProjectionRunner({
    store,
    engine: config.eventStore.engine,
    keys,
    types: {
      ...AGENT_EVENT_TYPES,
      ...INTERACTION_EVENT_TYPES,
      ...CAPABILITY_EVENT_TYPES,
      ...INVOCATION_EVENT_TYPES,
    },
    database: await openReadDatabase('READ_MODEL', config.readModel.path, opened),
    projections: [
      agentDirectory,
      interactionList,
      contractsByPair,
      capabilityDirectory,
      capabilityVocabulary,
      capabilityUsage,
      openInvocations,
      approvals,
    ],
    clock: Date.now,
    report: logReport,
  });
  opened.onClose(() => runner.stop());
  runner.start();
  return runner;
}
