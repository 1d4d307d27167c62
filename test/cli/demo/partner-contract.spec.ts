import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { filedCapabilities } from '../../../src/capabilities/queries/filed-capabilities.js';
import {
  DISPUTE,
  FINANCE,
  MATCH,
  partnerContract,
  RELEASE,
} from '../../../src/cli/demo/partner-contract.js';
import { readHostedAgents } from '../../../src/config/hosted-agents-file.js';

const AGENTS = fileURLToPath(new URL('../../../examples/finance/agents.json', import.meta.url));

describe('the contract of the demo', () => {
  it('speaks in the words of the example’s manifests: no entry of it is prose', async () => {
    const agents = readHostedAgents(AGENTS, false);
    if (!agents.ok) throw new Error(JSON.stringify(agents.error));
    const filed = await filedCapabilities(agents.value, FINANCE);
    if (!filed.ok) throw new Error(filed.error.join());
    const gated = [...filed.value.values()]
      .map(({ manifest }) => manifest)
      .filter(({ requiresContract }) => requiresContract);
    expect(gated.map(({ id }) => String(id)).sort()).toEqual([DISPUTE, MATCH, RELEASE]);

    const contract = partnerContract();
    const { allowedActions, prohibitedActions, humanApprovalRequirements } = contract;
    expect([...allowedActions, ...prohibitedActions].sort()).toEqual(
      gated.map(({ action }) => action).sort(),
    );
    expect(allowedActions).toEqual(expect.arrayContaining([...humanApprovalRequirements]));
    expect(contract.allowedData).toEqual([...new Set(gated.flatMap(({ data }) => data))]);
    expect(contract.prohibitedData).toEqual([]);
  });
});
