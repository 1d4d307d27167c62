import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { TASKS } from '../../src/a2a/tokens.js';
import { Backends } from '../../src/invocations/commands/backends.js';
import { InvocationLedger } from '../../src/invocations/commands/invocation-ledger.js';
import { Authorizer } from '../../src/invocations/queries/authorizer.js';
import { AGENT } from './direct-agent.js';
import { watchCommits, type ServiceHere } from './service-here.js';

/** What a request passes through that waits for something. */
type Span = 'authorization' | 'admission' | 'task' | 'backend';

/** Where the time of one request went, in milliseconds; what the disk took is in `commits` alone. */
export interface RequestTimes extends Readonly<Record<Span, number>> {
  /** From the head of the request until its answer was handed to the system. */
  readonly total: number;
  readonly commits: number;
}

type Method = (...values: never[]) => Promise<unknown>;

/** Watches the requests of a service that come one after the other. */
export function watchRequests({ app, server, config }: ServiceHere): RequestTimes[] {
  const requests: RequestTimes[] = [];
  const commits = watchCommits([
    join(config.dataFolder, 'events.db'),
    join(config.dataFolder, 'tasks.db'),
  ]);
  let spans = noTime();

  const watch = (part: object | undefined, method: string, span: Span): void => {
    if (part === undefined) throw new Error(`there is nothing that has ${method}`);
    const original = (part as Record<string, Method>)[method]?.bind(part);
    if (original === undefined) throw new Error(`there is no ${method}`);
    const watched: Method = async (...values) => {
      const began = performance.now() - commits();
      try {
        return await original(...values);
      } finally {
        spans[span] += performance.now() - commits() - began;
      }
    };
    Object.assign(part, { [method]: watched });
  };
  const loose = { strict: false };
  const tasks = app.get<object>(TASKS, loose);
  watch(app.get<object>(Authorizer, loose), 'authorize', 'authorization');
  watch(app.get<object>(InvocationLedger, loose), 'admit', 'admission');
  for (const method of ['load', 'submit', 'record']) watch(tasks, method, 'task');
  watch(app.get<Backends>(Backends, loose).get(AGENT, 'echo'), 'invoke', 'backend');

  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    spans = noTime();
    const own = spans;
    const began = performance.now();
    const before = commits();
    response.once('finish', () => {
      const total = performance.now() - began;
      requests.push({ ...own, total, commits: commits() - before });
    });
  });
  return requests;
}

function noTime(): Record<Span, number> {
  return { authorization: 0, admission: 0, task: 0, backend: 0 };
}
