import { isIP } from 'node:net';
import { err, ok, type Result } from '../../../kernel/result.js';
import { isLoopbackAddress, isPublicAddress } from './public-address.js';

/** All addresses of a host name, in the order in which they are to be tried. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** A webhook's address that may be connected to: to these addresses, and to no others. */
export interface WebhookTarget {
  readonly url: URL;
  readonly addresses: readonly [string, ...string[]];
}

/**
 * `webhook-url-invalid`: its form is wrong, at any time. `webhook-address-refused`: its host has no
 * address, or one that is not public; which of the two is nobody's business outside.
 */
export interface TargetFault {
  readonly code: 'webhook-url-invalid' | 'webhook-address-refused';
  readonly detail: string;
}

/** How long a name may take to be resolved, in milliseconds. */
const RESOLVE_MS = 5_000;
const FIRST_UNPRIVILEGED_PORT = 1024;

export interface TargetRules {
  readonly resolve: ResolveHost;
  /** For tests alone: http, and nothing but loopback addresses, may be used besides. */
  readonly allowLoopback: boolean;
}

/**
 * Judges where a webhook leads. Asked when it is set and again before each connection, which then
 * goes to the addresses that were judged: a name that changes in between changes nothing.
 *
 * https, no user, port 443 or from 1024 up (other services' ports are none of ours), and every
 * address of the host public.
 */
export async function webhookTarget(
  text: string,
  { resolve, allowLoopback }: TargetRules,
): Promise<Result<WebhookTarget, TargetFault>> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return err(invalid('must be an absolute URL'));
  if (url.protocol !== 'https:' && !(allowLoopback && url.protocol === 'http:')) {
    return err(invalid('must be an https URL'));
  }
  if (url.username !== '' || url.password !== '') return err(invalid('must name no user'));
  if (url.port !== '' && Number(url.port) < FIRST_UNPRIVILEGED_PORT) {
    return err(invalid('must have port 443 or one from 1024 up'));
  }
  const addresses = await addressesOf(url, resolve);
  const isOfHere = allowLoopback && addresses.every(isLoopbackAddress);
  const isPublic = url.protocol === 'https:' && addresses.every(isPublicAddress);
  const [first, ...others] = addresses;
  if (first === undefined || !(isOfHere || isPublic)) return err(REFUSED);
  return ok({ url, addresses: [first, ...others] });
}

const REFUSED: TargetFault = {
  code: 'webhook-address-refused',
  detail: 'must have a host with public addresses alone',
};

function invalid(detail: string): TargetFault {
  return { code: 'webhook-url-invalid', detail };
}

async function addressesOf(url: URL, resolve: ResolveHost): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [host];
  try {
    return await within(RESOLVE_MS, resolve(host));
  } catch {
    return [];
  }
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('too late'));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
