import { describeEventStore } from '../../contracts/event-store.js';
import { makeDoubleLog } from './event-store-fixture.js';

describeEventStore('EventStoreDB (the double)', makeDoubleLog, {
  flushing: 'by-server',
  commits: 'to-one-stream',
});
