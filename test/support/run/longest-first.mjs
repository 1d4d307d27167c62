import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

const TESTS = resolve(import.meta.dirname, '../..');

/**
 * What takes longest, the longest first: many of these are small files over a shared suite, and in a
 * fresh checkout Jest begins with the largest. One that begins last is waited for with idle cores.
 */
const LONGEST = [
  'event-store/eventstoredb/contract.spec.ts',
  'e2e/several-nodes-eventstoredb.spec.ts',
  'e2e/several-nodes-postgres.spec.ts',
  'e2e/audit-command.spec.ts',
  'e2e/engines.spec.ts',
  'e2e/approvals-crash.spec.ts',
  'e2e/a2a-durability.spec.ts',
  'e2e/transparency-log.spec.ts',
  'e2e/contract-processes.spec.ts',
  'invocations/kill.spec.ts',
  'event-store/postgres/postgres-event-store.spec.ts',
  'e2e/audit-eventstoredb.spec.ts',
  'e2e/audit-postgres.spec.ts',
  'cli/verify.spec.ts',
  'event-store/sqlite/sqlite-event-store.spec.ts',
  'e2e/lifecycle.spec.ts',
  'processes/kill.spec.ts',
  'a2a/tasks/kill.spec.ts',
].map((name) => join(TESTS, name));

/** Jest's own order, but for those. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const gone = LONGEST.filter((path) => !existsSync(path));
    if (gone.length > 0) throw new Error(`longest-first.mjs names what is not there: ${gone}`);
    const rank = ({ path }) => (LONGEST.includes(path) ? LONGEST.indexOf(path) : LONGEST.length);
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
