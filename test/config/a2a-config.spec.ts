import { describe, expect, it } from '@jest/globals';
import type { ConfigFault, Environment } from '../../src/config/environment.js';
import type { A2aConfig } from '../../src/config/hosted-agents.js';
import { readConfig } from '../../src/config/read-config.js';

const PRODUCTION = {
  OIDC_ISSUER: 'https://issuer.example',
  OIDC_AUDIENCE: 'https://countersign.example',
  PUBLIC_BASE_URL: 'https://countersign.example',
  PLATFORM_KEYS: '/etc/countersign/platform-keys.jwks.json',
};
const DEVELOPMENT = { COUNTERSIGN_DEV: '1' };

function read(environment: Environment): A2aConfig {
  const config = readConfig(environment, 'host');
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  return config.value.a2a;
}

function faults(environment: Environment): readonly ConfigFault[] {
  const config = readConfig(environment, 'host');
  return config.ok ? [] : config.error;
}

function variables(environment: Environment): readonly string[] {
  return faults(environment).map(({ variable }) => variable);
}

describe('the settings of the A2A surface', () => {
  it('take every value that there is', () => {
    const trust = 'urn:example:trust:v2';
    const direct = 'https://direct.example/v1.1';
    const environment = {
      ...PRODUCTION,
      A2A_ANONYMOUS: 'secret',
      TASK_STORE: 'sqlite:/var/lib/tasks.db',
      TASK_READ_MODEL: 'sqlite:/var/lib/tasks-read.db',
      TASK_RETENTION_HOURS: '1',
      EXECUTION_TIMEOUT_SECONDS: '30',
      APPROVAL_TIMEOUT_SECONDS: '120',
      ROUTING_THRESHOLD: '0.75',
      TEXT_CLASSIFIER: 'words',
      MODEL_ROUTER_URL: 'https://models.example/v1/chat/completions',
      MODEL_ROUTER_MODEL: 'small',
      MODEL_ROUTER_API_KEY: 'secret-key',
      MODEL_ROUTER_TIMEOUT_MS: '1500',
      MODEL_ROUTER_CALLS_PER_MINUTE: '10',
      TRUST_EXTENSION_URI: trust,
      DIRECT_INVOKE: 'on',
      DIRECT_INVOKE_EXTENSION_URI: direct,
      REQUIRED_EXTENSIONS: ` , ${direct},${trust} , ${direct}`,
      VOCABULARY: 'invoice.read, invoice.write ,, invoice.read,Bücher führen',
    };
    expect(read(environment)).toEqual({
      agents: [],
      anonymous: 'secret',
      taskStore: { engine: 'sqlite', path: '/var/lib/tasks.db' },
      taskReadModelPath: '/var/lib/tasks-read.db',
      taskRetentionMs: 3_600_000,
      executionTimeoutMs: 30_000,
      approvalTimeoutMs: 120_000,
      allowLoopbackWebhooks: false,
      routingThreshold: 0.75,
      textClassifier: 'words',
      modelRouter: {
        url: 'https://models.example/v1/chat/completions',
        model: 'small',
        apiKey: 'secret-key',
        timeoutMs: 1500,
        callsPerMinute: 10,
      },
      trustExtensionUri: trust,
      directInvokeExtensionUri: direct,
      requiredExtensions: [direct, trust],
      vocabulary: ['invoice.read', 'invoice.write', 'Bücher führen'],
    });
  });

  it.each([
    ['A2A_ANONYMOUS', 'yes'],
    ['A2A_ANONYMOUS', 'Secret'],
    ['TASK_RETENTION_HOURS', '0'],
    ['TASK_RETENTION_HOURS', '1.5'],
    ['EXECUTION_TIMEOUT_SECONDS', '0'],
    ['APPROVAL_TIMEOUT_SECONDS', '59'],
    ['APPROVAL_TIMEOUT_SECONDS', '2592001'],
    ['ALLOW_LOOPBACK_WEBHOOKS', 'true'],
    ['ROUTING_THRESHOLD', '1.1'],
    ['ROUTING_THRESHOLD', '-0.1'],
    ['ROUTING_THRESHOLD', '60%'],
    ['ROUTING_THRESHOLD', '.6'],
    ['ROUTING_THRESHOLD', '1e-1'],
    ['ROUTING_THRESHOLD', 'NaN'],
    ['TEXT_CLASSIFIER', 'none'],
    ['TRUST_EXTENSION_URI', 'trust/v1'],
    ['TRUST_EXTENSION_URI', 'http://x.example/v1'],
    ['TRUST_EXTENSION_URI', 'https://x.example/trust'],
    ['TRUST_EXTENSION_URI', 'https://x.example/a,b/v1'],
    ['TRUST_EXTENSION_URI', 'https://x.example/a b/v1'],
    ['TRUST_EXTENSION_URI', 'https://x.example/ä/v1'],
    ['TRUST_EXTENSION_URI', `https://x.example/${'a'.repeat(260)}/v1`],
    ['REQUIRED_EXTENSIONS', 'https://other.example/v1'],
    ['REQUIRED_EXTENSIONS', 'https://countersign.example/extensions/trust/v2'],
    ['DIRECT_INVOKE', 'no'],
    ['DIRECT_INVOKE', '0'],
    ['DIRECT_INVOKE_EXTENSION_URI', 'direct/v1'],
    ['DIRECT_INVOKE_EXTENSION_URI', 'http://x.example/v1'],
    ['DIRECT_INVOKE_EXTENSION_URI', 'https://x.example/direct'],
    ['DIRECT_INVOKE_EXTENSION_URI', 'https://x.example/a,b/v1'],
    ['DIRECT_INVOKE_EXTENSION_URI', 'https://x.example/ä/v1'],
    ['DIRECT_INVOKE_EXTENSION_URI', `https://x.example/${'a'.repeat(260)}/v1`],
    ['DIRECT_INVOKE_EXTENSION_URI', 'https://countersign.example/extensions/trust/v1'],
    ['VOCABULARY', 'a'.repeat(256)],
    ['VOCABULARY', 'a,b\nc'],
    ['VOCABULARY', Array.from({ length: 1001 }, (_, i) => `id${i}`).join()],
    ['MODEL_ROUTER_MODEL', 'small'],
    ['MODEL_ROUTER_API_KEY', 'key'],
    ['MODEL_ROUTER_TIMEOUT_MS', '100'],
    ['MODEL_ROUTER_CALLS_PER_MINUTE', '1'],
  ])('refuse %s=%s', (variable, value) => {
    expect(variables({ ...PRODUCTION, [variable]: value })).toEqual([variable]);
  });

  it.each([
    ['A2A_ANONYMOUS', 'shared'],
    ['ALLOW_LOOPBACK_WEBHOOKS', '1'],
  ])('open %s=%s to development nodes alone', (variable, value) => {
    expect(variables({ ...PRODUCTION, [variable]: value })).toEqual([variable]);
    expect(variables({ ...DEVELOPMENT, [variable]: value })).toEqual([]);
  });

  it('serve direct invokes, require no extension and know no more identifiers than manifests do', () => {
    expect(read(PRODUCTION)).toMatchObject({
      trustExtensionUri: 'https://countersign.example/extensions/trust/v1',
      directInvokeExtensionUri: 'https://example.com/a2a/extensions/skill-direct-invoke/v1',
      requiredExtensions: [],
      vocabulary: [],
    });
  });

  it('can turn direct invokes off; then they cannot be required', () => {
    const off = { ...PRODUCTION, DIRECT_INVOKE: 'off' };
    expect(read(off).directInvokeExtensionUri).toBeNull();
    const uri = 'https://example.com/a2a/extensions/skill-direct-invoke/v1';
    expect(variables({ ...off, REQUIRED_EXTENSIONS: uri })).toEqual(['REQUIRED_EXTENSIONS']);
  });

  it.each(['0', '1', '0.6', '1.000000'])('take %s for a threshold', (text) => {
    expect(read({ ...PRODUCTION, ROUTING_THRESHOLD: text }).routingThreshold).toBe(Number(text));
  });

  describe('of the model router', () => {
    const router = (url: string, more: Environment = {}): readonly string[] =>
      variables({ ...PRODUCTION, MODEL_ROUTER_URL: url, MODEL_ROUTER_MODEL: 'm', ...more });

    it('want a model with the address', () => {
      expect(router('https://models.example', { MODEL_ROUTER_MODEL: '' })).toEqual([
        'MODEL_ROUTER_MODEL',
      ]);
    });

    it.each(['http://models.example', 'models.example', 'https://user:pw@models.example', 'ftp:x'])(
      'do not send texts of callers to %s',
      (url) => {
        expect(router(url)).toEqual(['MODEL_ROUTER_URL']);
      },
    );

    it('may name a model on this machine', () => {
      expect(router('http://127.0.0.1:11434/v1')).toEqual([]);
    });

    it('do not repeat a key in a fault', () => {
      const all = faults({ ...PRODUCTION, MODEL_ROUTER_API_KEY: 'hunter2' });
      expect(JSON.stringify(all)).not.toContain('hunter2');
    });
  });
});
