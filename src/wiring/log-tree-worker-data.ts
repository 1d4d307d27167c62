import type { EventStoreLocation } from '../config/store-location.js';

/** What the tree's thread is started with. */
export interface LogTreeWorkerData {
  readonly eventStore: EventStoreLocation;
  readonly treePath: string;
  /** What this node keeps of the signed log. */
  readonly checkpointFile: string;
  readonly origin: string;
}
