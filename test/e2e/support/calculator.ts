import type { JsonObject } from '../../../src/kernel/json.js';
import { pointerTo } from '../../../src/kernel/json.js';
import { DIRECT_URI } from '../../capabilities/support/extensions.js';
import { deployment, scripted, type Deployment } from './deployment.js';
import { SUM_DIRECT } from './sum.js';

/** A hosted agent that sums numbers, and plays scripts. */
export const CALCULATOR = 'calculator';

/** A skill that is invoked directly in this process; `more` says what is different. */
function sumSkill(id: string, more: JsonObject = {}): JsonObject {
  return scripted(id, { handler: 'e2e.sum', direct_invoke: SUM_DIRECT, ...more });
}

/** Skills for every answer that a direct invoke can get. */
export const CALCULATOR_SKILLS: readonly JsonObject[] = [
  sumSkill('calculate_sum'),
  sumSkill('restricted', { visibility: 'extended', requires_scopes: ['ledger'] }),
  sumSkill('for-insiders', { visibility: 'extended', tenants: ['insiders'] }),
  sumSkill('internal', { visibility: 'internal', requires_scopes: ['ledger'] }),
  sumSkill('open', { direct_invoke: { ...SUM_DIRECT, allow_unauthenticated: true } }),
  sumSkill('unbound', { handler: 'e2e.nowhere' }),
  sumSkill('under-contract', { requires_contract: true, action: 'sum' }),
  sumSkill('down', {
    handler: 'down',
    direct_invoke: { ...SUM_DIRECT, backend: { type: 'http', name: 'down' } },
  }),
  scripted('play'),
];

/** Nobody listens there. */
const DOWN = { kind: 'http', name: 'down', url: 'http://127.0.0.1:65535/' };

export async function calculatorDeployment(
  env: Readonly<Record<string, string>> = {},
): Promise<Deployment> {
  return deployment(
    { [CALCULATOR]: CALCULATOR_SKILLS },
    { A2A_ANONYMOUS: 'secret', ...env },
    { backends: { down: DOWN } },
  );
}

/** Where a member of the payload stands in the params. */
export function payloadPointer(member: string): string {
  return `${pointerTo('/message/metadata', DIRECT_URI)}${member}`;
}
