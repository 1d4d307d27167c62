import { describe, expect, it } from '@jest/globals';
import { cardSettings } from '../../../src/a2a/card/card-settings.js';
import type { CardSettings } from '../../../src/capabilities/domain/card.js';
import { EXTENSIONS, TRUST_URI } from '../../capabilities/support/extensions.js';
import { readConfig } from '../../../src/config/read-config.js';

function settings(environment: Readonly<Record<string, string>>): CardSettings {
  const config = readConfig(environment, 'host');
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  return cardSettings(config.value);
}

const PRODUCTION = {
  OIDC_ISSUER: 'https://issuer.example/realm/',
  OIDC_AUDIENCE: 'https://countersign.example',
  PUBLIC_BASE_URL: 'https://countersign.example',
  PLATFORM_KEYS: '/etc/countersign/platform-keys.jwks.json',
};

describe('what the cards of a deployment say alike', () => {
  it('is where the service is and whose tokens it believes, from the configuration alone', () => {
    expect(settings(PRODUCTION)).toMatchObject({
      publicBaseUrl: 'https://countersign.example',
      openIdConnectUrl: 'https://issuer.example/realm/.well-known/openid-configuration',
      needsToken: true,
    });
  });

  it('names no issuer where the service issues tokens itself', () => {
    expect(settings({ COUNTERSIGN_DEV: '1' }).openIdConnectUrl).toBeNull();
  });

  it.each([
    ['refused', true],
    ['secret', false],
    ['shared', false],
  ])('asks for a token where anonymous callers are %s: %s', (anonymous, needsToken) => {
    const environment = { COUNTERSIGN_DEV: '1', A2A_ANONYMOUS: anonymous };
    expect(settings(environment).needsToken).toBe(needsToken);
  });

  it('honours the extension of contracts, and that of direct invokes unless it is off', () => {
    expect(settings(PRODUCTION).extensions).toEqual(EXTENSIONS);
    expect(settings({ ...PRODUCTION, DIRECT_INVOKE: 'off' }).extensions).toEqual({
      ...EXTENSIONS,
      directInvokeUri: null,
    });
    expect(settings({ ...PRODUCTION, REQUIRED_EXTENSIONS: TRUST_URI }).extensions.required).toEqual(
      [TRUST_URI],
    );
  });
});
