import { describe, expect, it } from '@jest/globals';
import { RequestNegotiation } from '../../../src/a2a/negotiation/request-negotiation.js';
import { declaredExtensions } from '../../../src/capabilities/domain/card-extensions.js';
import type { HostedAgent } from '../../../src/config/hosted-agents.js';

const URI = 'https://x.example/v1';

function negotiation(required: readonly string[] = []): RequestNegotiation {
  const settings = { trustUri: URI, directInvokeUri: null, required };
  return new RequestNegotiation(declaredExtensions(settings, {}));
}

const AGENT = {} as HostedAgent;

describe('the negotiation of a deployment', () => {
  it('activates the extension that its cards declare', () => {
    expect(negotiation().extensions(AGENT, URI)).toEqual({ ok: true, value: new Set([URI]) });
    expect(negotiation().extensions(AGENT, undefined)).toEqual({ ok: true, value: new Set() });
  });

  it('refuses what lacks an extension that it requires', () => {
    const strict = negotiation([URI]);
    expect(strict.extensions(AGENT, URI).ok).toBe(true);
    expect(strict.extensions(AGENT, undefined)).toMatchObject({
      error: { error: 'ExtensionSupportRequired', metadata: { missing: URI } },
    });
  });

  it('says why a version is not served', () => {
    expect(negotiation().version('1.0', undefined)).toBeUndefined();
    expect(negotiation().version(undefined, undefined)).toMatchObject({
      error: 'VersionNotSupported',
    });
  });
});
