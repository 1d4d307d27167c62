import { BodyTooLong, boundedBody } from '../../http/bounded-body.js';
import type { Json, JsonObject } from '../../kernel/json.js';
import { LinkedSignal } from '../../threads/linked-signal.js';
import { answerStream } from './answer-stream.js';
import { AttemptFault } from './attempt-fault.js';
import { parseOutput, MAX_OUTPUT_BYTES } from './output.js';

/** Of the longest wait that a backend may ask for. */
const MAX_RETRY_AFTER_SECONDS = 3600;

/**
 * System calls that fail before a connection stands, so before anything was sent. The code of a failure
 * does not tell: a connection that stands may find its host unreachable just as well.
 */
const CONNECTING = new Set<unknown>(['connect', 'getaddrinfo']);
/** The client's own word for it. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

/**
 * With these a document comes, and all of it: not with the other successes, as 206 (a part of it) or
 * 226 (what is different in it).
 */
const WHOLE: ReadonlySet<number> = new Set([200, 201, 203]);

/** It was taken, and that is all. */
const NO_ANSWER_YET: ReadonlySet<number> = new Set([202, 204]);

const EVENT_STREAM = 'text/event-stream';

/** What one attempt is made with. */
export interface GuardedExchangeParts {
  /** The only address that is ever called. */
  readonly url: string;
  readonly token: string;
  readonly traceparent: string | null;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** What it means that the signal has ended it. */
  readonly endedBy: () => AttemptFault;
}

/**
 * All that one attempt sends to a backend, and takes from it: to one address, with one token, without
 * redirects, and bounded. Whatever a client of an SDK adds to it, the token is the attempt's. The
 * client of an SDK gets {@link fetch}; what it makes of a fault does not matter, {@link fault} keeps it.
 */
export class GuardedExchange {
  readonly #ended = new AbortController();
  #fault: AttemptFault | null = null;
  #rest: Promise<unknown> | undefined;
  /** Ends with the attempt. */
  readonly signal: AbortSignal;

  constructor(private readonly parts: GuardedExchangeParts) {
    this.signal = new LinkedSignal([parts.signal, this.#ended.signal]).signal;
  }

  get url(): string {
    return this.parts.url;
  }

  /** The last one that the exchange has met. */
  get fault(): AttemptFault | null {
    return this.#fault;
  }

  /** Settles with what outlives the answer, and never rejects; undefined when nothing does. */
  get rest(): Promise<unknown> | undefined {
    return this.#rest;
  }

  /** Work that nobody waits for: it may go on after the answer, until the attempt's time is over. */
  outliving(work: Promise<unknown>): void {
    this.#rest = Promise.allSettled([this.#rest, work]);
  }

  /**
   * Posts a document and answers with the one that comes back.
   * @throws {AttemptFault}
   */
  async post(document: JsonObject, headers: Readonly<Record<string, string>>): Promise<Json> {
    const response = await this.#send({
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(document),
    });
    return (await this.#document(response)).value;
  }

  /** For clients of SDKs that wait for one document: it is read strictly before they see it. */
  readonly fetch: typeof fetch = async (input, init) => {
    const response = await this.#sendTo(input, init);
    const { bytes } = await this.#document(response);
    return jsonOf(bytes, response);
  };

  /**
   * As {@link fetch}, for requests whose answer may also come in an event stream, after other documents
   * and, like each of them, read strictly. A stream that ends without it has lost it.
   */
  fetchAnswer(isAnswer: (document: Json) => boolean): typeof fetch {
    return async (input, init) => {
      const response = await this.#sendTo(input, init);
      if (mediaTypeOf(response) === EVENT_STREAM && response.body !== null) {
        const body = ReadableStream.from(this.#guarded(answerStream(response.body, isAnswer)));
        const headers = { 'content-type': EVENT_STREAM, ...sessionOf(response.headers) };
        return new Response(body, { headers });
      }
      const { bytes, value } = await this.#document(response);
      if (isAnswer(value)) return jsonOf(bytes, response);
      throw this.#remember(
        new AttemptFault('answered', 'the document is no answer to the request'),
      );
    };
  }

  /** As {@link fetch}, of what asks for no answer: none is read. */
  readonly fetchNothing: typeof fetch = async (input, init) => {
    const response = await this.#sendTo(input, init);
    await response.body?.cancel().catch(() => undefined);
    return new Response(null, { status: 202, headers: sessionOf(response.headers) });
  };

  async #sendTo(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    const url = input instanceof Request ? input.url : String(input);
    if (new URL(url).href !== new URL(this.parts.url).href) {
      throw this.#remember(new AttemptFault('answered', 'its client was led to another address'));
    }
    return await this.#send(init);
  }

