import { Resolver } from 'node:dns/promises';

const LOCALHOST = /^(?:.+\.)?localhost$/;
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/**
 * The addresses of a host by the name servers alone. Not by `lookup`, which occupies a thread of the
 * pool that also verifies tokens: slow names of strangers would keep everybody waiting. `localhost`
 * is this machine (RFC 6761 section 6.3).
 */
export async function resolveHost(hostname: string): Promise<readonly string[]> {
  if (LOCALHOST.test(hostname)) return ['127.0.0.1', '::1'];
  const found = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  return found.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
}
