import { CapabilityHandler } from 'countersign/handlers';

/** The example's invoices; a real handler asks a system, with the caller's own rights. */
const INVOICE = { invoice: 'INV-20931', amount: '1240.00', currency: 'EUR', status: 'open' };

class LookupInvoice {
  async *handle() {
    yield artifact('invoice', INVOICE);
  }
}

class ReconcileInvoice {
  async *handle({ message, caller }) {
    yield artifact('reconciliation', {
      invoice: INVOICE.invoice,
      files: message.parts.flatMap(({ filename }) => filename ?? []),
      differences: [{ line: 2, field: 'quantity', invoice: 12, order: 10 }],
      // Who asked, for every tool further down: never the agent's own, wider rights.
      onBehalfOf: caller.tenant,
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

function artifact(artifactId, data) {
  return { kind: 'artifact', artifact: { artifactId, parts: [{ data }] }, lastChunk: true };
}

// As a decorator in TypeScript; called in plain JavaScript.
CapabilityHandler('invoices.v1.lookup')(LookupInvoice);
CapabilityHandler('recon.v3.reconcile')(ReconcileInvoice);
CapabilityHandler('recon.v4.reconcile')(ReconcileByLine);

/** What the file of hosted agents names this module for. */
export const handlers = [LookupInvoice, ReconcileInvoice, ReconcileByLine];
