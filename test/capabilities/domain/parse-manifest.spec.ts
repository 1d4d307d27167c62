import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { manifestDocument } from '../../../src/capabilities/domain/manifest-document.js';
import { MANIFEST_BOUNDS } from '../../../src/capabilities/domain/manifest-bounds.js';
import type { Manifest } from '../../../src/capabilities/domain/manifest.js';
import { parseManifest } from '../../../src/capabilities/domain/parse-manifest.js';
import { canonicalJson } from '../../../src/kernel/canonical-json.js';
import type { AgentId } from '../../../src/kernel/ids.js';
import type { Json, JsonObject } from '../../../src/kernel/json.js';
import { RUNS } from '../../support/property-runs.js';
import { FINANCE } from '../support/capabilities.js';
import { edited, RECONCILE, RICH } from '../support/documents.js';

function parsed(document: unknown): Manifest {
  const manifest = parseManifest(document, FINANCE);
  if (!manifest.ok) throw new Error(JSON.stringify(manifest.error));
  return manifest.value;
}

/** Pointers of the faults, in order; none for a good document. */
function faultsOf(document: unknown): readonly string[] {
  const manifest = parseManifest(document, FINANCE);
  return manifest.ok ? [] : manifest.error.map(({ pointer }) => pointer);
}

const x = (count: number): string => 'x'.repeat(count);

