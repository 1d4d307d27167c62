/**
 * The log's name, as every checkpoint says it: the public base URL without its scheme, and `/log`
 * (c2sp.org/tlog-checkpoint section "Note text"). Another address is another log.
 */
export function originOf(publicBaseUrl: string): string {
  return `${publicBaseUrl.replace(/^https?:\/\//, '')}/log`;
}
