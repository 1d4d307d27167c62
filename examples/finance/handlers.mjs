import { Buffer } from 'node:buffer';
import { CapabilityHandler, DirectInvokeHandler } from 'countersign/handlers';

/** The example's invoices; a real handler asks a system, with the caller's own rights. */
const INVOICE = { invoice: 'INV-20931', amount: '1240.00', currency: 'EUR', status: 'open' };

const LINES = [
  { line: 1, result: 'equal' },
  { line: 2, result: 'different', field: 'quantity' },
];

/** Both ways to the same answer: by a message, and by id and arguments. */
class LookupInvoice {
  async *handle() {
    yield artifact('invoice', INVOICE);
  }

  async invoke(call) {
    return { ...INVOICE, invoice: call.arguments.invoice };
  }
}

/** What the ERP calls itself: the only one that takes tokens for it. */
const ERP = 'https://erp.example';

/**
 * The example's ERP. A real one is another service: it verifies the token (docs/capabilities.md has one
 * that does), and decides by nothing else what may be read.
 */
function erpDifferences(token) {
  const { aud, scope, tenant } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'));
  if (aud !== ERP || !scope.split(' ').includes('recon.run')) throw new Error('the ERP refused');
  return { tenant, differences: [{ line: 2, field: 'quantity', invoice: 12, order: 10 }] };
}

class ReconcileInvoice {
  async *handle({ message, token }) {
    // In the caller's name, for every tool further down: never with the agent's own, wider rights.
    const { tenant, differences } = erpDifferences(await token(ERP));
    yield artifact('reconciliation', {
      invoice: INVOICE.invoice,
      files: message.parts.flatMap(({ filename }) => filename ?? []),
      differences,
      onBehalfOf: tenant,
    });
  }
}

/** The successor, whose answer has another shape: another handler behind another skill. */
class ReconcileByLine {
  async *handle({ caller }) {
    yield artifact('reconciliation', {
      lines: [
        { line: 1, result: 'equal' },
        { line: 2, result: 'different', field: 'quantity', invoice: 12, order: 10 },
      ],
      onBehalfOf: caller.tenant,
    });
  }
}

/** Only under a contract, which has been found in force and recorded before this runs. */
class MatchInvoiceLines {
  async *handle({ message, caller }) {
    const data = message.parts.find((part) => 'data' in part)?.data;
    yield artifact('match', matched(data?.invoice ?? INVOICE.invoice, data?.lines, caller));
  }

  /** `call.token(audience)` would make a token for whoever is asked next, in the caller's name. */
  async invoke({ arguments: { invoice, lines }, caller }) {
    return matched(invoice, lines, caller);
  }
}

/** Under a contract that has a person approve it first. */
class DisputeInvoice {
  async *handle({ message }) {
    yield artifact('dispute', disputed(message.parts.find((part) => 'data' in part)?.data ?? {}));
  }

  async invoke(call) {
    return disputed(call.arguments);
  }
}

/** What the demo's contract prohibits: it never runs there. */
class ReleasePayment {
  async *handle() {
    yield artifact('payment', { invoice: INVOICE.invoice, status: 'released' });
  }

  async invoke(call) {
    return { invoice: call.arguments.invoice, status: 'released' };
  }
}

function disputed({ invoice = INVOICE.invoice, line = 1 }) {
  return { invoice, line, status: 'disputed' };
}

function matched(invoice, wanted, caller) {
  const lines = LINES.filter(({ line }) => wanted === undefined || wanted.includes(line));
  return { invoice, onBehalfOf: caller.tenant, lines };
}

function artifact(artifactId, data) {
  return { kind: 'artifact', artifact: { artifactId, parts: [{ data }] }, lastChunk: true };
}

// As decorators in TypeScript; called in plain JavaScript.
CapabilityHandler('invoices.v1.lookup')(LookupInvoice);
CapabilityHandler('recon.v3.reconcile')(ReconcileInvoice);
CapabilityHandler('recon.v4.reconcile')(ReconcileByLine);
CapabilityHandler('recon.v5.match')(MatchInvoiceLines);
CapabilityHandler('invoices.v1.dispute')(DisputeInvoice);
CapabilityHandler('payments.v1.release')(ReleasePayment);
DirectInvokeHandler('invoices.v1.lookup', { summary: { type: 'in-process', name: 'invoices' } })(
  LookupInvoice,
);
DirectInvokeHandler('recon.v5.match', { summary: { type: 'in-process', name: 'reconciliation' } })(
  MatchInvoiceLines,
);
DirectInvokeHandler('invoices.v1.dispute', { summary: { type: 'in-process', name: 'invoices' } })(
  DisputeInvoice,
);
DirectInvokeHandler('payments.v1.release', { summary: { type: 'in-process', name: 'payments' } })(
  ReleasePayment,
);

/** What the file of hosted agents names this module for. */
export const handlers = [
  LookupInvoice,
  ReconcileInvoice,
  ReconcileByLine,
  MatchInvoiceLines,
  DisputeInvoice,
  ReleasePayment,
];
