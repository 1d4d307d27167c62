import { afterAll, beforeAll, describe } from '@jest/globals';
import { AGENT, startA2aServer, type A2aTestServer } from './support/a2a-server.js';
import { ownershipMatrix } from './support/ownership-matrix.js';

const OWNER = { kind: 'principal', tenant: 'acme', principal: 'alice', agent: null } as const;

describe('whose a task is', () => {
  let server: A2aTestServer;

  beforeAll(async () => {
    server = await startA2aServer();
  });

  afterAll(async () => {
    await server.close();
  });

  ownershipMatrix(() => ({
    agentUrl: server.agentUrl,
    ownersToken: 'alice',
    othersToken: 'bob',
    task: (kind) => {
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } as const;
      const { id } = server.tasks.begin(OWNER, AGENT, message).task;
      server.tasks.status(id, 'TASK_STATE_WORKING');
      if (kind === 'stored') server.tasks.status(id, 'TASK_STATE_COMPLETED');
      return Promise.resolve(id);
    },
  }));
});
