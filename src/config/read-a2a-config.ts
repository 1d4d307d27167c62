import { join } from 'node:path';
import { isSecureUrl } from './addresses.js';
import type { EnvironmentReader } from './environment.js';
import { readHostedAgents } from './hosted-agents-file.js';
import type { A2aConfig, HostedAgent, ModelRouterConfig } from './hosted-agents.js';
import { readExtensions, readVocabulary } from './read-extensions.js';
import { readFile } from './read-stores.js';
import type { ForgettingLocation } from './store-location.js';

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;
const YEARS_10_IN_HOURS = 87_600;

/** Settings of the A2A surface: what is dangerous in them is open to development nodes alone. */
export function readA2aConfig(
  reader: EnvironmentReader,
  isDevelopment: boolean,
  dataFolder: string,
  taskStore: ForgettingLocation,
): A2aConfig {
  return {
    agents: readAgents(reader, isDevelopment),
    anonymous: readAnonymous(reader, isDevelopment),
    taskStore,
    taskReadModelPath: readFile(reader, 'TASK_READ_MODEL', join(dataFolder, 'tasks-read.db')).path,
    taskRetentionMs: reader.integer('TASK_RETENTION_HOURS', 168, [1, YEARS_10_IN_HOURS]) * HOUR_MS,
    executionTimeoutMs: reader.integer('EXECUTION_TIMEOUT_SECONDS', 300, [1, 86_400]) * 1000,
    approvalTimeoutMs:
      reader.integer('APPROVAL_TIMEOUT_SECONDS', DAY_SECONDS, [60, 30 * DAY_SECONDS]) * 1000,
    allowLoopbackWebhooks: readLoopbackWebhooks(reader, isDevelopment),
    routingThreshold: reader.fraction('ROUTING_THRESHOLD', 0.6),
    textClassifier: reader.choice('TEXT_CLASSIFIER', ['encoder', 'words']),
    modelRouter: readModelRouter(reader),
    ...readExtensions(reader),
    vocabulary: readVocabulary(reader),
  };
}

function readAgents(reader: EnvironmentReader, isDevelopment: boolean): readonly HostedAgent[] {
  const path = reader.optional('HOSTED_AGENTS');
  if (path === undefined) return [];
  const agents = readHostedAgents(path, isDevelopment);
  if (agents.ok) return agents.value;
  for (const { pointer, detail } of agents.error) {
    reader.fault('HOSTED_AGENTS', `${path}${pointer === '' ? '' : `#${pointer}`} ${detail}`);
  }
  return [];
}

function readAnonymous(reader: EnvironmentReader, isDevelopment: boolean): A2aConfig['anonymous'] {
  const anonymous = reader.choice('A2A_ANONYMOUS', ['refused', 'secret', 'shared']);
  if (anonymous === 'shared' && !isDevelopment) {
    reader.fault('A2A_ANONYMOUS', 'may be shared only under COUNTERSIGN_DEV=1');
  }
  return anonymous;
}

function readLoopbackWebhooks(reader: EnvironmentReader, isDevelopment: boolean): boolean {
  const isAllowed = reader.flag('ALLOW_LOOPBACK_WEBHOOKS');
  if (isAllowed && !isDevelopment) {
    reader.fault('ALLOW_LOOPBACK_WEBHOOKS', 'may be 1 only under COUNTERSIGN_DEV=1');
  }
  return isAllowed;
}

const MODEL_ROUTER_DETAILS = [
  'MODEL_ROUTER_MODEL',
  'MODEL_ROUTER_API_KEY',
  'MODEL_ROUTER_TIMEOUT_MS',
  'MODEL_ROUTER_CALLS_PER_MINUTE',
];

/** Texts of callers leave the service through it: off unless its address is named. */
function readModelRouter(reader: EnvironmentReader): ModelRouterConfig | null {
  const url = reader.optional('MODEL_ROUTER_URL');
  if (url === undefined) {
    for (const variable of MODEL_ROUTER_DETAILS) {
      if (reader.optional(variable) === undefined) continue;
      reader.fault(variable, 'means nothing without MODEL_ROUTER_URL');
    }
    return null;
  }
  // A model on this machine needs no TLS: nothing leaves it.
  const isFine = URL.canParse(url) && isSecureUrl(new URL(url), true) && !url.includes('@');
  if (!isFine) reader.fault('MODEL_ROUTER_URL', 'must be an https URL without a user');
  return {
    url,
    model: reader.required('MODEL_ROUTER_MODEL', 'with MODEL_ROUTER_URL'),
    apiKey: reader.optional('MODEL_ROUTER_API_KEY') ?? null,
    timeoutMs: reader.integer('MODEL_ROUTER_TIMEOUT_MS', 3000, [100, 60_000]),
    callsPerMinute: reader.integer('MODEL_ROUTER_CALLS_PER_MINUTE', 60, [1, 100_000]),
  };
}
