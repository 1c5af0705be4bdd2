// Reads the client's address from `X-Forwarded-For` or the connection, to count look-ups of unknown keys by it.
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The client for which look-ups are counted: an IPv4 address, or the /64 of an IPv6 address, which one
 * client owns (RFC 6177). An IPv4-mapped address counts as IPv4. `position` counts the addresses of
 * `X-Forwarded-For` from the end, because the client itself sends, and may invent, the earlier ones. If
 * there is no address at that position, the address of the socket is used.
 */
export function clientAddress(
  forwardedFor: string | undefined,
  socketAddress: string | undefined,
  position: number,
): string {
  const stated = forwardedFor?.split(',').at(-position);
  return countedAddress(stated ?? '') ?? countedAddress(socketAddress ?? '') ?? 'unknown';
}

function countedAddress(text: string): string | undefined {
  const host = withoutPort(text.trim()).replace(/%.*$/s, '');
  if (isIPv4(host)) return host;
  return isIPv6(host) ? countedIpv6(host) : undefined;
}

/** `1.2.3.4:80` and `[2001:db8::1]:80` are addresses too; an IPv6 address has more colons. */
function withoutPort(host: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(host)?.[1] ?? /^([^:]*):\d+$/.exec(host)?.[1] ?? host;
}

function countedIpv6(host: string): string {
  // As RFC 5952 writes it, but with two groups in place of an IPv4 address at the end.
  const { hostname } = new URL(`http://[${host}]`);
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  const groups = [...before, ...zeros, ...after];
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff')
    return `${groups.slice(0, 4).join(':')}::/64`;
  const bytes = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return bytes.flatMap((pair) => [pair >> 8, pair & 0xff]).join('.');
}
