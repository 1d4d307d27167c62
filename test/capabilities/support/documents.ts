import type { Json, JsonObject } from '../../../src/kernel/json.js';

/** The manifest of the specification's worked example, as it is written there. */
export const RECONCILE = {
  id: 'reconcile-invoice',
  state: 'ga',
  visibility: 'extended',
  skill: {
    name: 'Reconcile an invoice',
    description: 'Matches an invoice to its purchase order and lists line-level differences.',
    tags: ['finance', 'invoices'],
    examples: ['Reconcile invoice INV-20931 against its PO.'],
    inputModes: ['text/plain', 'application/pdf'],
    outputModes: ['application/json'],
  },
  requires_scopes: ['recon.run'],
  tenants: '*',
  handler: 'recon.v3.reconcile',
  limits: { max_pdf_pages: 200, cost_class: 'medium' },
  owner: 'finance-agents-team',
} as const satisfies JsonObject;

/** Everything that a manifest may say. */
export const RICH = {
  ...RECONCILE,
  agentId: 'finance-agent',
  state: 'deprecated',
  tenants: ['partner', 'rival'],
  limits: { ...RECONCILE.limits, max_message_bytes: 1, max_execution_seconds: 60 },
  replacement: 'reconcile-invoice-v2',
  requires_contract: true,
  action: 'invoices.reconcile',
  data: ['invoices'],
  callers: 'any-party',
  direct_invoke: {
    input_schema: { type: 'object', properties: { invoice: { type: 'string' } } },
    output_schema: { type: 'object' },
    backend: { type: 'function', name: 'reconcile' },
  },
} as const satisfies JsonObject;

/** A copy of a document with the value at a path replaced; `undefined` takes the member away. */
export function edited(document: Json, path: string, value: Json | undefined): Json {
  const [, name = '', ...rest] = path.split('/');
  const at = rest.length === 0 ? undefined : `/${rest.join('/')}`;
  if (Array.isArray(document)) {
    const index = Number(name);
    const item = at === undefined ? value! : edited(document[index], at, value);
    return document.toSpliced(index, 1, item);
  }
  const { [name]: member = {}, ...others } = document as Record<string, Json>;
  const next = at === undefined ? value : edited(member, at, value);
  return next === undefined ? others : { ...others, [name]: next };
}
