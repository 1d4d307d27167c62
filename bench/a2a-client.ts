import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What the parent process asks of the load generator: messages to one JSON-RPC endpoint. */
export interface MessageLoad {
  readonly port: number;
  readonly path: string;
  /** Null: without authentication. */
  readonly token: string | null;
  readonly concurrency: number;
  readonly milliseconds: number;
}

export interface MessageLoadResult {
  readonly messages: number;
  readonly seconds: number;
  /** Milliseconds per request. */
  readonly latencies: readonly number[];
}

/** Every message is new, and every answer must be a completed task with the text in it. */
async function runLoad(load: MessageLoad): Promise<MessageLoadResult> {
  const sockets = new HttpAgent({ keepAlive: true, maxSockets: load.concurrency });
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + load.milliseconds;

  const send = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } },
      });
      const sent = performance.now();
      const request = httpRequest(
        {
          host: '127.0.0.1',
          port: load.port,
          path: load.path,
          method: 'POST',
          agent: sockets,
          headers: {
            ...(load.token === null ? {} : { authorization: `Bearer ${load.token}` }),
            'a2a-version': '1.0',
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (response) => {
          let answer = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (answer += chunk));
          response.on('end', () => {
            latencies.push(performance.now() - sent);
            const isDone = answer.includes('TASK_STATE_COMPLETED') && answer.includes(text);
            if (response.statusCode === 200 && isDone) resolve();
            else reject(new Error(`${String(response.statusCode)} ${answer}`));
          });
        },
      );
      request.on('error', reject);
      request.end(body);
    });

  const client = async (): Promise<void> => {
    while (performance.now() < end) await send(`say ${randomUUID()} back`);
  };
  await Promise.all(Array.from({ length: load.concurrency }, client));
  const seconds = (performance.now() - started) / 1000;
  sockets.destroy();
  return { messages: latencies.length, seconds, latencies };
}

// Run as a child process: one load per message, one result per load.
if (process.send !== undefined) {
  process.on('message', (load: MessageLoad) => {
    runLoad(load).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
}
