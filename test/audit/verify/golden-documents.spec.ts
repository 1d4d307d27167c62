import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseVerificationKeys } from '../../../src/audit/verify/verification-keys.js';
import { verifyInteraction } from '../../../src/audit/verify/verify-interaction.js';

const GOLDEN = new URL('../../golden/interactions/', import.meta.url);
const files = readdirSync(GOLDEN);

interface Golden {
  /** By key id, `<agent>#<n>`. */
  readonly keys: Readonly<Record<string, object>>;
  readonly platformKeys: Readonly<Record<string, object>>;
  readonly events: readonly { readonly data: { readonly audience?: string } }[];
  readonly document: unknown;
}

/** The verifier shares nothing with the writer: here the two meet. */
describe('what the domain folds from its golden logs is never refused by the verifier', () => {
  it('there are such logs', () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it.each(files)('%s', (file) => {
    const golden = JSON.parse(readFileSync(new URL(file, GOLDEN), 'utf8')) as Golden;
    const entry = ([keyId, jwk]: readonly [string, object]) => ({
      keyId,
      jwk,
      from: '2000-01-01T00:00:00Z',
      until: null,
      revoked: null,
    });
    const agents = groupByAgent(Object.entries(golden.keys));
    const keys = parseVerificationKeys({
      audience: golden.events[0]?.data.audience,
      agents: Object.fromEntries(Array.from(agents, ([id, ofAgent]) => [id, ofAgent.map(entry)])),
      platform: Object.entries(golden.platformKeys).map((key) => ({
        ...entry(key),
        purpose: 'attestation',
      })),
    });
    if (!keys.ok) throw new Error(JSON.stringify(keys.error));
    const { checks } = verifyInteraction(golden.document, keys.value);
    const open = checks.filter(({ result }) => result !== 'verified');
    expect(open.filter(({ reason }) => reason !== 'method-without-signature')).toEqual([]);
    expect(checks.length - open.length).toBeGreaterThan(10);
  });
});

function groupByAgent(keys: readonly [string, object][]): Map<string, [string, object][]> {
  const agents = new Map<string, [string, object][]>();
  for (const [keyId, jwk] of keys) {
    const agentId = keyId.replace(/#.*$/, '');
    agents.set(agentId, [...(agents.get(agentId) ?? []), [keyId, jwk]]);
  }
  return agents;
}
