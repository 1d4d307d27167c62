import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { COMMON_PROBLEMS } from '../../src/http/openapi/problems.js';
import { REJECTION_STATUS } from '../../src/http/rejection-status.js';
import { SCOPES } from '../../src/kernel/caller.js';
import { REJECTIONS } from '../../src/kernel/rejection.js';
import { startTestService, type Answer, type InProcessService } from '../support/service.js';
import { isDocumented } from './support/documented-addresses.js';

type Value =
  string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<
    Record<string, { description: string; content?: Record<string, unknown> }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

const PUBLIC_DOCUMENTS = [
  '/openapi.json',
  '/docs',
  '/docs/swagger-ui-init.js',
  '/docs/swagger-ui.css',
  '/.well-known/jwks.json',
  '/problems/not-found',
  '/schemas/v0.1/federated-interaction.schema.json',
];

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

describe('the OpenAPI description', () => {
  let service: InProcessService;
  let document: Document;

  beforeAll(async () => {
    service = await startTestService({ env: { READ_WAIT_MS: '5' } });
    const { body } = await service.call('GET', '/openapi.json');
    document = body as unknown as Document;
  });

  afterAll(async () => {
    await service.dispose();
  });

  function operations(): { path: string; method: string; operation: Operation }[] {
    return Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    );
  }

  function everything(value: Value, visit: (name: string, member: Value) => void): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      visit(name, member);
      everything(member, visit);
    }
  }

  it('is OpenAPI 3.1 of this service', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Countersign' });
    expect(document.servers).toEqual([{ url: service.audience }]);
    expect(document.components.securitySchemes).toEqual({
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    });
  });

  // A2A's own bindings are described by the agent card, and by the protocol.
  it('describes every route that is served, and no other', () => {
    const served = service.running.routes
      .filter(({ method }) => method !== 'HEAD')
      .filter(
        ({ url }) => !/^\/(docs($|\/)|openapi\.json$|a2a\/:agent(?!\/\.well-known))/.test(url),
      )
      .map(
        ({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}').replace('*', '{path}')}`,
      );
    const described = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.sort()).toEqual(served.sort());
    expect(served.length).toBeGreaterThan(5);
  });

  it('describes no operation that the table of docs/api.md lacks', () => {
    const isTold = isDocumented();
    const untold = operations()
      .map(({ path, method }) => [method.toUpperCase(), path] as const)
      .filter(([method, path]) => !isTold(method, path));
    expect(untold).toEqual([]);
    expect(isTold('GET', '/v1/interactions/{id}/nothing')).toBe(false);
    expect(isTold('DELETE', '/v1/interactions/{id}')).toBe(false);
  });

  it('has the parts that the specification demands of each operation', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, method, operation } of operations()) {
      const place = `${method} ${path}`;
      expect([place, METHODS.includes(method)]).toEqual([place, true]);
      expect([place, typeof operation.summary]).toEqual([place, 'string']);
      const statuses = Object.keys(operation.responses);
      expect([place, statuses.some((status) => /^[23]\d\d$/.test(status))]).toEqual([place, true]);
      for (const response of Object.values(operation.responses)) {
        expect([place, typeof response.description]).toEqual([place, 'string']);
      }
      const inPath = (operation.parameters ?? []).filter((each) => each.in === 'path');
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([place, inPath.map(({ name }) => name).sort()]).toEqual([place, names.sort()]);
    }
  });

  it('leads every reference somewhere, and uses nothing that 3.1 dropped', () => {
    const broken: string[] = [];
    everything(document as unknown as Value, (name, member) => {
      if (name === 'nullable') broken.push('nullable');
      if (name !== '$ref' || typeof member !== 'string') return;
      const target = member
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>(
          (at, step) => (at as Record<string, unknown> | undefined)?.[step],
          document,
        );
      if (target === undefined) broken.push(member);
    });
    expect(broken).toEqual([]);
  });

  it('has schemas of JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'https://openapi.example/', components: document.components });
    for (const name of Object.keys(document.components.schemas)) {
      const validate = ajv.compile({
        $ref: `https://openapi.example/#/components/schemas/${name}`,
      });
      expect(typeof validate).toBe('function');
    }
  });

  it('asks for a bearer token exactly where the service does', async () => {
    for (const { path, method, operation } of operations()) {
      const place = `${method} ${path}`;
      const target = path.replace(/\{\w+\}/g, 'x');
      const { status, body } = await service.call(method.toUpperCase(), target);
      const isClosed = status === 401 && body['code'] === 'token-missing';
      const isDescribedSo = (operation.security ?? []).length > 0;
      expect([place, isDescribedSo]).toEqual([place, isClosed]);
    }
  });

  it.each([
    ['that is none', 'x'],
    ['that nobody reaches in time', '9'.repeat(20)],
  ])(
    'documents what a position token %s is answered',
    async (_, position) => {
      const token = await service.token({ scopes: SCOPES });
      for (const { path, method, operation } of operations()) {
        const target = path.replace(/\{\w+\}/g, 'x');
        const ask = (headers: Record<string, string>): Promise<Answer> =>
          service.call(method.toUpperCase(), target, { token, headers });
        const { status, body } = await ask({ 'position-token': position });
        const code = status < 400 ? '' : String(body['code']);
        const documented = operation.responses[String(status)]?.description ?? 'nothing';
        expect([method, path, code, documented]).toEqual([
          method,
          path,
          code,
          expect.stringContaining(code && `\`${code}\`:`),
        ]);
        // What does not say that it looks at the header is as it is without.
        const isNamed =
          operation.parameters?.some(({ name }) => name === 'Position-Token') === true;
        const isJudged = code === (position === 'x' ? 'position-invalid' : 'projection-behind');
        expect([method, path, isJudged]).toEqual([method, path, isNamed]);
      }
    },
    60_000,
  );

  it('documents where an idempotency key that is none is refused: reads pass it over', async () => {
    const token = await service.token({ scopes: SCOPES });
    const headers = { 'idempotency-key': 'x'.repeat(256) };
    for (const { path, method, operation } of operations()) {
      const target = path.replace(/\{\w+\}/g, 'x');
      const { status, body } = await service.call(method.toUpperCase(), target, { token, headers });
      const documented = operation.responses[String(status)]?.description ?? 'nothing';
      const code = status < 400 ? '' : String(body['code']);
      expect([method, path, documented]).toEqual([
        method,
        path,
        expect.stringContaining(code && `\`${code}\`:`),
      ]);
      if (method === 'get') expect([path, code]).not.toEqual([path, 'idempotency-key-invalid']);
    }
  }, 60_000);

  it('documents every refusal that any operation may answer, by its code', () => {
    for (const { path, method, operation } of operations()) {
      if ((operation.security ?? []).length === 0) continue;
      for (const code of COMMON_PROBLEMS) {
        const response = operation.responses[String(REJECTION_STATUS[code].status)];
        const place = `${method} ${path} ${code}`;
        expect([place, response?.description.includes(`\`${code}\``)]).toEqual([place, true]);
        expect(response?.content).toHaveProperty(['application/problem+json']);
      }
    }
  });

  // What `test/invocations/{approvals-rest,explain-http}.spec.ts` see answered.
  it.each<readonly [method: string, path: string, ...codes: (keyof typeof REJECTIONS)[]]>([
    ['get', '/v1/approvals', 'cursor-invalid', 'projection-behind', 'request-invalid'],
    ['get', '/v1/approvals/{invocationId}', 'approval-not-found', 'scope-missing'],
    [
      ...(['post', '/v1/approvals/{invocationId}/decision'] as const),
      ...(['request-invalid', 'scope-missing', 'approval-not-found'] as const),
      ...(['approver-involved', 'approval-mismatch', 'approval-decided'] as const),
      ...(['approval-void', 'approval-expired', 'idempotency-key-reused', 'contention'] as const),
    ],
    [
      ...(['post', '/v1/authorizations/explain'] as const),
      ...(['agent-not-found', 'capability-not-found'] as const),
      ...(['request-invalid', 'scope-missing'] as const),
    ],
  ])('documents what is refused at %s %s', (method, path, ...codes) => {
    const responses = document.paths[path]?.[method]?.responses ?? {};
    const missing = codes.filter((code) => {
      const response = responses[String(REJECTION_STATUS[code].status)];
      return response?.description.includes(`\`${code}\``) !== true;
    });
    expect(missing).toEqual([]);
  });

  it('describes problem documents as they are', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile(document.components.schemas['Problem'] ?? {});
    const { body } = await service.call('GET', '/v1/nothing');
    expect([validate(body), validate.errors]).toEqual([true, null]);
    const schema = document.components.schemas['Problem'] as {
      properties: { code: { enum: string[] } };
    };
    expect(schema.properties.code.enum).toEqual(Object.keys(REJECTIONS));
  });

  it.each(PUBLIC_DOCUMENTS)('%s has an entity tag, by which a client asks again', async (path) => {
    const first = await service.call('GET', path);
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[\w-]{43}"$/)]);
    const again = await service.call('GET', path, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('is shown by a page that loads everything from this service', async () => {
    const page = await service.call('GET', '/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, target = '']) => target,
    );
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      expect(asset).toMatch(/^\.\/docs\//);
      const { status } = await service.call('GET', asset.slice(1));
      expect([asset, status]).toEqual([asset, 200]);
    }
    const others = await service.call('GET', '/docs/swagger-ui-bundle.js.map');
    expect([others.status, others.body['code']]).toEqual([404, 'not-found']);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self';");
    expect(page.text).not.toMatch(/<script>(?!\s*<\/script>)/);
  });
});
