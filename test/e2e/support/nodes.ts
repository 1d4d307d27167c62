import { join } from 'node:path';
import {
  spawnTestService,
  type ServiceOptions,
  type SpawnedService,
} from '../../support/service.js';
import type { Deployment } from './deployment.js';

/** Where a node of this name keeps its view of the log. */
export function readDatabaseOf({ folder }: Pick<Deployment, 'folder'>, name: string): string {
  return join(folder, `${name}-read.db`);
}

/** How a node of this name is started over the stores of a deployment, with views of its own. */
export function nodeOf({ folder, env }: Deployment, name: string): ServiceOptions {
  return {
    folder,
    env: {
      ...env,
      NODE_ID: name,
      READ_MODEL: `sqlite:${readDatabaseOf({ folder }, name)}`,
      TASK_READ_MODEL: `sqlite:${join(folder, `${name}-tasks-read.db`)}`,
      LOG_TREE: `sqlite:${join(folder, `${name}-log-tree.db`)}`,
      LOG_CHECKPOINT_FILE: join(folder, `${name}-log-checkpoint`),
    },
  };
}

/** Processes over the same stores. */
export async function spawnNodes(
  deployed: Deployment,
  names: readonly string[],
): Promise<readonly SpawnedService[]> {
  const [first = '', ...others] = names;
  // The first makes the keys that all use.
  const node = await spawnTestService(nodeOf(deployed, first));
  const rest = others.map(async (name) => spawnTestService(nodeOf(deployed, name)));
  return [node, ...(await Promise.all(rest))];
}

export async function spawnTwoNodes(
  deployed: Deployment,
): Promise<readonly [SpawnedService, SpawnedService]> {
  const [first, second] = await spawnNodes(deployed, ['node-a', 'node-b']);
  return [first as SpawnedService, second as SpawnedService];
}
