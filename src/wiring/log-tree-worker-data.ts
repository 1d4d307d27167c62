import type { EventStoreLocation } from '../config/store-location.js';

/** What the tree's thread is started with. */
export interface LogTreeWorkerData {
  readonly eventStore: EventStoreLocation;
  readonly treePath: string;
  readonly origin: string;
}
