import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../kernel/json.js';
import { logFault } from '../fault-log.js';
import type { HealthSource, HealthStatus } from './health-source.js';

export interface HealthReport {
  readonly ready: boolean;
  readonly checks: ReadonlyMap<string, HealthStatus>;
}

/** A part that does not answer within this time, in milliseconds, is not healthy. */
const CHECK_TIMEOUT_MS = 2_000;

/** All parts of this node. */
export class HealthRegistry {
  readonly #sources: HealthSource[] = [];
  #pending: Promise<HealthReport> | undefined;

  add(...sources: readonly HealthSource[]): void {
    this.#sources.push(...sources);
  }

  /** Those who ask while a report is being made get the same one: asking often costs no more. */
  report(): Promise<HealthReport> {
    this.#pending ??= this.#check().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #check(): Promise<HealthReport> {
    const statuses = await Promise.all(this.#sources.map((source) => statusOf(source)));
    return {
      ready: statuses.every(({ healthy }) => healthy),
      checks: new Map(this.#sources.map(({ name }, index) => [name, statuses[index] ?? SILENT])),
    };
  }
}

const SILENT: HealthStatus = { healthy: false, details: { fault: 'no answer in time' } };

async function statusOf(source: HealthSource): Promise<HealthStatus> {
  const timeout = new AbortController();
  try {
    const silence = delay(CHECK_TIMEOUT_MS, SILENT, { signal: timeout.signal });
    silence.catch(() => undefined);
    return await Promise.race([source.check(), silence]);
  } catch (error) {
    logFault(error, `health-${source.name}`);
    const details: JsonObject = { fault: 'the check failed; see the log' };
    return { healthy: false, details };
  } finally {
    timeout.abort();
  }
}
