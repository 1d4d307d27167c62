import {
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';

/** The official client of the protocol: reads the public card as anybody may, and calls with the token. */
export function connect(baseUrl: string, token: string): Promise<Client> {
  const authenticating = createAuthenticatingFetchWithRetry(fetch, {
    headers: () => Promise.resolve({ authorization: `Bearer ${token}` }),
    shouldRetryWithHeaders: () => Promise.resolve(undefined),
  });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl: authenticating })],
    cardResolver: new DefaultAgentCardResolver(),
  });
  return factory.createFromUrl(baseUrl);
}
