import { describe, expect, it } from '@jest/globals';
import { actingAs } from '../../../src/agents/domain/acting.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import { ALPHA, CLIENT, OWNER, TENANT, agentAfter, caller, register } from '../support/agents.js';

const agent = agentAfter({ command: register() });
const stranger = { principal: 'somebody', client: 'other-client' };

/** The whole matrix: tenant × agent claim × client × principal. */
const rows = [TENANT, 'tenant-beta'].flatMap((tenant) =>
  [null, ALPHA, 'agent-beta' as AgentId].flatMap((claim) =>
    [null, 'other-client', CLIENT].flatMap((client) =>
      ['somebody', OWNER].map((principal) => ({ tenant, agent: claim, client, principal })),
    ),
  ),
);

describe('acting as an agent', () => {
  it.each(rows)('tenant $tenant, claim $agent, client $client, principal $principal', (row) => {
    const acting = actingAs(caller(row), agent);
    const mayAct = row.tenant === TENANT && row.agent !== 'agent-beta';
    const bonds = [
      ...(row.client === CLIENT ? ['client'] : []),
      ...(row.principal === OWNER ? ['owner'] : []),
      ...(row.agent === ALPHA ? ['agent'] : []),
    ];
    expect(acting).toEqual(mayAct && bonds.length > 0 ? bonds : undefined);
  });

  it('is not what a token without a client can do by an agent without clients', () => {
    const alone = agentAfter({ command: register({ clients: [] }) });
    expect(actingAs(caller({ ...stranger, client: null }), alone)).toBeUndefined();
  });
});
