// Hostile and malformed requests, each with its expected error.
import { gzipSync } from 'node:zlib';
import type { Reason } from '../../functions/core/errors.ts';
import { type RawRequest, ENDPOINTS } from './requests.ts';

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
