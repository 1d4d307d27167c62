import { AgentCard } from '@a2a-js/sdk';
import {
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';

/** The official client, bound to an agent by one binding. */
export async function sdkClient(
  agentUrl: string,
  protocolBinding: 'JSONRPC' | 'HTTP+JSON',
  { token, tenant = '' }: { readonly token?: string; readonly tenant?: string } = {},
): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({ fetchImpl }),
      new RestTransportFactory({ fetchImpl }),
    ],
  });
  const card = AgentCard.fromJSON({
    name: 'Finance',
    description: 'Finance',
    version: '1.0.0',
    supportedInterfaces: [{ url: agentUrl, protocolBinding, protocolVersion: '1.0', tenant }],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  });
  return factory.createFromAgentCard(card);
}
