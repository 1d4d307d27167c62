import { randomBytes } from 'node:crypto';
import { afterAll } from '@jest/globals';
import pg from 'pg';
import { startPostgres, type PostgresServer } from './postgres.js';

let server: Promise<PostgresServer> | undefined;

afterAll(async () => {
  await (await server)?.stop();
});

/** URL of a database for the tests of one file; its server is started when the first one asks. */
export async function postgresUrl(): Promise<string> {
  server ??= startPostgres();
  return (await server).url;
}

/** A namespace that nobody has used. */
export function freshNamespace(): string {
  return `t_${randomBytes(8).toString('hex')}`;
}

export async function dropNamespace(namespace: string): Promise<void> {
  await onPostgres(async (client) => {
    await client.query(`DROP SCHEMA IF EXISTS countersign_${namespace} CASCADE`);
  });
}

/** Works on the database as another program would. */
export async function onPostgres<T>(
  work: (client: pg.Client) => Promise<T>,
  url?: string,
): Promise<T> {
  const client = new pg.Client({ connectionString: url ?? (await postgresUrl()) });
  // One that is ended from outside fails at its next question.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
