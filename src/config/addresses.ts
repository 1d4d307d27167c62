import { isIP } from 'node:net';

/** True for addresses that only this machine can reach, and for `localhost`. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** Says what is wrong with a base URL, undefined when it is fit to be signed. */
export function baseUrlFault(text: string, allowLoopbackHttp: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'must be an absolute URL';
  if (!isSecureUrl(url, allowLoopbackHttp)) return 'must be an https URL';
  // Its spelling is signed, so only one is taken: no path, query, user, default port or capitals.
  if (text !== url.origin) return `must be written as ${url.origin}`;
  return undefined;
}

/** Says what is wrong with the address of a token issuer or its keys. */
export function issuerUrlFault(text: string, allowLoopbackHttp: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'must be an absolute URL';
  if (!isSecureUrl(url, allowLoopbackHttp)) return 'must be an https URL';
  if (url.username !== '' || url.hash !== '') return 'must carry no user and no fragment';
  return undefined;
}

export function isSecureUrl(url: URL, allowLoopbackHttp: boolean): boolean {
  if (url.protocol === 'https:') return true;
  return allowLoopbackHttp && url.protocol === 'http:' && isLoopback(url.hostname);
}
