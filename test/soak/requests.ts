// The requests of the soak tests: sent with fetch, or as raw bytes for what fetch cannot send, and the hostile ones with their errors.
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Reason } from '../../functions/core/errors.ts';
import { exchange } from '../support/service/raw-http.ts';
import { ANSWER_MS_MAX, PAUSE_MS } from './settings.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  sentMs: number;
  gotMs: number;
}

export interface Request {
  /** Path and query string. */
  target: string;
  headers?: Record<string, string>;
}

/** A request with any method and body, on its own connection. */
export interface RawRequest extends Request {
  method?: string;
  body?: Uint8Array;
}

export const ENDPOINTS = '/api/endpoints/query/';
/** Includes the pause of an instance. */
const WAIT_MS_MAX = ANSWER_MS_MAX + PAUSE_MS;

/** Rejects if there is no answer in time. */
export async function ask(url: string, { target, headers = {} }: Request): Promise<Answer> {
  const sentMs = Date.now();
  const response = await fetch(`${url}${target}`, {
    headers,
    signal: AbortSignal.timeout(WAIT_MS_MAX),
  });
  const body = await response.text();
  return { status: response.status, headers: response.headers, body, sentMs, gotMs: Date.now() };
}

/** Sends raw bytes; rejects as `ask`. */
export async function askRaw(port: number, request: RawRequest): Promise<Answer> {
  const { method = 'GET', target, headers = {}, body = Buffer.of() } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (headers['Transfer-Encoding'] === undefined) lines.push(`Content-Length: ${body.length}`);
  const sentMs = Date.now();
  const tooLate = delay(WAIT_MS_MAX, undefined, { ref: false }).then(() => {
    throw new Error('no answer in time');
  });
  const exchanged = exchange(port, { method, target, headers: lines, body });
  const answer = await Promise.race([exchanged, tooLate]);
  return { ...answer, headers: new Headers(answer.headers), sentMs, gotMs: Date.now() };
}

export function reasonOf({ body }: Answer): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error: { details: { reason: string }[] } };
    return error.details[0]?.reason;
  } catch {
    return undefined;
  }
}

/** A hostile or malformed request, with its expected error. */
export interface HostileRequest extends RawRequest {
  name: string;
  /** The expected status and reason. */
  answer: [number, Reason];
}

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNK = `10000\r\n${'x'.repeat(0x10000)}\r\n`;

/** Bodies that the service ignores: the answer is the same as without them. Called once: compressing takes long. */
export function createHostileBodies(): (Omit<RawRequest, 'target'> & { name: string })[] {
  const gzip = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
  const chunked = { 'Transfer-Encoding': 'chunked' };
  return [
    { name: '1 MB', body: Buffer.alloc(MIB, 'x') },
    { name: '128 MB of zeros as gzip', headers: gzip, body: gzipSync(Buffer.alloc(128 * MIB)) },
    { name: 'chunks', headers: chunked, body: Buffer.from(`${CHUNK.repeat(8)}0\r\n\r\n`) },
    { name: 'malformed JSON', headers: JSON_TYPE, body: Buffer.from('{"malformed\n{"event":"x"}') },
    { name: 'gzip that is none', headers: gzip, body: Buffer.from('{}') },
  ];
}

/** Requests that are refused. `apiKey` opens everything. */
export function hostileRequests(
  bodies: ReturnType<typeof createHostileBodies>,
  apiKey: string,
  random: () => number,
): HostileRequest[] {
  const any = (count: number): number => Math.floor(random() * count);
  const counts = `${ENDPOINTS}web.visit-counts`;
  // A new pattern each time, because the service remembers refusals.
  const pattern = encodeURIComponent(`(?i)[${'Ā-ꟿ'.repeat(80)}]${any(1e9)}`);
  const withKey: [string, string, HostileRequest['answer']][] = [
    ['no endpoint', `${ENDPOINTS}no.such?project=a`, [404, 'ENDPOINT_NOT_FOUND']],
    ['endpoint that is no UTF-8', `${ENDPOINTS}%E0%A4%A`, [404, 'ENDPOINT_NOT_FOUND']],
    ['query string that is no UTF-8', `${counts}?project=%ff`, [400, 'MALFORMED_QUERY_STRING']],
    ...[
      `${counts}?project=a&interval=yearly`,
      `${counts}?project=(&interval=daily`,
      `${counts}?project=${pattern}&interval=daily`,
      `${ENDPOINTS}tasks.run-stats?interval=1hr`,
      `${ENDPOINTS}tasks.run-stats?project=a&project=b`,
    ].map((target): (typeof withKey)[number] => {
      return ['invalid parameters', target, [400, 'INVALID_PARAMETERS']];
    }),
  ];
  return [
    ...bodies.map((body): HostileRequest => ({
      ...body,
      name: `POST with ${body.name}`,
      method: 'POST',
      target: counts,
      answer: [405, 'METHOD_NOT_ALLOWED'],
    })),
    { name: 'address that is no UTF-8', target: '/%ff', answer: [404, 'PATH_NOT_FOUND'] },
    {
      name: 'unknown key',
      target: `${counts}?project=a&interval=daily`,
      // Each is looked up, and one address has few look-ups. Addresses before the last one come from the client.
      headers: {
        'X-API-KEY': `sqk_made-up-${any(random() < 0.5 ? 3 : 1e9)}`,
        'X-Forwarded-For': `198.51.100.7, 203.0.113.${any(256)}`,
      },
      answer: [401, 'API_KEY_INVALID'],
    },
    ...withKey.map(([name, target, answer]): HostileRequest => {
      return { name, target, headers: { 'X-API-KEY': apiKey }, answer };
    }),
  ];
}
