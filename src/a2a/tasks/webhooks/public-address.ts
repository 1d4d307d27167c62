import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where all global unicast addresses of version 6 are (RFC 4291 section 2.4). */
const GLOBAL_UNICAST_6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for an address that only the public internet has: no loopback, private, link-local, shared
 * (RFC 6598), documentation, multicast, reserved or unspecified one, and none of version 6 in which
 * one of version 4 is embedded (mapped, 6to4, Teredo, NAT64), which might be any of those.
 */
export function isPublicAddress(address: string): boolean {
  // The parser takes more spellings than the resolver gives.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST_6) : true;
}

/** 127.0.0.0/8 and ::1. */
export function isLoopbackAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  return ipaddr.parse(address).range() === 'loopback';
}
