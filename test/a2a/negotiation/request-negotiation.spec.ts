import { describe, expect, it } from '@jest/globals';
import { RequestNegotiation } from '../../../src/a2a/negotiation/request-negotiation.js';
import type { HostedAgent } from '../../../src/config/hosted-agents.js';
import { readConfig } from '../../../src/config/read-config.js';

const TRUST = 'https://trust.example/v1';

function negotiation(env: Readonly<Record<string, string>> = {}): RequestNegotiation {
  const config = readConfig({ COUNTERSIGN_DEV: '1', TRUST_EXTENSION_URI: TRUST, ...env }, 'host');
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  return new RequestNegotiation(config.value);
}

const AGENT = {} as HostedAgent;

describe('the negotiation of a deployment', () => {
  it('activates the extension that its cards declare', () => {
    expect(negotiation().extensions(AGENT, TRUST)).toEqual({ ok: true, value: new Set([TRUST]) });
    expect(negotiation().extensions(AGENT, undefined)).toEqual({ ok: true, value: new Set() });
  });

  it('refuses what lacks an extension that it requires', () => {
    const strict = negotiation({ REQUIRED_EXTENSIONS: TRUST });
    expect(strict.extensions(AGENT, TRUST).ok).toBe(true);
    expect(strict.extensions(AGENT, undefined)).toMatchObject({
      error: { error: 'ExtensionSupportRequired', metadata: { missing: TRUST } },
    });
  });

  it('says why a version is not served', () => {
    expect(negotiation().version('1.0', undefined)).toBeUndefined();
    expect(negotiation().version(undefined, undefined)).toMatchObject({
      error: 'VersionNotSupported',
    });
  });
});
