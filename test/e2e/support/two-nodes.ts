import { join } from 'node:path';
import {
  spawnTestService,
  type ServiceOptions,
  type SpawnedService,
} from '../../support/service.js';
import type { Deployment } from './deployment.js';

/** How a node of this name is started over the files of a deployment, with views of its own. */
function nodeOf({ folder, env }: Deployment, name: string): ServiceOptions {
  return {
    folder,
    env: {
      ...env,
      NODE_ID: name,
      READ_MODEL: `sqlite:${join(folder, `${name}-read.db`)}`,
      TASK_READ_MODEL: `sqlite:${join(folder, `${name}-tasks-read.db`)}`,
    },
  };
}

/** Two processes over the same files. */
export async function spawnTwoNodes(
  deployed: Deployment,
): Promise<readonly [SpawnedService, SpawnedService]> {
  // The first makes the keys that both use.
  const first = await spawnTestService(nodeOf(deployed, 'node-a'));
  return [first, await spawnTestService(nodeOf(deployed, 'node-b'))];
}
