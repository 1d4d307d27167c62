import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from '../../support/postgres.js';

/** A PostgreSQL database of its own: with `POSTGRES_URL`, on a server that others use too. */
export interface FreshDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

export async function freshDatabase(): Promise<FreshDatabase> {
  const server = await startPostgres();
  const name = `e2e_${randomBytes(8).toString('hex')}`;
  await ask(server.url, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    stop: async () => {
      await ask(server.url, `DROP DATABASE ${name} WITH (FORCE)`);
      await server.stop();
    },
  };
}

async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}
