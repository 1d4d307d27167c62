import type {
  CapabilityCall,
  CapabilityImplementation,
  HandlerEvent,
} from '../../a2a/handlers/capability-call.js';
import { CapabilityHandler } from '../../a2a/handlers/capability-handler.js';
import type { JsonObject } from '../../kernel/json.js';

/** The example's invoices; a real handler asks a system with the caller's own rights. */
const INVOICE = { invoice: 'INV-20931', amount: '1240.00', currency: 'EUR', status: 'open' };

@CapabilityHandler('invoices.v1.lookup')
class LookupInvoice implements CapabilityImplementation {
  handle(): AsyncIterable<HandlerEvent> {
    return answered('invoice', INVOICE);
  }
}

@CapabilityHandler('recon.v3.reconcile')
class ReconcileInvoice implements CapabilityImplementation {
  handle({ caller, message }: CapabilityCall): AsyncIterable<HandlerEvent> {
    return answered('reconciliation', {
      invoice: INVOICE.invoice,
      files: message.parts.flatMap(({ filename }) => filename ?? []),
      differences: [{ line: 2, field: 'quantity', invoice: 12, order: 10 }],
      // Whoever asked, for every tool further down: never the agent's own, wider rights.
      onBehalfOf: caller?.tenant ?? null,
    });
  }
}

/** The successor, whose answer has another shape: another handler behind another skill. */
@CapabilityHandler('recon.v4.reconcile')
class ReconcileInvoiceByLine implements CapabilityImplementation {
  handle({ caller }: CapabilityCall): AsyncIterable<HandlerEvent> {
    return answered('reconciliation', {
      lines: [
        { line: 1, result: 'equal' },
        { line: 2, result: 'different', field: 'quantity', invoice: 12, order: 10 },
      ],
      onBehalfOf: caller?.tenant ?? null,
    });
  }
}

async function* answered(artifactId: string, data: JsonObject): AsyncGenerator<HandlerEvent> {
  await Promise.resolve();
  yield { kind: 'artifact', artifact: { artifactId, parts: [{ data }] }, lastChunk: true };
}

/** What a file of hosted agents names this module for. */
export const handlers = [LookupInvoice, ReconcileInvoice, ReconcileInvoiceByLine];
