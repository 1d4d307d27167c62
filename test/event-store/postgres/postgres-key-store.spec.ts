import { describeKeyStore } from '../../contracts/key-store.js';
import { makePostgresKeys } from './key-store-fixture.js';

describeKeyStore('PostgreSQL', makePostgresKeys);
