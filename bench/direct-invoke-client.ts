import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { KeptConnection } from './lib/kept-connection.js';

/** What the parent process asks of the load generator: direct invokes to one JSON-RPC endpoint. */
export interface InvokeLoad {
  readonly port: number;
  readonly path: string;
  /** Null: without authentication. */
  readonly token: string | null;
  /** URI of the extension. */
  readonly uri: string;
  /** Skills that are called in turn. */
  readonly skills: readonly string[];
  /** Where the answer says what was sent: as the data of a part, or its text. */
  readonly answers: 'data' | 'text';
  readonly concurrency: number;
  readonly milliseconds: number;
}

export interface InvokeLoadResult {
  readonly calls: number;
  readonly seconds: number;
  /** Milliseconds per request. */
  readonly latencies: readonly number[];
  /** What the service says of itself, in milliseconds per request; empty when it says nothing. */
  readonly dispatch: readonly number[];
  readonly backend: readonly number[];
}

/** One direct invoke as its client sends it: new ids, new words. */
export function invokeRequest(uri: string, skillId: string) {
  const text = `say ${randomUUID()} back`;
  return {
    text,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: {
          messageId: randomUUID(),
          role: 'ROLE_USER',
          // For people alone; the peer knows nothing else.
          parts: [{ text }],
          extensions: [uri],
          metadata: {
            [uri]: {
              callId: randomUUID(),
              skillId,
              arguments: { text },
              bypassModel: true,
            },
          },
        },
      },
    },
  } as const;
}

/** Headers with which the extension is activated, each with its end. */
export function invokeHeaders(uri: string): string {
  return `a2a-version: 1.0\r\na2a-extensions: ${uri}\r\n`;
}

interface Answer {
  readonly result?: {
    readonly task?: {
      readonly status: { readonly state: string };
      readonly artifacts?: readonly { readonly parts: readonly Record<string, unknown>[] }[];
      readonly metadata?: Record<string, { readonly metrics?: Record<string, number> }>;
    };
  };
}

/** Every call is new, and every answer must be a completed task with what was sent in it. */
async function runLoad(load: InvokeLoad): Promise<InvokeLoadResult> {
  const { port, path, token, uri, skills, answers, concurrency, milliseconds } = load;
  const latencies: number[] = [];
  const dispatch: number[] = [];
  const backend: number[] = [];
  const headers = invokeHeaders(uri);
  const started = performance.now();
  const end = started + milliseconds;

  const invoke = async (connection: KeptConnection, n: number): Promise<void> => {
    const { text, body } = invokeRequest(uri, skills[n % skills.length] ?? '');
    const sent = performance.now();
    const answer = await connection.post(path, token, JSON.stringify(body), headers);
    latencies.push(performance.now() - sent);
    const { task } = (JSON.parse(answer.text) as Answer).result ?? {};
    const given = task?.artifacts?.[0]?.parts[0]?.[answers];
    const isSame = isDeepStrictEqual(given, answers === 'data' ? { text } : text);
    if (answer.status !== 200 || task?.status.state !== 'TASK_STATE_COMPLETED' || !isSame) {
      throw new Error(`${String(answer.status)} ${answer.text}`);
    }
    const metrics = task.metadata?.[uri]?.metrics;
    if (metrics === undefined) return;
    dispatch.push(metrics['serverDispatchLatencyMs'] ?? NaN);
    backend.push(metrics['backendLatencyMs'] ?? NaN);
  };

  const client = async (_: unknown, index: number): Promise<void> => {
    const connection = await KeptConnection.open(port);
    for (let n = index; performance.now() < end; n++) await invoke(connection, n);
    connection.close();
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  const seconds = (performance.now() - started) / 1000;
  return { calls: latencies.length, seconds, latencies, dispatch, backend };
}

// Run as a child process: one load per message, one result per load.
if (process.send !== undefined) {
  process.on('message', (load: InvokeLoad) => {
    runLoad(load).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
}
