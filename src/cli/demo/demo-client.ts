import type { JsonObject } from '../../kernel/json.js';

/** What the service answered: always JSON, a document or a problem (RFC 9457). */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** The service's REST API over real HTTP. */
export class DemoClient {
  constructor(
    private readonly baseUrl: string,
    /** The audience that every statement names: the service's public base URL. */
    readonly audience: string,
  ) {}

  async request(
    method: 'GET' | 'POST',
    path: string,
    token: string,
    body?: object,
    idempotencyKey?: string,
  ): Promise<Answer> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  }
}
