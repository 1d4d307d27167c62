import { auditedEngine } from './support/audited-engine.js';
import { eventStoreDbDouble } from './support/eventstoredb-stores.js';

auditedEngine('eventstoredb, on the double', eventStoreDbDouble);
