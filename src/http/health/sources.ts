import type { WatchedEventStore } from '../../event-store/watched-event-store.js';
import type { WatchedKeyStore } from '../../event-store/watched-key-store.js';
import type { JsonObject } from '../../kernel/json.js';
import type { Rejection } from '../../kernel/rejection.js';
import type { Result } from '../../kernel/result.js';
import type { ProcessHealth } from '../../processes/process-health.js';
import type { ProjectionsHealth } from '../../projections/port.js';
import type { HealthSource } from './health-source.js';

/**
 * The log, or the store of tasks, answers, and the last write reached it.
 * @param engine its name, for operators
 */
export function eventStoreHealth(
  store: WatchedEventStore,
  engine: string,
  name: 'event-store' | 'task-store' = 'event-store',
): HealthSource {
  return {
    name,
    check: async () => {
      const { canWrite } = store;
      return { healthy: canWrite, details: { engine, head: await store.head(), canWrite } };
    },
  };
}

/** The data keys can be reached, and the last new one was kept: without them nothing is sealed or read. */
export function keyStoreHealth(keys: WatchedKeyStore, engine: string): HealthSource {
  return {
    name: 'key-store',
    check: async () => {
      const { canWrite } = keys;
      await keys.find('health');
      return { healthy: canWrite, details: { engine, canWrite } };
    },
  };
}

/** This node holds a key that may attest. */
export function attestationHealth(keyring: {
  attester(): Promise<Result<unknown, Rejection>>;
}): HealthSource {
  return {
    name: 'attestation',
    check: async () => {
      const attester = await keyring.attester();
      return { healthy: attester.ok, details: attester.ok ? {} : { fault: attester.error.code } };
    },
  };
}

/**
 * The views. A node whose views were never complete is not ready; one that lags or has parked
 * events stays in service, because its answers say so themselves.
 */
export function projectionsHealth(
  name: 'projections' | 'tasks',
  projections: { health(): Promise<ProjectionsHealth> },
): HealthSource {
  return {
    name,
    check: async () => {
      const health = await projections.health();
      const rebuilding = health.projections.some(({ state }) => state === 'rebuilding');
      return {
        healthy: health.stalled === null && !rebuilding,
        details: health as unknown as JsonObject,
      };
    },
  };
}

/**
 * The processes. They never take the node out of service: requests are answered without them, and
 * other nodes act in their place.
 */
export function processesHealth(processes: {
  health(): Promise<readonly ProcessHealth[]>;
}): HealthSource {
  return {
    name: 'processes',
    check: async () => {
      const health = await processes.health();
      return { healthy: true, details: { processes: health as unknown as JsonObject[] } };
    },
  };
}
