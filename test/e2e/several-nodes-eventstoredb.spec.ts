import { eventStoreDbDouble } from './support/eventstoredb-stores.js';
import { severalNodes } from './support/several-nodes.js';

severalNodes('eventstoredb, on the double', eventStoreDbDouble);
