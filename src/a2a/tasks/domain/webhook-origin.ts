/** Scheme, host and port of a webhook: what is slow or broken together. */
export function originOf(url: string): string {
  return /^([a-z]+:\/\/[^/?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? '';
}
