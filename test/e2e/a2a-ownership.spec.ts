import { afterAll, beforeAll, describe } from '@jest/globals';
import { jsonRpc, saying, taskIdOf } from '../a2a/transports/support/bindings.js';
import { ownershipMatrix } from '../a2a/transports/support/ownership-matrix.js';
import { startTestService, type InProcessService } from '../support/service.js';
import { tckDeployment } from './support/tck-deployment.js';

describe('whose a task is, in a real service', () => {
  let service: InProcessService;
  let ownersToken: string;
  let othersToken: string;
  let count = 0;

  beforeAll(async () => {
    service = await startTestService(await tckDeployment({ A2A_ANONYMOUS: 'secret' }));
    ownersToken = await service.token({ principal: 'alice', scopes: [] });
    othersToken = await service.token({ principal: 'bob', scopes: [] });
  });

  afterAll(async () => {
    await service.dispose();
  });

  ownershipMatrix(() => {
    const agentUrl = `${service.url}/a2a/tck`;
    return {
      agentUrl,
      ownersToken,
      othersToken,
      task: async (kind) => {
        count++;
        const scenario = kind === 'live' ? 'tck-input-required' : 'tck-complete-task';
        const params = saying('x', { messageId: `${scenario}-${String(count)}` });
        const ask = { token: ownersToken };
        return taskIdOf(await jsonRpc.call(agentUrl, 'SendMessage', params, ask));
      },
    };
  });
});
