import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LogRecord } from './log.js';

const TICKS_PER_MILLISECOND = 10_000n;

export function empty(): shared.Empty {
  return new shared.Empty();
}

export function uuid(text: string): shared.UUID {
  return new shared.UUID().setString(text);
}

export function eventMessage(record: LogRecord): streams.ReadResp {
  const position = String(record.position);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuid(record.id))
    .setStreamIdentifier(
      new shared.StreamIdentifier().setStreamName(Buffer.from(record.stream).toString('base64')),
    )
    .setStreamRevision(String(record.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(record.data)
    .setCustomMetadata(record.customMetadata);
  const metadata = recorded.getMetadataMap();
  metadata.set('type', record.type);
  metadata.set('content-type', record.contentType);
  metadata.set('created', String(BigInt(record.created) * TICKS_PER_MILLISECOND));
  const event = new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position);
  return new streams.ReadResp().setEvent(event);
}

export function checkpointMessage(position: number): streams.ReadResp {
  const text = String(position);
  return new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(text).setPreparePosition(text),
  );
}

/** `RpcExceptions`: a status, and what the client tells errors apart by. */
export function rpcError(
  code: status,
  details: string,
  exception?: string,
  more: Readonly<Record<string, string>> = {},
): Partial<ServiceError> {
  const metadata = new Metadata();
  if (exception !== undefined) metadata.set('exception', exception);
  for (const [key, value] of Object.entries(more)) metadata.set(key, value);
  return { code, details, metadata };
}

/** `RpcExceptions.LeaderInfo`. */
export function notLeader(host: string, port: number): Partial<ServiceError> {
  return rpcError(status.NOT_FOUND, 'Leader info available', 'not-leader', {
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
}
