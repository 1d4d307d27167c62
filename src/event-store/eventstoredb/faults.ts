import { EventStoreUnavailable } from '../port.js';

/** Kinds of the client's errors, of those that matter here. */
type Kind =
  | 'wrong-expected-version'
  | 'maximum-append-size-exceeded'
  | 'stream-not-found'
  | 'stream-deleted'
  | 'access-denied'
  | 'deadline-exceeded'
  | 'timeout'
  | 'not-leader';

/** `google.rpc.Code` */
const INVALID_ARGUMENT = 3;

/** Waiting does not mend these. */
const PERMANENT = new Set<string>([
  'wrong-expected-version',
  'maximum-append-size-exceeded',
  'stream-not-found',
  'stream-deleted',
  'access-denied',
] satisfies Kind[]);

const IN_WORDS: Readonly<Record<string, string>> = {
  'stream-deleted': 'EventStoreDB says that a stream of the log was deleted',
  'access-denied': 'EventStoreDB refuses the user that the connection string names',
  'deadline-exceeded': 'EventStoreDB did not answer in time',
  timeout: 'EventStoreDB did not answer in time',
  'not-leader': 'the leader of the EventStoreDB cluster cannot be reached',
} satisfies Partial<Record<Kind, string>>;

const REFUSED_CERTIFICATE =
  'the certificate of EventStoreDB is refused: it is of no trusted authority (tlsCAFile names yours), of another host or out of date';

/** By its name, since a module loaded twice has two classes. */
export function isFault(error: unknown, kind: Kind): boolean {
  return kindOf(error) === kind;
}

/** The server reads from no place that is no event's: it answers `InvalidArgument`. */
export function isInvalidPosition(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === INVALID_ARGUMENT;
}

/** Worth another try: the connection, the leader or the discovery failed. */
export function isTransient(error: unknown): boolean {
  return isOfClient(error) && !PERMANENT.has(kindOf(error) ?? '');
}

/**
 * The client's errors as the port's, in words of ours: what the client says stays behind as the
 * cause, for the operator's log. Anything else is a bug and stays what it is.
 */
export function asUnavailable(error: unknown): unknown {
  if (!isOfClient(error)) return error;
  const words = IN_WORDS[kindOf(error) ?? ''] ?? unreachable(error);
  return new EventStoreUnavailable(words, { cause: error });
}

/** gRPC knows one code for all that, and adds what node said of the last connection. */
function unreachable({ message }: Error): string {
  return message.includes('certificate') ? REFUSED_CERTIFICATE : 'EventStoreDB cannot be reached';
}

function kindOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('type' in error)) return undefined;
  return typeof error.type === 'string' ? error.type : undefined;
}

/** A command's error, one of gRPC that the client let through, or that of a failed discovery. */
function isOfClient(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return (
    kindOf(error) !== undefined ||
    ('code' in error && typeof error.code === 'number') ||
    error.message.startsWith('Failed to discover')
  );
}
