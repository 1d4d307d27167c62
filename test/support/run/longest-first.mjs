import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import TestSequencer from '@jest/test-sequencer';

const TESTS = resolve(import.meta.dirname, '../..');

/**
 * What takes longest: many of these are small files over a shared suite, and in a fresh checkout Jest
 * begins with the largest. One that begins last is waited for with idle cores. About the longest first,
 * and what mostly waits between what computes, so that one has the cores while the other waits.
 */
const LONGEST = [
  'event-store/eventstoredb/contract.spec.ts',
  'e2e/several-nodes-eventstoredb.spec.ts',
  'e2e/denied-texts.spec.ts',
  'e2e/several-nodes-postgres.spec.ts',
  'e2e/erasure-bytes.spec.ts',
  'e2e/a2a-durability.spec.ts',
  'e2e/audit-command.spec.ts',
  'e2e/contract-processes.spec.ts',
  'e2e/engines.spec.ts',
  'invocations/kill.spec.ts',
  'e2e/lifecycle.spec.ts',
  'audit/log/tree-thread.spec.ts',
  'e2e/transparency-log.spec.ts',
  'e2e/approvals-crash.spec.ts',
  'e2e/evidence.spec.ts',
  'event-store/postgres/connections.spec.ts',
  'e2e/replay-pages.spec.ts',
  'audit/log/tree-hashes.spec.ts',
  'event-store/eventstoredb/faults.spec.ts',
  'event-store/postgres/postgres-event-store.spec.ts',
  'audit/log/damaged-tree.spec.ts',
  'cli/verify.spec.ts',
  'e2e/audit-eventstoredb.spec.ts',
  'e2e/audit-postgres.spec.ts',
  'event-store/sqlite/sqlite-event-store.spec.ts',
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