  /** @throws {AttemptFault} also for every status that does not come with a whole answer, or none */
  async #send(init: RequestInit): Promise<Response> {
    const { url, token, traceparent, signal } = this.parts;
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    if (traceparent !== null) headers.set('traceparent', traceparent);
    // Both end with the attempt, and so does what follows them.
    const linked = init.signal ? new LinkedSignal([signal, init.signal]).signal : signal;
    const request = {
      ...init,
      headers,
      redirect: 'manual',
      signal: linked,
    } as const;
    let response: Response;
    try {
      response = await fetch(url, request);
    } catch (error) {
      throw this.#faultOf(error);
    }
    if (WHOLE.has(response.status) || NO_ANSWER_YET.has(response.status)) return response;
    // What it says of its refusal may name anything: it is not even read.
    await response.body?.cancel().catch(() => undefined);
    throw this.#remember(faultOfStatus(response));
  }

  async #document(response: Response): Promise<{ readonly bytes: Buffer; readonly value: Json }> {
    const { status } = response;
    if (NO_ANSWER_YET.has(status)) {
      await response.body?.cancel().catch(() => undefined);
      throw this.#remember(new AttemptFault('unfinished', `the backend answered ${status}`));
    }
    if (mediaTypeOf(response) !== 'application/json') {
      await response.body?.cancel().catch(() => undefined);
      throw this.#remember(new AttemptFault('answered', 'the answer is not application/json'));
    }
    let bytes: Buffer;
    try {
      bytes = await boundedBody(response, MAX_OUTPUT_BYTES);
    } catch (error) {
      throw this.#faultOf(error);
    }
    const parsed = parseOutput(bytes);
    if (parsed.ok) return { bytes, value: parsed.value };
    throw this.#remember(new AttemptFault('answered', parsed.error));
  }

  /** Its reader may wait for an answer that cannot come any more, so a fault ends the attempt. */
  async *#guarded(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      yield* stream;
    } catch (error) {
      this.#ended.abort();
      throw this.#faultOf(error);
    }
  }

  #faultOf(error: unknown): AttemptFault {
    if (error instanceof AttemptFault) return this.#remember(error);
    if (error instanceof BodyTooLong) {
      return this.#remember(new AttemptFault('answered', error.message));
    }
    if (this.parts.signal.aborted) return this.#remember(this.parts.endedBy());
    return this.#remember(connectionFault(error));
  }

  #remember(fault: AttemptFault): AttemptFault {
    this.#fault = fault;
    return fault;
  }
}

/** A document that was read, for who reads it again. */
function jsonOf(bytes: Buffer, { headers }: Response): Response {
  return new Response(new Uint8Array(bytes), {
    headers: { 'content-type': 'application/json', ...sessionOf(headers) },
  });
}

function faultOfStatus({ status, headers, type }: Response): AttemptFault {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    return new AttemptFault('answered', 'the backend redirects, which is never followed');
  }
  const message = `the backend answered ${status}`;
  if (status !== 429 && status < 500) return new AttemptFault('answered', message);
  const retryAfter = retryAfterOf(headers.get('retry-after'));
  return new AttemptFault(status === 429 ? 'busy' : 'broken', message, retryAfter);
}

/** Delay-seconds (RFC 9110 section 10.2.3); the other form would need the other side's clock. */
function retryAfterOf(value: string | null): number | undefined {
  if (value === null || !/^\d{1,9}$/.test(value)) return undefined;
  return Math.min(Number(value), MAX_RETRY_AFTER_SECONDS);
}

function mediaTypeOf({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}

/** The session of an MCP server, which its client reads off its first answer. */
function sessionOf(headers: Headers): Readonly<Record<string, string>> {
  const session = headers.get('mcp-session-id');
  return session === null ? {} : { 'mcp-session-id': session };
}

/** Node's fetch says what happened in the cause of its own error, which may be of another realm. */
function connectionFault(error: unknown): AttemptFault {
  const { cause } = Object(error) as { readonly cause?: unknown };
  const { code } = Object(cause) as { readonly code?: unknown };
  const why = typeof code === 'string' ? code : 'unknown';
  return isUnconnected(cause)
    ? new AttemptFault('unsent', `no connection (${why})`)
    : new AttemptFault('lost', `the connection broke (${why})`);
}

function isUnconnected(cause: unknown): boolean {
  const { code, syscall, errors } = Object(cause) as {
    readonly code?: unknown;
    readonly syscall?: unknown;
    readonly errors?: unknown;
  };
  // Of a name with several addresses: each was tried.
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnconnected);
  return code === CONNECT_TIMEOUT || CONNECTING.has(syscall);
}
