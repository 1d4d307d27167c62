import { describeEventStore } from '../../contracts/event-store.js';
import { makeSqliteLog } from './event-store-fixture.js';

describeEventStore('SQLite', makeSqliteLog);
