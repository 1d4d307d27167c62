import type { FastifyRequest } from 'fastify';
import { bare } from '../../http/framed-json.js';
import { framedResponse, type Form } from './form.js';

const A2A_JSON = 'application/a2a+json';

/** A2A's own media type, unless the client asks for JSON and not for it. */
function mediaTypeFor(accept: string | undefined): string {
  const asksForPlain = accept !== undefined && /\bapplication\/json\b/i.test(accept);
  return asksForPlain && !accept.toLowerCase().includes(A2A_JSON)
    ? 'application/json; charset=utf-8'
    : `${A2A_JSON}; charset=utf-8`;
}

/** HTTP+JSON's own way of writing: results bare, errors as AIP-193 has them (A2A v1.0 section 11.6). */
export function httpForm(request: FastifyRequest): Form {
  return {
    contentType: mediaTypeFor(request.headers.accept),
    result: bare,
    event: framedResponse,
    failure: ({ http, status, message, details }) => ({
      status: http,
      body: JSON.stringify({ error: { code: http, status, message, details } }),
    }),
    failureEvent: 'error',
  };
}
