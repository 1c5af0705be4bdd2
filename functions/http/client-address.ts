// Reads the client's address from `X-Forwarded-For` or the connection, to count look-ups of unknown keys by it.

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
  return parseIpv4(host)?.join('.') ?? countedIpv6(host);
}

/** `1.2.3.4:80` and `[2001:db8::1]:80` are addresses too; an IPv6 address has more colons. */
function withoutPort(host: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(host)?.[1] ?? /^([^:]*):\d+$/.exec(host)?.[1] ?? host;
}

function countedIpv6(host: string): string | undefined {
  const groups = parseIpv6(host);
  if (groups === undefined) return undefined;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  }
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** The four bytes of an IPv4 address, or undefined. */
function parseIpv4(host: string): number[] | undefined {
  const parts = host.split('.');
  const isAddress =
    parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return isAddress ? parts.map(Number) : undefined;
}

/** The eight groups of an IPv6 address (RFC 4291, 2.2), or undefined. */
function parseIpv6(host: string): number[] | undefined {
  const halves = withoutDottedQuad(host).split('::').map(parseGroups);
  const [before, after] = halves;
  if (before === undefined || halves.length > 2) return undefined;
  if (halves.length === 1) return before.length === 8 ? before : undefined;
  if (after === undefined || before.length + after.length > 7) return undefined;
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after];
}

/** The last two groups may be written as an IPv4 address. */
function withoutDottedQuad(host: string): string {
  const quad = host.slice(host.lastIndexOf(':') + 1);
  const bytes = parseIpv4(quad);
  if (bytes === undefined) return host;
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const groups = [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16));
  return host.slice(0, -quad.length) + groups.join(':');
}

function parseGroups(text: string): number[] | undefined {
  const groups = text === '' ? [] : text.split(':');
  const isHexadecimal = groups.every((group) => /^[\da-f]{1,4}$/i.test(group));
  return isHexadecimal ? groups.map((group) => Number.parseInt(group, 16)) : undefined;
}
