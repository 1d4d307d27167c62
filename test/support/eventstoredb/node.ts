import { randomUUID } from 'node:crypto';
import {
  Server,
  ServerCredentials,
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { append, batchAppend } from './append.js';
import type { TransactionLog } from './log.js';
import { notLeader, uuid } from './messages.js';
import { read } from './read.js';
import { Wire } from './wire.js';

/** What may be done to a node at a certain moment; `wire.cut()`, mostly. */
export interface Moments {
  beforeApplied?: (() => void) | undefined;
  /** The events are stored, and the answer is not yet on its way. */
  afterApplied?: (() => void) | undefined;
  /** After each message of a read or subscription. */
  sent?: (() => void) | undefined;
  /** A call has arrived. */
  called?: ((method: 'read' | 'append' | 'batchAppend', metadata: Metadata) => void) | undefined;
}

export interface NodeSettings {
  /** `MaxAppendSize`, in bytes (1 MiB, the server's default). */
  readonly maxAppendSize?: number;
  /** False plays a server before version 23.10. */
  readonly saysCaughtUp?: boolean;
  /** Port at which clients find it, of the first node of several; any when it is not given. */
  readonly port?: number;
}

const SERVER_VERSION = '24.10.0';
/** Kestrel's default for a message that a server receives. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** One node of the double: the server's gRPC services on the stubs that the client ships. */
export class DoubleNode {
  static async start(
    log: TransactionLog,
    members: readonly DoubleNode[],
    leader: () => DoubleNode,
    settings: NodeSettings,
  ): Promise<DoubleNode> {
    const node = new DoubleNode(log, members, leader, settings);
    const port = await new Promise<number>((resolve, reject) => {
      node.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    node.#wire = await Wire.open(port, settings.port);
    return node;
  }

  readonly moments: Moments = {};
  readonly instanceId = randomUUID();
  readonly #server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
  #silence = new AbortController();
  #wire: Wire | undefined;

  private constructor(
    log: TransactionLog,
    private readonly members: readonly DoubleNode[],
    private readonly leader: () => DoubleNode,
    { maxAppendSize = 1024 * 1024, saysCaughtUp = true }: NodeSettings,
  ) {
    const appendSettings = {
      maxAppendSize,
      beforeApplied: () => this.moments.beforeApplied?.(),
      afterApplied: () => this.moments.afterApplied?.(),
    };
    const onSent = (): void => this.moments.sent?.();
    this.#server.addService(streamServices.StreamsService, {
      read: ((call) => {
        this.moments.called?.('read', call.metadata);
        const refusal = this.#refusal(call.metadata);
        if (refusal === undefined) {
          void read(call, log, { saysCaughtUp, silence: this.#silence.signal, onSent });
        } else call.emit('error', refusal);
      }) satisfies handleServerStreamingCall<streams.ReadReq, streams.ReadResp>,
      append: ((call, answer) => {
        this.moments.called?.('append', call.metadata);
        const refusal = this.#refusal(call.metadata);
        if (refusal === undefined) {
          append(call, answer, log, appendSettings).catch(() => undefined);
        } else answer(refusal);
      }) satisfies handleClientStreamingCall<streams.AppendReq, streams.AppendResp>,
      batchAppend: ((call) => {
        this.moments.called?.('batchAppend', call.metadata);
        batchAppend(call, log, appendSettings);
      }) satisfies handleBidiStreamingCall<streams.BatchAppendReq, streams.BatchAppendResp>,
    });
    this.#server.addService(gossipServices.GossipService, {
      read: ((_call, answer) => {
        answer(null, this.#clusterInfo());
      }) satisfies handleUnaryCall<shared.Empty, gossip.ClusterInfo>,
    });
    this.#server.addService(featureServices.ServerFeaturesService, {
      getSupportedMethods: ((_call, answer) => {
        answer(null, supportedMethods());
      }) satisfies handleUnaryCall<shared.Empty, features.SupportedMethods>,
    });
  }

  get wire(): Wire {
    return this.#wire!;
  }

  get address(): string {
    return `127.0.0.1:${this.wire.port}`;
  }

  /** The subscriptions of now say nothing any more, though their connection stays. */
  silence(): void {
    this.#silence.abort();
    this.#silence = new AbortController();
  }

  async stop(): Promise<void> {
    await this.wire.close();
    this.#server.forceShutdown();
  }

  /** A follower sends those away who ask for the leader. */
  #refusal(metadata: Metadata): Partial<ServiceError> | undefined {
    const leader = this.leader();
    if (leader === this || metadata.get('requires-leader')[0] !== 'true') return undefined;
    return notLeader('127.0.0.1', leader.wire.port);
  }

  #clusterInfo(): gossip.ClusterInfo {
    const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
    return new gossip.ClusterInfo().setMembersList(
      this.members.map((member) =>
        new gossip.MemberInfo()
          .setInstanceId(uuid(member.instanceId))
          .setTimeStamp(String(Date.now()))
          .setIsAlive(true)
          .setState(member === this.leader() ? LEADER : FOLLOWER)
          .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(member.wire.port)),
      ),
    );
  }
}

function supportedMethods(): features.SupportedMethods {
  const methods = ['Read', 'Append', 'BatchAppend'].map((name) =>
    new features.SupportedMethod()
      .setServiceName('event_store.client.streams.Streams')
      .setMethodName(name),
  );
  return new features.SupportedMethods()
    .setEventStoreServerVersion(SERVER_VERSION)
    .setMethodsList(methods);
}
