import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import Database from 'better-sqlite3';
import type { Config } from '../../src/config/config.js';
import { readConfig } from '../../src/config/read-config.js';
import { startService } from '../../src/service.js';
import { freePort } from './child-service.js';

/** A service in this process, with its parts at hand. */
export interface ServiceHere {
  readonly port: number;
  readonly config: Config;
  readonly app: INestApplication;
  readonly server: Server;
  close(): Promise<void>;
}

/** Starts the service from its sources, as `main.ts` does. */
export async function startServiceHere(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServiceHere> {
  const port = await freePort();
  const settings = { COUNTERSIGN_DEV: '1', PORT: String(port), DATA_FOLDER: folder };
  const config = readConfig({ ...settings, ...environment }, hostname());
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const apps: INestApplication[] = [];
  const create = NestFactory.create.bind(NestFactory) as (
    ...args: unknown[]
  ) => Promise<INestApplication>;
  // The one place where a container can be seen from outside.
  Object.assign(NestFactory, {
    create: async (...args: unknown[]) => {
      const app = await create(...args);
      apps.push(app);
      return app;
    },
  });
  const service = await startService(config.value);
  Object.assign(NestFactory, { create });
  const [app] = apps as [INestApplication];
  const server = app.getHttpServer() as Server;
  return { port, config: config.value, app, server, close: () => service.close() };
}

interface Commit {
  readonly source: string;
  readonly database: { readonly name: string };
}

/** How long this process has waited for commits of these files so far, in milliseconds. */
export function watchCommits(files: readonly string[]): () => number {
  let waited = 0;
  const watched = new Set(files);
  const probe = new Database(':memory:');
  const statements = Object.getPrototypeOf(probe.prepare('SELECT 1')) as {
    run: (this: Commit, ...values: unknown[]) => unknown;
  };
  probe.close();
  const { run } = statements;
  // A commit blocks the process until the disk has it: the time in the call is the time lost.
  statements.run = function (...values) {
    if (this.source !== 'COMMIT' || !watched.has(this.database.name))
      return run.apply(this, values);
    const began = performance.now();
    const result = run.apply(this, values);
    waited += performance.now() - began;
    return result;
  };
  return () => waited;
}
