import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../src/config/config.js';
import type { ConfigFault, Environment } from '../../src/config/environment.js';
import { readConfig } from '../../src/config/read-config.js';

const PRODUCTION = {
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_AUDIENCE: 'https://countersign.example',
  PUBLIC_BASE_URL: 'https://countersign.example',
  PLATFORM_KEYS: '/etc/countersign/platform-keys.jwks.json',
};

const DEVELOPMENT = { COUNTERSIGN_DEV: '1' };

function config(environment: Environment): Config {
  const read = readConfig(environment, 'host');
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

function faults(environment: Environment): readonly ConfigFault[] {
  const read = readConfig(environment, 'host');
  return read.ok ? [] : read.error;
}

function variables(environment: Environment): string[] {
  return faults(environment)
    .map(({ variable }) => variable)
    .sort();
}

describe('the configuration', () => {
  it('fails closed: an empty environment is production and lacks everything', () => {
    expect(variables({})).toEqual([
      'OIDC_AUDIENCE',
      'OIDC_ISSUER',
      'PLATFORM_KEYS',
      'PUBLIC_BASE_URL',
    ]);
  });

  it('reports every fault at once, with the name of the variable', () => {
    const environment = {
      COUNTERSIGN_DEV: 'true',
      PORT: '80x',
      EVENT_STORE: 'postgres://db/',
      KEY_STORE: 'sqlite:',
      SIGNING_LEEWAY_SECONDS: '-1',
      READ_WAIT_MS: '1e3',
      OIDC_ISSUER: 'http://issuer.example',
    };
    expect(variables(environment)).toEqual([
      'COUNTERSIGN_DEV',
      'EVENT_STORE',
      'KEY_STORE',
      'OIDC_AUDIENCE',
      'OIDC_ISSUER',
      'PLATFORM_KEYS',
      'PORT',
      'PUBLIC_BASE_URL',
      'READ_WAIT_MS',
      'SIGNING_LEEWAY_SECONDS',
    ]);
  });

  it.each(Object.keys(PRODUCTION))('does not start in production without %s', (variable) => {
    expect(variables({ ...PRODUCTION, [variable]: undefined })).toEqual([variable]);
    expect(variables({ ...PRODUCTION, [variable]: '' })).toEqual([variable]);
  });

  it('trusts in production what it is told to, with documented defaults', () => {
    expect(config(PRODUCTION)).toEqual({
      mode: 'production',
      listen: { host: '0.0.0.0', port: 8080 },
      publicBaseUrl: 'https://countersign.example',
      dataFolder: './data',
      eventStore: { engine: 'sqlite', path: 'data/events.db' },
      keyStore: { engine: 'sqlite', path: 'data/keys.db' },
      readModel: { engine: 'sqlite', path: 'data/read.db' },
      transparencyLog: {
        tree: { engine: 'sqlite', path: 'data/log-tree.db' },
        checkpointIntervalMs: 10_000,
        checkpointFile: 'data/log-checkpoint',
        witnesses: [],
      },
      nodeId: 'host',
      tokens: {
        kind: 'oidc',
        issuer: 'https://issuer.example',
        audience: 'https://countersign.example',
        jwksUri: null,
        claims: { agent: 'agent', tenant: 'tenant' },
        leewaySeconds: 30,
      },
      platformKeys: { file: '/etc/countersign/platform-keys.jwks.json', generate: false },
      signingLeewayMs: 300_000,
      readWaitMs: 2_000,
      a2a: {
        agents: [],
        anonymous: 'refused',
        taskStore: { engine: 'sqlite', path: 'data/tasks.db' },
        taskReadModelPath: 'data/tasks-read.db',
        taskRetentionMs: 168 * 3_600_000,
        executionTimeoutMs: 300_000,
        approvalTimeoutMs: 86_400_000,
        allowLoopbackWebhooks: false,
        routingThreshold: 0.6,
        textClassifier: 'encoder',
        modelRouter: null,
        trustExtensionUri: 'https://countersign.example/extensions/trust/v1',
        directInvokeExtensionUri: 'https://example.com/a2a/extensions/skill-direct-invoke/v1',
        vocabulary: [],
        requiredExtensions: [],
      },
    });
  });

  it('is frozen to the last member', () => {
    const { tokens } = config(PRODUCTION);
    expect(() => Object.assign(tokens, { issuer: 'https://evil.example' })).toThrow(TypeError);
  });

  it('takes every setting that there is', () => {
    const environment = {
      ...PRODUCTION,
      HOST: '10.0.0.7',
      PORT: '443',
      EVENT_STORE: 'sqlite:/var/lib/events.db',
      KEY_STORE: 'sqlite:keys.db',
      READ_MODEL: 'sqlite:/tmp/read.db',
      NODE_ID: 'node-a',
      OIDC_JWKS_URI: 'https://issuer.example/keys',
      OIDC_AGENT_CLAIM: 'https://claims.example/agent',
      OIDC_TENANT_CLAIM: 'org_id',
      TOKEN_LEEWAY_SECONDS: '0',
      SIGNING_LEEWAY_SECONDS: '60',
      READ_WAIT_MS: '0',
    };
    expect(config(environment)).toMatchObject({
      listen: { host: '10.0.0.7', port: 443 },
      eventStore: { path: '/var/lib/events.db' },
      keyStore: { path: 'keys.db' },
      readModel: { path: '/tmp/read.db' },
      nodeId: 'node-a',
      tokens: {
        jwksUri: 'https://issuer.example/keys',
        claims: { agent: 'https://claims.example/agent', tenant: 'org_id' },
        leewaySeconds: 0,
      },
      signingLeewayMs: 60_000,
      readWaitMs: 0,
    });
  });

  it.each([
    ['https://countersign.example/', 'a slash'],
    ['https://countersign.example/api', 'a path'],
    ['https://countersign.example?x', 'a query'],
    ['https://COUNTERSIGN.example', 'capitals'],
    ['https://countersign.example:443', 'a default port'],
    ['https://user@countersign.example', 'a user'],
    ['http://countersign.example', 'http'],
    ['http://127.0.0.1:8080', 'http in production'],
    ['countersign.example', 'no scheme'],
    [' https://countersign.example', 'a space'],
  ])('does not sign for the public base URL %s (%s)', (url) => {
    expect(variables({ ...PRODUCTION, PUBLIC_BASE_URL: url })).toEqual(['PUBLIC_BASE_URL']);
  });

  it.each([
    ['http://issuer.example'],
    ['http://127.0.0.1:9000'],
    ['https://user:password@issuer.example'],
    ['https://issuer.example/#x'],
    ['issuer'],
  ])('does not trust the issuer address %s in production', (url) => {
    expect(variables({ ...PRODUCTION, OIDC_ISSUER: url })).toEqual(['OIDC_ISSUER']);
    expect(variables({ ...PRODUCTION, OIDC_JWKS_URI: url })).toEqual(['OIDC_JWKS_URI']);
  });

  describe('of a development node', () => {
    it('needs nothing but the flag, and stays on this machine', () => {
      expect(config(DEVELOPMENT)).toMatchObject({
        mode: 'development',
        listen: { host: '127.0.0.1', port: 8080 },
        publicBaseUrl: 'http://127.0.0.1:8080',
        tokens: { kind: 'dev-issuer', keyFile: 'data/dev-issuer.jwk.json' },
        platformKeys: { file: 'data/platform-keys.jwks.json', generate: true },
      });
    });

    it.each([
      '0.0.0.0',
      '::',
      '10.0.0.1',
      'countersign.example',
      '127.evil.example',
      '::ffff:10.0.0.1',
    ])('does not listen on %s', (host) => {
      expect(variables({ ...DEVELOPMENT, HOST: host })).toContain('HOST');
    });

    it.each([
      ['127.0.0.2', 'http://127.0.0.2:8080'],
      ['::1', 'http://[::1]:8080'],
      ['localhost', 'http://localhost:8080'],
    ])('listens on %s', (host, url) => {
      expect(config({ ...DEVELOPMENT, HOST: host }).publicBaseUrl).toBe(url);
    });

    it.each(['yes', 'true', 'on', '2', ' 1'])('is not turned on by COUNTERSIGN_DEV=%s', (flag) => {
      expect(variables({ ...PRODUCTION, COUNTERSIGN_DEV: flag })).toEqual(['COUNTERSIGN_DEV']);
    });

    it('is not turned on by COUNTERSIGN_DEV=0', () => {
      expect(config({ ...PRODUCTION, COUNTERSIGN_DEV: '0' }).mode).toBe('production');
    });

    it('needs a name when the port is not known beforehand', () => {
      expect(variables({ ...DEVELOPMENT, PORT: '0' })).toEqual(['PUBLIC_BASE_URL']);
    });

    it('uses a named issuer in place of its own, entirely', () => {
      const named = { ...DEVELOPMENT, OIDC_ISSUER: 'http://127.0.0.1:9000', OIDC_AUDIENCE: 'x' };
      expect(config(named).tokens).toMatchObject({ kind: 'oidc', issuer: 'http://127.0.0.1:9000' });
      expect(variables({ ...DEVELOPMENT, OIDC_AUDIENCE: 'x' })).toEqual(['OIDC_ISSUER']);
      expect(variables({ ...named, OIDC_ISSUER: 'http://10.0.0.1' })).toEqual(['OIDC_ISSUER']);
    });

    it('keeps everything in its data folder', () => {
      const all = JSON.stringify(config({ ...DEVELOPMENT, DATA_FOLDER: '/tmp/x' }));
      expect(all).not.toContain('"data/');
      expect(all.match(/\/tmp\/x\//g)).toHaveLength(9);
    });
  });
});
