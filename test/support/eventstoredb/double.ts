import { TransactionLog, type LogOptions } from './log.js';
import { DoubleNode, type NodeSettings } from './node.js';

export interface DoubleOptions extends LogOptions, NodeSettings {
  /** Nodes of the cluster (1). */
  readonly size?: number;
}

/**
 * A double of EventStoreDB, on the wire: the protocol is the server's, so the real client talks to it,
 * and its rules are those of the server's source, by whose names they are called in the comments. It is
 * no proof of how the server itself behaves; the same tests run against one when `EVENTSTORE_URL` is set.
 */
export class EventStoreDouble {
  static async start(options: DoubleOptions = {}): Promise<EventStoreDouble> {
    const double = new EventStoreDouble(new TransactionLog(options));
    for (let n = 0; n < (options.size ?? 1); n++) {
      double.#nodes.push(
        await DoubleNode.start(double.log, double.#nodes, () => double.leader, {
          ...options,
          ...(options.port === undefined ? {} : { port: options.port + n }),
        }),
      );
    }
    return double;
  }

  readonly #nodes: DoubleNode[] = [];
  #leader = 0;

  private constructor(readonly log: TransactionLog) {}

  get nodes(): readonly DoubleNode[] {
    return this.#nodes;
  }

  get leader(): DoubleNode {
    return this.#nodes[this.#leader]!;
  }

  /** Makes a node the leader. */
  elect(index: number): void {
    this.#leader = index;
  }

  /** For a client that knows all nodes. */
  get connectionString(): string {
    return `esdb://${this.#nodes.map(({ address }) => address).join(',')}?tls=false`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop()));
  }
}
