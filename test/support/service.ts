import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Config } from '../../src/config/config.js';
import { devIssuerKeyFile } from '../../src/config/data-folder.js';
import { readConfig } from '../../src/config/read-config.js';
import { loadDevKey, mintDevToken } from '../../src/http/authentication/dev-issuer.js';
import type { Json, JsonObject } from '../../src/kernel/json.js';
import { startService, type Service } from '../../src/service.js';
import { built } from './built.js';
import { withBuiltHandlers } from './built-handlers.js';

/** The public base URL of services under test; it says nothing about where they listen. */
const AUDIENCE = 'https://countersign.example';

export interface TokenOptions {
  readonly principal?: string;
  readonly tenant?: string;
  readonly client?: string;
  readonly agent?: string;
  readonly scopes?: readonly string[];
  readonly lifetimeSeconds?: number;
}

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed document, undefined for an empty answer. */
  readonly body: JsonObject;
  readonly text: string;
}

export interface ServiceOptions {
  /** Where its files are; a fresh temporary folder when not given. */
  readonly folder?: string;
  /** Variables beside, or instead of, those that make a development node on port 0. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface InProcessOptions extends ServiceOptions {
  /** Settings that no variable may give: times that no test could wait for. */
  readonly settings?: (config: Config) => Config;
}

/**
 * A real service over real HTTP on a port of the system's choice. `stop` leaves the folder alone, so
 * that `restart` continues the same log; `dispose` removes it.
 */
export abstract class TestService {
  readonly audience: string;
  protected readonly environment: Readonly<Record<string, string>>;

  constructor(
    readonly folder: string,
    env: Readonly<Record<string, string>>,
  ) {
    this.environment = {
      COUNTERSIGN_DEV: '1',
      DATA_FOLDER: folder,
      PORT: '0',
      PUBLIC_BASE_URL: AUDIENCE,
      NODE_ID: 'test-node',
      ...env,
    };
    this.audience = this.environment['PUBLIC_BASE_URL'] ?? AUDIENCE;
  }

  /** Where it listens now; another port after a restart. */
  abstract readonly url: string;

  abstract start(): Promise<void>;

  /** Gracefully: what is under way is answered. */
  abstract stop(): Promise<void>;

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** An access token of the local issuer; by default a principal that may do what agents' owners do. */
  async token(options: TokenOptions = {}): Promise<string> {
    const key = await loadDevKey(devIssuerKeyFile(this.folder));
    if (key === undefined) throw new Error('the service has not been started yet');
    const claims = {
      principal: 'owner',
      tenant: 'tenant',
      scopes: ['agents:write', 'interactions:write', 'interactions:read'] as const,
      lifetimeSeconds: 3600,
      ...options,
    };
    return mintDevToken(key, claims, Date.now());
  }

  /** One request; `body` is sent as JSON. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { token, body, headers } = options;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    const document = isJson && answer !== '' ? (JSON.parse(answer) as Json) : {};
    return {
      status: response.status,
      headers: response.headers,
      body: document as JsonObject,
      text: answer,
    };
  }
}

class InProcessService extends TestService {
  #service: Service | undefined;

  constructor(
    folder: string,
    env: Readonly<Record<string, string>>,
    private readonly settings: (config: Config) => Config,
  ) {
    super(folder, env);
  }

  get url(): string {
    return this.running.url;
  }

  /** What `service.ts` gave: its routes, for instance. */
  get running(): Service {
    if (this.#service === undefined) throw new Error('the service is stopped');
    return this.#service;
  }

  async start(): Promise<void> {
    const config = readConfig(this.environment, 'test-host');
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    this.#service = await startService(this.settings(config.value));
  }

  async stop(): Promise<void> {
    await this.#service?.close();
    this.#service = undefined;
  }
}

const MAIN = built(new URL('../../src/main.ts', import.meta.url));

function spawnMain(environment: Readonly<Record<string, string>>): SpawnedProcess {
  return spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

type SpawnedProcess = ChildProcessByStdio<null, Readable, Readable>;

class SpawnedService extends TestService {
  #child: SpawnedProcess | undefined;
  #url: string | undefined;
  #errors = '';

  get url(): string {
    if (this.#url === undefined) throw new Error('the service is stopped');
    return this.#url;
  }

  /** Everything that the process wrote to its standard error stream. */
  get errors(): string {
    return this.#errors;
  }

  async start(): Promise<void> {
    const child = spawnMain(await withBuiltHandlers(this.environment));
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    for await (const line of createInterface(child.stdout)) {
      this.#url = /listens on (http:\/\/\S+),/.exec(line)?.[1];
      if (this.#url !== undefined) break;
    }
    child.stdout.resume();
    if (this.#url === undefined) throw new Error(`the service did not start: ${this.#errors}`);
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** How the process ended: its exit code, undefined while it runs or when a signal ended it. */
  exitCode: number | undefined;

  /** `kill -9`: nothing is flushed, closed or answered. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#url = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exit) as [number | null];
    this.exitCode = code ?? undefined;
  }
}

export type { InProcessService, SpawnedService };

/** Starts the service in this process. */
export async function startTestService(options: InProcessOptions = {}): Promise<InProcessService> {
  const { env = {}, settings = (config) => config } = options;
  const service = new InProcessService(await folderOf(options), env, settings);
  await service.start();
  return service;
}

/** Starts the service as a process of its own, which can be killed. Takes a second or two. */
export async function spawnTestService(options: ServiceOptions = {}): Promise<SpawnedService> {
  const service = new SpawnedService(await folderOf(options), options.env ?? {});
  await service.start();
  return service;
}

/** Runs the service with this environment and nothing else, until it ends by itself. */
export async function runMain(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly exitCode: number | null; readonly output: string; readonly errors: string }> {
  const child = spawnMain(environment);
  const [exit, output, errors] = await Promise.all([
    once(child, 'exit') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exitCode: exit[0], output, errors };
}

async function folderOf({ folder }: ServiceOptions): Promise<string> {
  return folder ?? mkdtemp(join(tmpdir(), 'countersign-test-'));
}
