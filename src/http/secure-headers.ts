import type { FastifyReply } from 'fastify';

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  // Routes that anybody may read replace this one.
  'cache-control': 'no-store',
};

const NOTHING_ACTIVE = "default-src 'none'; frame-ancestors 'none'";

/** The documentation page runs scripts of its own origin and styles that it inserts itself. */
const PAGE =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Answers carry no content that a browser may run, sniff, frame or keep. */
export function setSecureHeaders(reply: FastifyReply, isPage: boolean, isHttps: boolean): void {
  reply.headers(ALWAYS);
  reply.header('content-security-policy', isPage ? PAGE : NOTHING_ACTIVE);
  // It is the same for everybody, and another after an update: kept, and asked after by its tag.
  if (isPage) reply.header('cache-control', 'no-cache');
  if (isHttps) reply.header('strict-transport-security', 'max-age=31536000');
}
