import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { status, type ServerWritableStream } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LogRecord, TransactionLog } from './log.js';
import { checkpointMessage, eventMessage } from './messages.js';

type Call = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

export interface ReadSettings {
  /** Servers before 23.10 do not say that a subscription has caught up. */
  readonly saysCaughtUp: boolean;
  /** Once it has aborted, nothing of a subscription arrives any more, and nobody is told. */
  readonly silence: AbortSignal;
  /** After each message. */
  readonly onSent: () => void;
}

/** `Streams.Read`: of a stream or of `$all`, once or as a subscription. */
export async function read(call: Call, log: TransactionLog, settings: ReadSettings): Promise<void> {
  const stop = new AbortController();
  call.on('cancelled', () => stop.abort());
  call.on('close', () => stop.abort());
  call.on('error', () => stop.abort());
  const send = async (message: streams.ReadResp): Promise<void> => {
    if (stop.signal.aborted || settings.silence.aborted) return;
    if (!call.write(message)) {
      await once(call, 'drain', { signal: stop.signal }).catch(() => undefined);
    }
    settings.onSent();
  };
  const options = call.request.getOptions()!;
  if (!canReadFrom(options.getAll(), log)) {
    // RpcExceptions.InvalidPositionException
    const details = 'Trying to read from an invalid position.';
    call.emit('error', { code: status.INVALID_ARGUMENT, details });
    return;
  }
  if (options.hasSubscription()) {
    await subscribe(options, log, settings, stop.signal, send);
    return;
  }
  const isBackwards =
    options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const count = Number(options.getCount());
  const found = options.hasStream()
    ? ofStream(options, log, isBackwards)
    : ofAll(options.getAll(), log, isBackwards);
  if (found === undefined) {
    const identifier = options.getStream()!.getStreamIdentifier();
    const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier);
    await send(new streams.ReadResp().setStreamNotFound(missing));
  } else {
    let sent = 0;
    for (const record of found) {
      if (sent++ === count || stop.signal.aborted) break;
      await send(eventMessage(record));
    }
  }
  call.end();
}

type Options = streams.ReadReq.Options;

/** A record begins at the position, or nothing is there yet. */
function canReadFrom(
  from: streams.ReadReq.Options.AllOptions | undefined,
  log: TransactionLog,
): boolean {
  if (from?.hasPosition() !== true) return true;
  const position = Number(from.getPosition()!.getCommitPosition());
  const record = log.at(log.indexFrom(position));
  return record === undefined || record.position === position;
}

/** Undefined for no stream. */
function ofStream(
  options: Options,
  log: TransactionLog,
  isBackwards: boolean,
): LogRecord[] | undefined {
  const which = options.getStream()!;
  const name = Buffer.from(which.getStreamIdentifier()!.getStreamName_asU8()).toString();
  const records = [...log.stream(name)];
  if (records.length === 0) return undefined;
  if (isBackwards) {
    const from = which.hasRevision() ? Number(which.getRevision()) : records.length - 1;
    return records.slice(0, from + 1).reverse();
  }
  if (which.hasEnd()) return [];
  return records.slice(which.hasRevision() ? Number(which.getRevision()) : 0);
}

/** Forwards the event at the position comes too; backwards it does not. */
function* ofAll(
  from: streams.ReadReq.Options.AllOptions | undefined,
  log: TransactionLog,
  isBackwards: boolean,
): Generator<LogRecord> {
  const position =
    from?.hasPosition() === true ? Number(from.getPosition()!.getCommitPosition()) : undefined;
  const step = isBackwards ? -1 : 1;
  let index = isBackwards ? log.length - 1 : 0;
  if (from?.hasEnd() === true && !isBackwards) return;
  if (position !== undefined) index = log.indexFrom(position) - (isBackwards ? 1 : 0);
  for (;;) {
    const record = log.at(index);
    if (record === undefined) return;
    yield record;
    index += step;
  }
}

/** `Enumerator.AllSubscription` and `Enumerator.AllSubscriptionFiltered`. */
async function subscribe(
  options: Options,
  log: TransactionLog,
  { saysCaughtUp }: ReadSettings,
  signal: AbortSignal,
  send: (message: streams.ReadResp) => Promise<void>,
): Promise<void> {
  const from = options.getAll();
  const lets = filterOf(options);
  const confirmation = new streams.ReadResp.SubscriptionConfirmation();
  await send(new streams.ReadResp().setConfirmation(confirmation.setSubscriptionId(randomUUID())));
  let index = 0;
  if (from?.hasEnd() === true) index = log.length;
  else if (from?.hasPosition() === true) {
    // After the position, unlike a read.
    index = log.indexFrom(Number(from.getPosition()!.getCommitPosition()) + 1);
  }
  let isLive = false;
  let examined = 0;
  while (!signal.aborted) {
    const record = log.at(index);
    if (record === undefined) {
      if (!isLive && saysCaughtUp) {
        await send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
      }
      isLive = true;
      await log.longerThan(index, signal);
      continue;
    }
    index++;
    if (lets.record(record)) await send(eventMessage(record));
    // Passed or not, every so many events looked at.
    if (lets.checkpointInterval !== undefined && ++examined >= lets.checkpointInterval) {
      examined = 0;
      await send(checkpointMessage(record.position));
    }
  }
}

/** The server's window of a page, when the client names none. */
const READ_BATCH_SIZE = 32;

function filterOf(options: Options): {
  record: (record: LogRecord) => boolean;
  checkpointInterval: number | undefined;
} {
  const filter = options.getFilter();
  if (filter === undefined) return { record: () => true, checkpointInterval: undefined };
  const byStream = filter.hasStreamIdentifier();
  const expression = (byStream ? filter.getStreamIdentifier() : filter.getEventType())!;
  const prefixes = expression.getPrefixList();
  const regex = expression.getRegex() === '' ? undefined : new RegExp(expression.getRegex());
  const window = filter.hasMax() ? filter.getMax() : READ_BATCH_SIZE;
  return {
    record: (record) => {
      const text = byStream ? record.stream : record.type;
      return regex?.test(text) ?? prefixes.some((prefix) => text.startsWith(prefix));
    },
    checkpointInterval: window * filter.getCheckpointintervalmultiplier(),
  };
}
