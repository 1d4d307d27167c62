import { EventStoreDBClient } from '@eventstore/db-client';
import { EventStoreUnavailable } from '../port.js';
import { readConnectionString, type Connection } from './connection-string.js';

/** What every call carries. */
export interface CallOptions {
  /**
   * A follower may be behind: its answers would miss what was acknowledged a moment ago. It answers
   * with the leader's address, and the client connects there.
   */
  readonly requiresLeader: true;
  /**
   * Given with each call, not left to the client, since that decides how it appends: with them by
   * one call of its own; without, over a stream that all appends share, on which one lost connection
   * rejects the appends of others too and ends the process by an error that nobody can catch
   * (kurrent-io/KurrentDB-Client-NodeJS, pull requests 505 and 523).
   */
  readonly credentials: Connection['credentials'];
}

export interface OpenedClient {
  readonly client: EventStoreDBClient;
  readonly options: CallOptions;
  /** Ends its calls and its connection. */
  close(): Promise<void>;
}

/** Members of the client that it does not publish. */
interface Internals {
  handleError(client: unknown, error: unknown): Promise<void>;
  getChannel(): Promise<{ close(): void }>;
}

/** @throws {EventStoreUnavailable} when the connection string cannot be used; it connects later. */
export function openClient(text: string): OpenedClient {
  const { connectionString, credentials } = readConnectionString(text);
  const client = makeClient(connectionString);
  const internals = client as unknown as Internals;
  // It calls this without waiting for it, and when discovery fails meanwhile, the rejection is nobody's:
  // that ends the process.
  const handleError = internals.handleError.bind(client);
  internals.handleError = (failed, error) => handleError(failed, error).catch(() => undefined);
  let isUsed = false;
  const getChannel = internals.getChannel.bind(client);
  internals.getChannel = () => {
    isUsed = true;
    return getChannel();
  };
  return {
    client,
    options: { requiresLeader: true, credentials },
    close: async () => {
      await client.dispose();
      if (!isUsed) return;
      await getChannel().then(
        (channel) => channel.close(),
        () => undefined,
      );
    },
  };
}

function makeClient(connectionString: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch (error) {
    // Without the cause: the client's error carries the string.
    const isFile = error instanceof Error && error.message.startsWith('Failed to load certificate');
    throw new EventStoreUnavailable(
      isFile
        ? 'a certificate or key file that the connection string names is not there'
        : 'the connection string cannot be used',
    );
  }
}
