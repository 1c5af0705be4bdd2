// Reads the headers of a request: its API key, the client's address, how long it waits, the service's origin, the trace.
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { Credential } from '../keys/authenticate.ts';

/** The scheme in any letter case, spaces, and a token (RFC 9110, 11.1; RFC 6750, 2.1). */
const BEARER = /^Bearer +(\S+)$/i;

/** The value of `X-API-KEY`, else that of `Authorization: Bearer`; of any other scheme undefined. Not checked. */
export function credentialOf(headers: IncomingHttpHeaders): Credential | undefined {
  const { 'x-api-key': apiKey, authorization } = headers;
  // Node joins repeated headers to one text; only Set-Cookie, which no request has, is a list.
  if (apiKey !== undefined) return { text: apiKey as string, isBearer: false };
  if (authorization === undefined) return undefined;
  // The usual spelling, without a search for spaces, which no key and no token has.
  const isUsual = authorization.startsWith('Bearer ') && authorization[7] !== ' ';
  const text = isUsual ? authorization.slice(7) : BEARER.exec(authorization)?.[1];
  return text === undefined ? undefined : { text, isBearer: true };
}

/**
 * The client for which look-ups are counted: an IPv4 address, or the /64 of an IPv6 address, which one client owns (RFC
 * 6177). `position` counts in `X-Forwarded-For` from the end: the client sends, and may invent, the earlier addresses.
 */
export function clientAddress(
  forwardedFor: string | undefined,
  socketAddress: string | undefined,
  position: number,
): string {
  const stated = forwardedFor?.split(',').at(-position) ?? '';
  return countedAddress(stated) ?? countedAddress(socketAddress ?? '') ?? 'unknown';
}

function countedAddress(text: string): string | undefined {
  const address = text.trim();
  if (isIPv4(address)) return address;
  // As RFC 5952 writes it: the longest run of zeros is left out.
  const url = isIPv6(address) ? URL.parse(`http://[${address}]`) : null;
  const [before, after] = (url?.hostname.slice(1, -1).split('::') ?? []).map(groupsOf);
  if (before === undefined) return undefined;
  const zeros = Array<string>(8 - before.length - (after?.length ?? 0)).fill('0');
  const groups = [...before, ...zeros, ...(after ?? [])].join(':');
  // An IPv4 address in this form, as a socket for both versions has it (RFC 4291, 2.5.5.2), is one client.
  if (groups.startsWith('0:0:0:0:0:ffff:')) return groups;
  return `${groups.split(':', 4).join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  return part.split(':').filter((group) => group !== '');
}

export interface Waiting {
  /** How long the request may wait for its rows; at least 1. */
  seconds: number;
  /** The value of `Preference-Applied`. */
  applied: string;
}

/** For `respond-async` without `wait`. */
const ASYNC_SECONDS = 5;

/** Undefined without a preference. The first of one name counts; unknown and malformed ones are ignored (RFC 7240). */
export function waitingOf(headers: IncomingHttpHeaders, secondsMax: number): Waiting | undefined {
  const { prefer } = headers;
  if (prefer === undefined) return undefined;
  const members = String(prefer).toLowerCase().split(',');
  const preferences = members.map((member) => member.split(';', 1).join('').trim());
  const isAsync = preferences.includes('respond-async');
  const first = preferences.find((member) => /^wait\b/.test(member)) ?? '';
  const wait = /^wait\s*=\s*(\d+)$/.exec(first)?.[1];
  if (!isAsync && wait === undefined) return undefined;
  const seconds = Math.min(secondsMax, Math.max(1, Number(wait ?? ASYNC_SECONDS)));
  const applied = [isAsync && 'respond-async', wait !== undefined && `wait=${seconds}`];
  return { seconds, applied: applied.filter(Boolean).join(', ') };
}

/** A name, an IPv4 address or an IPv6 address in brackets, each with or without a port. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Such as `https://queries.example.com`; undefined if the headers state none, or more than one. A client can invent all
 * three: the result is for it alone. `Vary` does not name them: a cache keeps an answer under its URL (RFC 9111, 2).
 */
export function requestOrigin(headers: IncomingHttpHeaders): string | undefined {
  // Without a proxy there is no TLS: the server itself speaks HTTP.
  const scheme = headers['x-forwarded-proto'] ?? 'http';
  const host = headers['x-forwarded-host'] ?? headers.host;
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  if (typeof host !== 'string' || !HOST.test(host)) return undefined;
  const address = `${scheme}://${host}`;
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

/** From `traceparent` (W3C Trace Context) or `X-Cloud-Trace-Context`; undefined without a well-formed one. */
export function traceOf(project: string, headers: IncomingHttpHeaders): string | undefined {
  const { traceparent, 'x-cloud-trace-context': cloudTraceContext } = headers;
  const id =
    /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(String(traceparent))?.[1] ??
    /^([0-9a-f]{32})(\/|;|$)/i.exec(String(cloudTraceContext))?.[1];
  return id === undefined ? undefined : `projects/${project}/traces/${id.toLowerCase()}`;
}
