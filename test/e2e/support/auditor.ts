import type { Json, JsonObject } from '../../../src/kernel/json.js';
import type { Answer, TestService, TokenOptions } from '../../support/service.js';

/** One event as `/v1/events` gives it. */
export interface Replayed {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly dataschema: string;
  readonly revision: number;
  readonly position: string;
  readonly data: {
    readonly type: string;
    readonly schemaVersion: number;
    readonly data: JsonObject;
    readonly sealed: string | null;
    readonly salt: string;
    readonly metadata: JsonObject;
    readonly texts?: JsonObject | null;
  };
}

/** One server-sent event; `type` is undefined for an ordinary one. */
export interface Sent {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly data: string;
}

export const AUDITS_ALL: TokenOptions = {
  principal: 'auditor',
  tenant: 'auditors',
  scopes: ['audit:read-all'],
};

export interface OpenOptions {
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Somebody who replays the log of a service under test. */
export class Auditor {
  constructor(
    private readonly service: TestService,
    private readonly token: TokenOptions = AUDITS_ALL,
  ) {}

  async get(parameters = '', headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const token = await this.service.token(this.token);
    return this.service.call('GET', pathOf(parameters), { token, headers });
  }

  /** All pages of a replay. */
  async pages(parameters = ''): Promise<readonly Replayed[]> {
    const token = await this.service.token(this.token);
    const events: Replayed[] = [];
    let next: string | undefined = pathOf(parameters);
    while (next !== undefined) {
      const answer: Answer = await this.service.call('GET', next, { token });
      if (answer.status !== 200) throw new Error(answer.text);
      events.push(...(answer.body as unknown as Replayed[]));
      next = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    return events;
  }

  /** Opens a replay in one of its forms; `signal` cuts it. */
  async open(
    form: 'text/event-stream' | 'application/x-ndjson',
    parameters = '',
    options: OpenOptions = {},
  ): Promise<Response> {
    const { lastEventId, signal, headers } = options;
    return fetch(`${this.service.url}${pathOf(parameters)}`, {
      headers: {
        ...headers,
        accept: form,
        authorization: `Bearer ${await this.service.token(this.token)}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Everything that a live stream sends, until whoever asks stops asking: that cuts the stream. */
  async *live(parameters = '', lastEventId?: string): AsyncGenerator<Sent, undefined> {
    const cut = new AbortController();
    const options = { signal: cut.signal, ...(lastEventId === undefined ? {} : { lastEventId }) };
    const response = await this.open('text/event-stream', parameters, options);
    if (response.status !== 200 || response.body === null) throw new Error(await response.text());
    try {
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) if (!block.startsWith(':')) yield sentOf(block);
      }
    } finally {
      cut.abort();
    }
  }
}

export function replayedOf({ data }: Sent): Replayed {
  return JSON.parse(data) as Replayed;
}

function sentOf(block: string): Sent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  return { id: fields.get('id'), type: fields.get('event'), data: fields.get('data') ?? '' };
}

function pathOf(parameters: string): string {
  return `/v1/events${parameters === '' ? '' : `?${parameters}`}`;
}

/** The members of an answer that is a list. */
export function listOf({ body }: Answer): readonly Json[] {
  return body as unknown as readonly Json[];
}
