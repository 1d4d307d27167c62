import { describe, expect, it } from '@jest/globals';
import {
  agentCard,
  claimsExtendedCard,
  extendedCardVersion,
  publicCardVersion,
  type CardProfile,
  type CardSettings,
} from '../../../src/capabilities/domain/card.js';
import { publicSkills } from '../../../src/capabilities/domain/card-skills.js';
import { byId, capability, FINANCE } from '../support/capabilities.js';

const PROFILE: CardProfile = {
  agentId: FINANCE,
  name: 'Finance agent',
  description: 'Looks invoices up.',
  version: '1.0',
  provider: null,
  documentationUrl: null,
  iconUrl: null,
  extendedCard: 'derived',
};

const SETTINGS: CardSettings = {
  publicBaseUrl: 'https://countersign.example',
  extensions: [],
  openIdConnectUrl: null,
  needsToken: true,
};

const NOTHING = { version: '1.0.1', skills: [], extendedAgentCard: false };

describe('an agent card', () => {
  it('has every REQUIRED member, also when it has nothing to say', () => {
    expect(agentCard(PROFILE, SETTINGS, NOTHING)).toEqual({
      name: 'Finance agent',
      description: 'Looks invoices up.',
      supportedInterfaces: [
        {
          url: 'https://countersign.example/a2a/finance-agent',
          protocolBinding: 'JSONRPC',
          protocolVersion: '1.0',
        },
        {
          url: 'https://countersign.example/a2a/finance-agent',
          protocolBinding: 'HTTP+JSON',
          protocolVersion: '1.0',
        },
      ],
      version: '1.0.1',
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
      securitySchemes: {
        bearer: {
          httpAuthSecurityScheme: {
            description: 'An access token in the Authorization header (RFC 6750).',
            scheme: 'Bearer',
            bearerFormat: 'JWT',
          },
        },
      },
      securityRequirements: [{ schemes: { bearer: {} } }],
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: [],
    });
  });

  it('says who is behind it when that is configured', () => {
    const profile = {
      ...PROFILE,
      provider: { organization: 'Finance', url: 'https://finance.example' },
      documentationUrl: 'https://finance.example/docs',
      iconUrl: 'https://finance.example/icon.png',
    };
    expect(agentCard(profile, SETTINGS, NOTHING)).toMatchObject({
      provider: { organization: 'Finance', url: 'https://finance.example' },
      documentationUrl: 'https://finance.example/docs',
      iconUrl: 'https://finance.example/icon.png',
    });
  });

  it('names whoever issues tokens, as one of two ways', () => {
    const openIdConnectUrl = 'https://issuer.example/.well-known/openid-configuration';
    const card = agentCard(PROFILE, { ...SETTINGS, openIdConnectUrl }, NOTHING);
    expect(card.securitySchemes).toHaveProperty('oidc', {
      openIdConnectSecurityScheme: { openIdConnectUrl },
    });
    expect(card.securityRequirements).toEqual([
      { schemes: { bearer: {} } },
      { schemes: { oidc: {} } },
    ]);
  });

  it('asks for no token where none is needed', () => {
    const card = agentCard(PROFILE, { ...SETTINGS, needsToken: false }, NOTHING);
    expect(card).not.toHaveProperty('securityRequirements');
    expect(card).toHaveProperty('securitySchemes.bearer');
  });

  it('takes and gives what its own skills do, each media type once', () => {
    const skills = publicSkills(
      byId(
        capability('a', {
          skill: { inputModes: ['text/plain', 'image/*'], outputModes: ['text/plain'] },
        }),
        capability('b', {
          skill: { inputModes: ['text/plain'], outputModes: ['application/json'] },
        }),
        capability('c', { visibility: 'extended', skill: { inputModes: ['application/pdf'] } }),
      ),
    );
    expect(agentCard(PROFILE, SETTINGS, { ...NOTHING, skills })).toMatchObject({
      defaultInputModes: ['text/plain', 'image/*'],
      defaultOutputModes: ['text/plain', 'application/json'],
      skills,
    });
  });

  it('declares the extensions', () => {
    const extensions = [{ uri: 'https://x.example/v1', description: 'x' }];
    expect(agentCard(PROFILE, { ...SETTINGS, extensions }, NOTHING).capabilities).toHaveProperty(
      'extensions',
      extensions,
    );
  });
});

describe('the version of a card', () => {
  const skills = publicSkills(byId(capability('a')));

  it('counts the published lists in its third number', () => {
    expect(publicCardVersion(PROFILE, 7)).toBe('1.0.7');
  });

  it('tells extended lists apart in its build metadata', () => {
    expect(extendedCardVersion(PROFILE, 7, skills)).toMatch(/^1\.0\.7\+[0-9a-f]{12}$/);
    expect(extendedCardVersion(PROFILE, 7, skills)).toBe(extendedCardVersion(PROFILE, 7, skills));
    expect(extendedCardVersion(PROFILE, 7, [])).not.toBe(extendedCardVersion(PROFILE, 7, skills));
  });
});

describe('whether a card claims an extended one', () => {
  const some = byId(capability('a', { visibility: 'extended' }));
  const none = byId(capability('a'));

  it.each([
    ['derived', some, true],
    ['derived', none, false],
    ['off', some, false],
    ['off', none, false],
    ['on', some, true],
    ['on', none, true],
  ] as const)('%s', (extendedCard, capabilities, claimed) => {
    expect(claimsExtendedCard({ extendedCard }, capabilities)).toBe(claimed);
  });
});