describe('a manifest document', () => {
  it('is taken as the worked example writes it, for the deployment’s agent', () => {
    expect(parsed(RECONCILE)).toEqual({
      id: 'reconcile-invoice',
      agentId: FINANCE,
      state: 'ga',
      visibility: 'extended',
      skill: RECONCILE.skill,
      requiresScopes: ['recon.run'],
      tenants: '*',
      handler: 'recon.v3.reconcile',
      limits: { max_pdf_pages: 200, cost_class: 'medium' },
      owner: 'finance-agents-team',
      replacement: null,
      requiresContract: false,
      action: null,
      data: [],
      callers: 'initiator',
      directInvoke: null,
    });
  });

  it('may say more', () => {
    expect(parsed({ ...RICH, agentId: 'did:web:a.example' })).toMatchObject({
      agentId: 'did:web:a.example',
      tenants: ['partner', 'rival'],
      replacement: 'reconcile-invoice-v2',
      requiresContract: true,
      action: 'invoices.reconcile',
      data: ['invoices'],
      callers: 'any-party',
      directInvoke: {
        inputSchema: RICH.direct_invoke.input_schema,
        outputSchema: RICH.direct_invoke.output_schema,
        backend: RICH.direct_invoke.backend,
        allowUnauthenticated: false,
      },
    });
  });

  it.each<JsonObject>([
    { type: 'http' },
    { type: 'in-process', name: 'General ledger' },
    { type: 'http', name: 'ledger_2.eu' },
  ])('may say of its backend %j', (backend) => {
    expect(parsed(edited(RICH, '/direct_invoke/backend', backend)).directInvoke?.backend).toEqual(
      backend,
    );
  });

  // All of it is on the public card.
  it.each<readonly [Json, readonly string[]]>([
    [{ url: 'http://10.1.2.3/internal', credential: 's3cret' }, ['type', 'url', 'credential']],
    [{ type: 'http', name: 'ledger', url: 'http://10.1.2.3/' }, ['url']],
    [{ type: 'http://10.1.2.3/internal' }, ['type']],
    [{ type: 'http', name: '/etc/passwd' }, ['name']],
    [{ type: 'http', name: 'user:password@host' }, ['name']],
    [{ type: 'http', name: x(101) }, ['name']],
    [{ type: { is: 'http' } }, ['type']],
    [{ name: 'ledger' }, ['type']],
    [{}, ['type']],
  ])('may not say of its backend %j', (backend, members) => {
    expect(faultsOf(edited(RICH, '/direct_invoke/backend', backend))).toEqual(
      members.map((member) => `/direct_invoke/backend/${member}`),
    );
  });

  it.each([
    ['text/plain', 'text/plain'],
    ['Application/PDF', 'application/pdf'],
    ['image/*', 'image/*'],
    ['application/vnd.api+json', 'application/vnd.api+json'],
  ])('takes the media type %s as %s', (written, read) => {
    expect(parsed(edited(RECONCILE, '/skill/inputModes', [written])).skill.inputModes).toEqual([
      read,
    ]);
  });

  it.each([
    '*/*',
    '*',
    'text',
    'text/',
    '/plain',
    'text/plain; charset=utf-8',
    'text/pl ain',
    'te*t/x',
  ])('does not take the media type %s', (written) => {
    const document = edited(RECONCILE, '/skill/outputModes', ['text/plain', written]);
    expect(faultsOf(document)).toEqual(['/skill/outputModes/1']);
  });

  it.each<readonly [string, Json | undefined]>([
    ['/id', undefined],
    ['/id', ''],
    ['/id', 'a/b'],
    ['/id', '-a'],
    ['/id', x(129)],
    ['/agentId', null],
    ['/agentId', 'a b'],
    ['/state', 'retired'],
    ['/state', undefined],
    ['/visibility', 'PUBLIC'],
    ['/visibility', undefined],
    ['/skill', null],
    ['/skill', []],
    ['/skill', undefined],
    ['/skill/name', ''],
    ['/skill/name', '   '],
    ['/skill/name', 'two\nlines'],
    ['/skill/name', x(MANIFEST_BOUNDS.name + 1)],
    ['/skill/description', x(MANIFEST_BOUNDS.description + 1)],
    ['/skill/description', 'bell \u0007'],
    ['/skill/description', '\ud83d'],
    ['/skill/tags', []],
    ['/skill/tags', 'finance'],
    ['/skill/tags/0', 1],
    ['/skill/tags/1', 'finance'],
    ['/skill/examples/0', x(MANIFEST_BOUNDS.example + 1)],
    ['/skill/examples', Array.from({ length: MANIFEST_BOUNDS.examples + 1 }, (_, i) => `e${i}`)],
    ['/skill/inputModes', []],
    ['/skill/inputModes', undefined],
    ['/skill/extra', 1],
    ['/requires_scopes', undefined],
    ['/requires_scopes', '*'],
    ['/requires_scopes/0', 'a b'],
    ['/requires_scopes/0', 'a"b'],
    ['/tenants', undefined],
    ['/tenants', 'partner'],
    ['/tenants', []],
    ['/tenants', null],
    ['/tenants', { length: 1 }],
    ['/handler', 'a b'],
    ['/handler', undefined],
    ['/limits', []],
    ['/limits', { much: x(MANIFEST_BOUNDS.limitsSize) }],
    ['/limits/max_parts', 0],
    ['/limits/max_parts', -1],
    ['/limits/max_parts', 1.5],
    ['/limits/max_parts', '3'],
    ['/limits/max_parts', null],
    ['/limits/max_message_bytes', 2 ** 31],
    ['/limits/max_execution_seconds', 86_401],
    ['/limits/max_concurrent', 1e9],
    ['/limits/max_calls_per_minute', 0],
    ['/limits/max_calls_per_minute', 1_000_001],
    ['/limits/constructor.name', 1],
    ['/owner', undefined],
    ['/replacement', null],
    ['/replacement', 'a b'],
    ['/requires_contract', 'yes'],
    ['/action', ''],
    ['/data', 'invoices'],
    ['/data/0', 7],
    ['/callers', 'anybody'],
    ['/direct_invoke', true],
    ['/direct_invoke/input_schema', true],
    ['/direct_invoke/output_schema', undefined],
    ['/direct_invoke/backend', x(2)],
    ['/direct_invoke/allow_unauthenticated', 1],
    ['/direct_invoke/url', 'http://127.0.0.1'],
    ['/requiresScopes', []],
    ['/__proto', {}],
  ])('with %s = %j is refused there, and nowhere else', (pointer, value) => {
    expect(faultsOf(edited(RICH, pointer, value))).toEqual([pointer]);
  });

  it('does not take "*" for a tenant among others', () => {
    expect(faultsOf(edited(RICH, '/tenants', ['*']))).toEqual(['/tenants/0']);
  });

  it('is refused with every fault at once', () => {
    const document = {
      ...RECONCILE,
      id: 'a/b',
      skill: { ...RECONCILE.skill, tags: [], inputModes: ['x', 'text/plain', 'TEXT/plain'] },
      limits: { max_parts: 0, max_concurrent: 'many' },
      owner: '',
      'odd/name': 1,
    };
    expect(faultsOf(document)).toEqual([
      '/id',
      '/skill/tags',
      '/skill/inputModes/0',
      '/skill/inputModes/2',
      '/limits/max_parts',
      '/limits/max_concurrent',
      '/owner',
      '/odd~1name',
    ]);
  });

  it.each([null, 1, 'a', [], true, undefined])('is an object, not %j', (document) => {
    expect(faultsOf(document)).toEqual(['']);
  });

  it('has a bound as a whole, and its list of faults has one too', () => {
    const examples = Array.from({ length: 100 }, (_, i) => `${i}${x(980)}`);
    const tenants = Array.from({ length: 900 }, (_, i) => `${i}${x(60)}`);
    expect(faultsOf({ ...(edited(RICH, '/skill/examples', examples) as object), tenants })).toEqual(
      [''],
    );
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, i]));
    expect(faultsOf({ ...RECONCILE, ...unknown })).toHaveLength(100);
  });

  it('never makes the parser throw, and has only pointers that begin at its root', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        for (const pointer of faultsOf(value)) expect(pointer).toMatch(/^(\/|$)/);
      }),
      RUNS,
    );
  });

  it('with any one member replaced by anything is good or refused at that member', () => {
    const members = Object.keys(RICH);
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.jsonValue({ maxDepth: 2 }), (member, value) => {
        for (const pointer of faultsOf({ ...RICH, [member]: value })) {
          expect(pointer.startsWith(`/${member}`)).toBe(true);
        }
      }),
      RUNS,
    );
  });
});

describe('the document of a manifest', () => {
  it.each([RECONCILE, RICH, edited(RICH, '/direct_invoke/allow_unauthenticated', true)])(
    'reads back as the same manifest',
    (document) => {
      const manifest = parsed(document);
      expect(parseManifest(manifestDocument(manifest), 'other' as AgentId)).toEqual({
        ok: true,
        value: manifest,
      });
    },
  );

  it('is the document that it was read from, with the agent', () => {
    const agentId = FINANCE;
    expect(canonicalJson(manifestDocument(parsed(RECONCILE)))).toBe(
      canonicalJson({ ...RECONCILE, agentId }),
    );
    expect(canonicalJson(manifestDocument(parsed(RICH)))).toBe(canonicalJson({ ...RICH, agentId }));
  });
});
