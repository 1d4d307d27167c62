import type { JsonObject } from '../../../src/kernel/json.js';
import type { Answer, TokenOptions } from '../../support/service.js';
import type { Negotiator } from './negotiator.js';

/** The first item of an agent's list, by a node that has seen what an answer tells of. */
export async function firstListed(who: Negotiator, seen: Answer): Promise<JsonObject> {
  const headers = { 'position-token': seen.headers.get('position-token') ?? '' };
  const { body, text } = await who.get('/v1/interactions?limit=1', { headers });
  const [item] = (body['items'] ?? []) as readonly JsonObject[];
  if (item === undefined) throw new Error(text);
  return item;
}

/** All pages of a list, as they are answered to somebody by a node that has read so far. */
export async function wholeList(
  who: Negotiator,
  token: string,
  list = '/v1/interactions',
  as: TokenOptions | undefined = undefined,
): Promise<readonly string[]> {
  const pages: string[] = [];
  let query = 'limit=100';
  for (;;) {
    const asked = { headers: { 'position-token': token }, ...(as && { token: as }) };
    const { status, text, body } = await who.get(`${list}?${query}`, asked);
    if (status !== 200) throw new Error(text);
    pages.push(text);
    const { nextCursor } = body;
    if (typeof nextCursor !== 'string') return pages;
    query = `limit=100&cursor=${encodeURIComponent(nextCursor)}`;
  }
}
