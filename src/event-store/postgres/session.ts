import { EventStoreUnavailable } from '../port.js';
import type { Ask } from './question.js';

const OLDEST_SERVER = 140_000;

/** How the server and a session of ours keep the promise that acknowledged means flushed. */
export interface DurabilitySettings {
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
}

/**
 * Prepares a new connection: whatever the server, the database, the role or the URL has set, a
 * commit returns after it is flushed (on the replicas too that the server waits for), a statement
 * sees what was committed before it began, waiting is bounded, and names mean our tables alone.
 * @throws {EventStoreUnavailable} when this server cannot keep the store's promises.
 */
export async function configureSession(
  ask: Ask,
  { lockMs, statementMs }: { readonly lockMs: number; readonly statementMs: number },
): Promise<void> {
  const settings: readonly (readonly [name: string, value: string])[] = [
    ['default_transaction_isolation', "'read committed'"],
    ['default_transaction_read_only', "'off'"],
    ['search_path', "'pg_catalog'"],
    ['lock_timeout', `'${String(lockMs)}'`],
    ['statement_timeout', `'${String(statementMs)}'`],
    ['idle_in_transaction_session_timeout', `'${String(statementMs)}'`],
    ['jit', "'off'"],
    // Tables that were small when a plan was made grow.
    ['enable_seqscan', "'off'"],
    [
      'synchronous_commit',
      "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END",
    ],
  ];
  const calls = settings.map(
    ([name, value]) => `pg_catalog.set_config('${name}', ${value}, false)`,
  );
  const [row] = await ask<readonly unknown[]>({
    text: `SELECT pg_is_in_recovery(), current_setting('server_encoding'), current_setting('fsync'),
      current_setting('server_version_num')::int, ${calls.join(', ')}`,
  });
  const [isReplica, encoding, fsync, version] = row ?? [];
  if (typeof version !== 'number' || version < OLDEST_SERVER) {
    throw new EventStoreUnavailable('the database server is older than PostgreSQL 14');
  }
  if (isReplica === true) {
    throw new EventStoreUnavailable('the database server is a replica, which takes no writes');
  }
  if (encoding !== 'UTF8') {
    throw new EventStoreUnavailable(`the database has the encoding ${String(encoding)}, not UTF8`);
  }
  if (fsync !== 'on') {
    throw new EventStoreUnavailable('the database server runs with fsync off: it may lose events');
  }
}

/** The settings in force. */
export async function durabilitySettings(ask: Ask): Promise<DurabilitySettings> {
  const [row] = await ask<readonly [string, string, string]>({
    text: `SELECT current_setting('fsync'), current_setting('full_page_writes'),
      current_setting('synchronous_commit')`,
  });
  const [fsync = '', fullPageWrites = '', synchronousCommit = ''] = row ?? [];
  return { fsync, fullPageWrites, synchronousCommit };
}

/** Those under which an acknowledged write might be lost or damaged in a crash, in words. */
export function unsafeAmong(settings: DurabilitySettings): readonly string[] {
  const { fsync, fullPageWrites, synchronousCommit } = settings;
  return [
    ...(fsync === 'on' ? [] : [`fsync ${fsync}`]),
    ...(fullPageWrites === 'on' ? [] : [`full_page_writes ${fullPageWrites}`]),
    ...(['on', 'remote_apply'].includes(synchronousCommit)
      ? []
      : [`synchronous_commit ${synchronousCommit}`]),
  ];
}
