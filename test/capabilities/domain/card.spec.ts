import { describe, expect, it } from '@jest/globals';
import {
  agentCard,
  claimsExtendedCard,
  extendedCardVersion,
  publicCardVersion,
  type CardProfile,
  type CardSettings,
} from '../../../src/capabilities/domain/card.js';
import { directInvokeDeclarations } from '../../../src/capabilities/domain/card-direct-invoke.js';
import { publicSkills } from '../../../src/capabilities/domain/card-skills.js';
import type { Manifest } from '../../../src/capabilities/domain/manifest.js';
import { byId, capability, FINANCE } from '../support/capabilities.js';
import { DIRECT_URI, EXTENSIONS, TRUST_URI } from '../support/extensions.js';

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
  extensions: EXTENSIONS,
  openIdConnectUrl: null,
  needsToken: true,
};

const NOTHING = { version: '1.0.1', skills: [], declarations: {}, extendedAgentCard: false };

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
      capabilities: {
        streaming: true,
        pushNotifications: true,
        extendedAgentCard: false,
        extensions: [
          { uri: TRUST_URI, description: expect.any(String) },
          { uri: DIRECT_URI, description: expect.any(String) },
        ],
      },
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

  it('declares how its skills are invoked directly (RFC skill-direct-invoke, section 3.4)', () => {
    const directInvoke = {
      inputSchema: { type: 'object', required: ['a'] },
      outputSchema: { type: 'number' },
      backend: { type: 'http', name: 'ledger' },
      allowUnauthenticated: true,
    };
    const all = byId(
      capability('a', { directInvoke }),
      capability('b'),
      capability('c', { visibility: 'extended', directInvoke }),
      capability('d', { state: 'removed', directInvoke }),
      capability('unbound', { directInvoke }),
    );
    const skills = publicSkills(all);
    const isBound = ({ id }: Manifest): boolean => id !== 'unbound';
    const declarations = directInvokeDeclarations(all, skills, isBound);
    const { extensions } = agentCard(PROFILE, SETTINGS, {
      ...NOTHING,
      skills,
      declarations,
    }).capabilities;
    expect(extensions.find(({ uri }) => uri === DIRECT_URI)?.params).toEqual({
      skills: {
        a: {
          inputSchema: { type: 'object', required: ['a'] },
          outputSchema: { type: 'number' },
          directInvokeSupported: true,
          bypassModel: true,
          backend: { type: 'http', name: 'ledger' },
          fallback: 'none',
        },
      },
    });
  });

  it('says no word of direct invokes where they are not served', () => {
    const extensions = { ...EXTENSIONS, directInvokeUri: null };
    const card = agentCard(PROFILE, { ...SETTINGS, extensions }, NOTHING);
    expect(card.capabilities.extensions.map(({ uri }) => uri)).toEqual([TRUST_URI]);
  });
});

describe('the version of a card', () => {
  const skills = publicSkills(byId(capability('a')));

  it('counts the published lists in its third number', () => {
    expect(publicCardVersion(PROFILE, 7)).toBe('1.0.7');
  });

  it('tells extended lists apart in its build metadata', () => {
    expect(extendedCardVersion(PROFILE, 7, skills, {})).toMatch(/^1\.0\.7\+[0-9a-f]{12}$/);
    expect(extendedCardVersion(PROFILE, 7, skills, {})).toBe(
      extendedCardVersion(PROFILE, 7, skills, {}),
    );
    expect(extendedCardVersion(PROFILE, 7, [], {})).not.toBe(
      extendedCardVersion(PROFILE, 7, skills, {}),
    );
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
