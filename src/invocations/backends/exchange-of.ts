import type { BackendBinding } from '../../config/hosted-agents.js';
import type { Exchange } from './exchange.js';
import { httpExchange } from './http-exchange.js';

/** How backends of the binding's kind are called. A client that no binding wants is not even loaded. */
export async function exchangeOf({ kind, tool }: BackendBinding): Promise<Exchange> {
  switch (kind) {
    case 'http':
      return httpExchange;
    case 'a2a':
      return (await import('./a2a-exchange.js')).a2aExchange;
    case 'mcp':
      // A binding of this kind has a tool: see `config/backend-bindings.ts`.
      return (await import('./mcp-exchange.js')).mcpExchange(tool ?? '');
  }
}
