// Hostile and malformed requests, each with its expected error.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Reason } from '../../functions/core/errors.ts';
import { withChecksum } from '../../functions/keys/checksum.ts';
import { type RawRequest, ENDPOINTS } from './requests.ts';

export interface HostileRequest extends RawRequest {
  name: string;
  /** The expected status and reason. */
  answer: [number, Reason];
}

/** A body that the service ignores: the answer is the same as without it. */
export type HostileBody = Pick<RawRequest, 'headers' | 'body'> & { name: string };

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Called once, because compressing takes long. */
export function createHostileBodies(): HostileBody[] {
  const gzip = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
  return [
    { name: '1 MB', body: Buffer.alloc(MIB, 'x') },
    { name: '128 MB of zeros as gzip', headers: gzip, body: gzipSync(Buffer.alloc(128 * MIB)) },
    { name: '20 MB of JSON as gzip', headers: gzip, body: gzipSync(`[${'0,'.repeat(10 * MIB)}0]`) },
    { name: 'chunks', body: Array.from({ length: 8 }, () => Buffer.alloc(65_536, 'x')) },
    { name: 'malformed JSON', headers: JSON_TYPE, body: Buffer.from('{"malformed\n{"event":"x"}') },
    { name: 'gzip that is none', headers: gzip, body: Buffer.from('{}') },
  ];
}

/** Requests that are refused. `apiKey` opens everything, `restrictedKey` only the project `p1`. */
export function hostileRequests(
  bodies: readonly HostileBody[],
  apiKey: string,
  restrictedKey: string,
  random: () => number,
): HostileRequest[] {
  const key = { 'X-API-KEY': apiKey };
  const counts = (pattern: string): string =>
    `${ENDPOINTS}web.visit-counts?interval=daily&project=${encodeURIComponent(pattern)}`;
  // A new pattern each time, because the service remembers refusals.
  const pattern = `(?i)[${'Ā-ꟿ'.repeat(80)}]${Math.floor(random() * 1e9)}`;
  return [
    ...bodies.map((body): HostileRequest => ({
      ...body,
      name: `POST with ${body.name}`,
      method: 'POST',
      target: `${ENDPOINTS}web.visit-counts`,
      answer: [405, 'METHOD_NOT_ALLOWED'],
    })),
    {
      name: 'address that is no UTF-8',
      target: '/%ff',
      answer: [404, 'PATH_NOT_FOUND'],
    },
    {
      name: 'endpoint that is no UTF-8',
      target: `${ENDPOINTS}%E0%A4%A`,
      headers: key,
      answer: [404, 'ENDPOINT_NOT_FOUND'],
    },
    {
      name: 'query string that is no UTF-8',
      target: `${ENDPOINTS}web.visit-counts?project=%ff`,
      headers: key,
      answer: [400, 'MALFORMED_QUERY_STRING'],
    },
    {
      name: 'expensive pattern',
      target: counts(pattern),
      headers: key,
      answer: [400, 'INVALID_PARAMETERS'],
    },
    {
      name: 'expensive pattern of a restricted key',
      target: counts(pattern),
      headers: { 'X-API-KEY': restrictedKey },
      answer: [403, 'PARAMETER_NOT_ALLOWED'],
    },
  ];
}

/** An unknown key, in a form that the service has to look up. */
export function madeUpKey(random: () => number): string {
  const key = `sqk_${randomBytes(32).toString('base64url')}`;
  return random() < 0.5 ? key : withChecksum(key);
}
