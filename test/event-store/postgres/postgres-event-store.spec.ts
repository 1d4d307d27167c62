import { describeEventStore } from '../../contracts/event-store.js';
import { describeDeleting } from '../../contracts/event-store/deleting.js';
import { makePostgresLog } from './event-store-fixture.js';

describeEventStore('PostgreSQL', makePostgresLog);
describeDeleting(makePostgresLog);
