import type { Transport } from '../../kernel/federated-interaction.js';
import type { AgentId } from '../../kernel/ids.js';
import { MAX_ENDPOINT_LENGTH } from './limits.js';

/** Where an agent speaks A2A: at an endpoint of its own, or at one that this deployment serves. */
export type TransportChoice =
  | { readonly hosted: true }
  | { readonly hosted: false; readonly protocolBinding: string; readonly endpoint: string };

/**
 * The directory entry of a choice. A hosted endpoint lies in this deployment's own namespace under
 * the agent's id, so that nobody chooses it and nothing needs to be trusted.
 */
export function transportOf(
  choice: TransportChoice,
  agentId: AgentId,
  publicBaseUrl: string,
): Transport {
  return choice.hosted
    ? {
        protocol: 'A2A/1.0',
        protocolBinding: 'JSONRPC',
        endpoint: `${publicBaseUrl}/a2a/${agentId}`,
        managedBy: 'openclasp',
      }
    : {
        protocol: 'A2A/1.0',
        protocolBinding: choice.protocolBinding,
        endpoint: choice.endpoint,
        managedBy: 'agent',
      };
}

const HOST = String.raw`(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)`;
const PCHAR = String.raw`(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})`;
const ENDPOINT = new RegExp(
  String.raw`^https?://${HOST}(?::\d{1,5})?(?:/${PCHAR}*)?(?:\?(?:${PCHAR}|\?)*)?$`,
);

/**
 * An absolute http(s) URL in RFC 3986 spelling, without credentials and fragment, which WHATWG
 * readers take for the same thing. The service shows it to counterparties and never fetches it.
 */
export function isEndpoint(text: string): boolean {
  return text.length <= MAX_ENDPOINT_LENGTH && ENDPOINT.test(text) && URL.canParse(text);
}
