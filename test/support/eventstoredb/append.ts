import {
  status,
  type ServerDuplexStream,
  type ServerReadableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import protobufEmpty from 'google-protobuf/google/protobuf/empty_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import rpc from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Commit, Expected, ProposedRecord, TransactionLog } from './log.js';
import { empty, rpcError } from './messages.js';

export interface AppendSettings {
  /** `MaxAppendSize` of the server's configuration. */
  readonly maxAppendSize: number;
  readonly beforeApplied: () => void;
  /** Before the answer. */
  readonly afterApplied: () => void;
}

const NO_SUCH_MODE = 'the double has no rules for the expected revisions any and stream-exists';

type Proposed = streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage;

function toRecord(message: Proposed): ProposedRecord {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()!.getString().toLowerCase(),
    type: metadata.get('type')!,
    contentType: metadata.get('content-type')!,
    data: message.getData_asB64(),
    customMetadata: message.getCustomMetadata_asB64(),
  };
}

function sizeOf(message: Proposed): number {
  return message.getData_asU8().length + message.getCustomMetadata_asU8().length;
}

function nameOf(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier!.getStreamName_asU8()).toString();
}

/** `Streams.Append`: one call per append. */
export async function append(
  call: ServerReadableStream<streams.AppendReq, streams.AppendResp>,
  answer: sendUnaryData<streams.AppendResp>,
  log: TransactionLog,
  settings: AppendSettings,
): Promise<void> {
  let options: streams.AppendReq.Options | undefined;
  const events: ProposedRecord[] = [];
  let size = 0;
  for await (const part of call as AsyncIterable<streams.AppendReq>) {
    if (part.hasOptions()) options = part.getOptions();
    const message = part.getProposedMessage();
    if (message === undefined) continue;
    size += sizeOf(message);
    if (size > settings.maxAppendSize) {
      answer(
        rpcError(
          status.INVALID_ARGUMENT,
          `Maximum Append Size of ${settings.maxAppendSize} Exceeded.`,
          'maximum-append-size-exceeded',
          { 'maximum-append-size': String(settings.maxAppendSize) },
        ),
      );
      return;
    }
    events.push(toRecord(message));
  }
  settings.beforeApplied();
  if (call.cancelled) return;
  const expected = options!.hasRevision()
    ? Number(options!.getRevision())
    : expectedWithoutRevision(options!);
  if (expected === undefined) {
    answer(rpcError(status.UNIMPLEMENTED, NO_SUCH_MODE));
    return;
  }
  const commit = await log.append(nameOf(options!.getStreamIdentifier()), expected, events);
  settings.afterApplied();
  if (commit.kind === 'timeout') {
    answer(rpcError(status.ABORTED, 'Operation timed out'));
    return;
  }
  answer(
    null,
    commit.kind === 'success' ? success(commit) : wrongExpectedVersion(commit, expected),
  );
}

/** Undefined for the modes that the double does not have. */
function expectedWithoutRevision(options: { hasNoStream(): boolean }): Expected | undefined {
  return options.hasNoStream() ? 'no-stream' : undefined;
}

function success({ revision, position }: Commit & { kind: 'success' }): streams.AppendResp {
  const answer = new streams.AppendResp.Success().setCurrentRevision(String(revision));
  if (position === undefined) answer.setNoPosition(empty());
  else {
    const text = String(position);
    answer.setPosition(
      new streams.AppendResp.Position().setCommitPosition(text).setPreparePosition(text),
    );
  }
  return new streams.AppendResp().setSuccess(answer);
}

function wrongExpectedVersion(
  { current }: Commit & { kind: 'wrong-expected-version' },
  expected: Expected,
): streams.AppendResp {
  const answer = new streams.AppendResp.WrongExpectedVersion();
  if (current === -1) answer.setCurrentNoStream(empty());
  else answer.setCurrentRevision(String(current));
  if (typeof expected === 'number') answer.setExpectedRevision(String(expected));
  else answer.setExpectedNoStream(empty());
  return new streams.AppendResp().setWrongExpectedVersion(answer);
}

interface Batch {
  options: streams.BatchAppendReq.Options | undefined;
  readonly events: ProposedRecord[];
  size: number;
}

/** `Streams.BatchAppend`: all appends of a client over one call, told apart by their correlation ids. */
export function batchAppend(
  call: ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>,
  log: TransactionLog,
  settings: AppendSettings,
): void {
  const batches = new Map<string, Batch>();
  const apply = async (correlationId: shared.UUID, batch: Batch): Promise<void> => {
    const answer = new streams.BatchAppendResp().setCorrelationId(correlationId);
    const { options } = batch;
    answer.setStreamIdentifier(options!.getStreamIdentifier());
    if (batch.size > settings.maxAppendSize) {
      const details = new shared.MaximumAppendSizeExceeded();
      call.write(
        answer.setError(
          failure(
            details.setMaxappendsize(settings.maxAppendSize),
            'event_store.client.MaximumAppendSizeExceeded',
          ),
        ),
      );
      return;
    }
    settings.beforeApplied();
    if (call.cancelled) return;
    const expected = options!.hasStreamPosition()
      ? Number(options!.getStreamPosition())
      : expectedWithoutRevision(options!);
    if (expected === undefined) {
      call.emit('error', rpcError(status.UNIMPLEMENTED, NO_SUCH_MODE));
      return;
    }
    const commit = await log.append(nameOf(options!.getStreamIdentifier()), expected, batch.events);
    settings.afterApplied();
    call.write(answered(answer, commit));
  };
  call.on('data', (request: streams.BatchAppendReq) => {
    const correlationId = request.getCorrelationId()!;
    const key = correlationId.getString();
    const batch = batches.get(key) ?? { options: undefined, events: [], size: 0 };
    batches.set(key, batch);
    if (request.hasOptions()) batch.options = request.getOptions();
    for (const message of request.getProposedMessagesList()) {
      batch.size += sizeOf(message);
      batch.events.push(toRecord(message));
    }
    if (!request.getIsFinal()) return;
    batches.delete(key);
    void apply(correlationId, batch);
  });
  call.on('end', () => call.end());
  call.on('error', () => undefined);
}

function answered(answer: streams.BatchAppendResp, commit: Commit): streams.BatchAppendResp {
  switch (commit.kind) {
    case 'success': {
      const done = new streams.BatchAppendResp.Success().setCurrentRevision(
        String(commit.revision),
      );
      const text = String(commit.position ?? 0);
      if (commit.position === undefined) done.setNoPosition(new protobufEmpty.Empty());
      else {
        done.setPosition(
          new shared.AllStreamPosition().setCommitPosition(text).setPreparePosition(text),
        );
      }
      return answer.setSuccess(done);
    }
    case 'wrong-expected-version': {
      const details = new shared.WrongExpectedVersion();
      if (commit.current === -1) details.setCurrentNoStream(new protobufEmpty.Empty());
      else details.setCurrentStreamRevision(String(commit.current));
      return answer.setError(failure(details, 'event_store.client.WrongExpectedVersion'));
    }
    case 'timeout':
      return answer.setError(failure(new shared.Timeout(), 'event_store.client.Timeout'));
  }
}

function failure(details: { serializeBinary(): Uint8Array }, type: string): rpc.Status {
  const packed = new any.Any();
  packed.pack(details.serializeBinary(), type);
  return new rpc.Status().setDetails(packed);
}
