import { isSecureUrl } from '../../config/addresses.js';
import type { Json } from '../../kernel/json.js';
import { parseStrictJson } from '../../kernel/strict-json.js';
import { DOCUMENT_LIMITS } from '../fetch-json.js';
import { AuditFault } from './audit-fault.js';

/** One call takes no longer, in milliseconds; of an export, each piece of it. */
const TIMEOUT_MS = 30_000;
/** The contract of a document lies deeper in it than in the request that it came with. */
const LIMITS = { ...DOCUMENT_LIMITS, maxDepth: DOCUMENT_LIMITS.maxDepth + 16 };
const MAX_NOTE_BYTES = 256 * 1024;

export interface JsonAnswer {
  readonly status: number;
  readonly body: Json;
}

/**
 * The service whose log is audited. Everything that it sends is as hostile as it likes: sizes and times
 * are bounded, and redirects are not followed, so that the token goes nowhere else.
 */
export class ServiceClient {
  constructor(
    private readonly base: URL,
    private readonly token: string | undefined,
  ) {}

  /** @throws {AuditFault} `usage`: no address of a service, or one that no token may be sent to */
  static at(address: string, token: string | undefined): ServiceClient {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined) throw new AuditFault('usage', `${address} is no URL`);
    if (url.username !== '' || url.password !== '') {
      throw new AuditFault('usage', 'no credentials in a URL: use --token');
    }
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
      throw new AuditFault('usage', 'name the base URL of the service, without a path');
    }
    if (!isSecureUrl(url, true)) {
      throw new AuditFault('usage', 'a service is asked only over https or on this machine');
    }
    return new ServiceClient(url, token);
  }

  /** The newest checkpoint; undefined before the first. */
  async checkpoint(): Promise<Uint8Array | undefined> {
    const response = await this.#get('/log/checkpoint', 'text/plain');
    const bytes = await this.#bytes(response, MAX_NOTE_BYTES);
    if (response.status === 404) return undefined;
    return this.#expect(response, bytes);
  }

  /** Hashes of the tree; undefined where there is no such tile. */
  async tile(path: string): Promise<Uint8Array | undefined> {
    const response = await this.#get(path, 'application/octet-stream');
    const bytes = await this.#bytes(response, MAX_NOTE_BYTES);
    return response.status === 200 ? bytes : undefined;
  }

  /** Whatever its status, as long as it is JSON with a single meaning, and no deeper than documents are. */
  async json(path: string): Promise<JsonAnswer> {
    const response = await this.#get(path, 'application/json');
    const parsed = parseStrictJson(await this.#bytes(response, LIMITS.maxBytes), LIMITS);
    if (parsed.ok) return { status: response.status, body: parsed.value };
    const { code } = parsed.error;
    if (code !== 'json-syntax') throw new AuditFault(code, `${this.base.host} answered ${path}`);
    throw new AuditFault('service-refused', `${this.base.host} answered ${path} without JSON`);
  }

  /** Asks for something for what that sets going: whatever is answered, and whether. */
  async touch(path: string): Promise<void> {
    try {
      const { body } = await this.#get(path, 'application/json');
      await body?.cancel();
    } catch {
      // What it was to set going shows elsewhere.
    }
  }

  /** The export of the log after a position, from its first event on without one, as it comes. */
  async *events(after: string | null): AsyncGenerator<Uint8Array, undefined> {
    const from = after === null ? '' : `?after=${after}`;
    const controller = new AbortController();
    const response = await this.#get(`/v1/events${from}`, 'application/x-ndjson', controller);
    if (response.status !== 200) {
      this.#expect(response, await this.#bytes(response, MAX_NOTE_BYTES));
    }
    const late = (): void => {
      controller.abort();
    };
    let timer = setTimeout(late, TIMEOUT_MS);
    try {
      for await (const chunk of piecesOf(response)) {
        clearTimeout(timer);
        yield chunk;
        timer = setTimeout(late, TIMEOUT_MS);
      }
    } catch (error) {
      if (error instanceof AuditFault) throw error;
      throw this.#unreachable('broke the export off');
    } finally {
      clearTimeout(timer);
      controller.abort();
    }
  }

  async #get(path: string, accept: string, controller?: AbortController): Promise<Response> {
    const timer = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await fetch(new URL(path, this.base), {
        headers: {
          accept,
          ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        },
        redirect: 'manual',
        signal: controller?.signal ?? timer,
      });
    } catch {
      // The message of the error may repeat the request: it is not told.
      throw this.#unreachable('cannot be reached');
    }
  }

  async #bytes(response: Response, maxBytes: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const piece of piecesOf(response)) {
        size += piece.length;
        if (size > maxBytes) throw new AuditFault('json-too-large', this.base.host);
        pieces.push(piece);
      }
    } catch (error) {
      if (error instanceof AuditFault) throw error;
      throw this.#unreachable('broke an answer off');
    }
    return Buffer.concat(pieces);
  }

  #expect(response: Response, bytes: Buffer): Buffer {
    if (response.status === 200) return bytes;
    const code = /"code":"([a-z-]+)"/.exec(bytes.toString('utf8', 0, 4096))?.[1] ?? '';
    const status = `HTTP ${String(response.status)} ${code}`.trimEnd();
    throw new AuditFault('service-refused', `${this.base.host} answered with ${status}`);
  }

  #unreachable(what: string): AuditFault {
    return new AuditFault('service-unreachable', `${this.base.host} ${what}`);
  }
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (body !== null) yield* body as AsyncIterable<Uint8Array>;
}
