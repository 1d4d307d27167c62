import { eventStoreDbDoubleAndPostgres } from './support/eventstoredb-stores.js';
import { severalNodes } from './support/several-nodes.js';

severalNodes(
  'eventstoredb, on the double; keys and tasks in postgres',
  eventStoreDbDoubleAndPostgres,
);
