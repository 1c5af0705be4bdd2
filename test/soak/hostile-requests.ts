// Requests of callers who mean harm, or do not know better, each with the one right answer.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Reason } from '../../functions/core/errors.ts';
import { withChecksum } from '../../functions/keys/checksum.ts';
import { type RawRequest, ENDPOINTS } from './requests.ts';

export interface HostileRequest extends RawRequest {
  name: string;
  /** Status and reason. */
  answer: [number, Reason];
}

/** Bodies that mean nothing to the service, beside a request that is answered as it is without. */
export type HostileBody = Pick<RawRequest, 'headers' | 'body'> & { name: string };

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Made once: to compress them takes longer than all requests with them. */
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

/** Some that are refused, all of the given keys: one for everything, one for the project `p1` alone. */
export function hostileRequests(
  bodies: readonly HostileBody[],
  apiKey: string,
  restrictedKey: string,
  random: () => number,
): HostileRequest[] {
  const key = { 'X-API-KEY': apiKey };
  const counts = (pattern: string): string =>
    `${ENDPOINTS}web.visit-counts?interval=daily&project=${encodeURIComponent(pattern)}`;
  // Another one each time: refusals are remembered.
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

/** A key that nobody has, of a shape that has to be looked up. */
export function madeUpKey(random: () => number): string {
  const key = `sqk_${randomBytes(32).toString('base64url')}`;
  return random() < 0.5 ? key : withChecksum(key);
}
