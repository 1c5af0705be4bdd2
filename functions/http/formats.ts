// The media types of the formats, and content negotiation by Accept and Accept-Encoding.
import Negotiator from 'negotiator';
import { ServiceError } from '../core/errors.ts';
import type { Format } from '../endpoints/parameters.ts';

export const FORMATS: Readonly<Record<Format, ReturnType<typeof describe>>> = {
  json: describe('application/json', 'charset=utf-8', ''),
  csv: describe('text/csv', 'charset=utf-8; header=present', '-csv'),
  'csv-bom': describe('text/csv', 'charset=utf-8; header=present', '-csv-bom'),
  ndjson: describe('application/x-ndjson', 'charset=utf-8', '-ndjson'),
};

/** Each format of the same rows has its own ETag (RFC 9110, 8.8.3.3). */
function describe(mediaType: string, parameters: string, etagSuffix: string) {
  return { mediaType, contentType: `${mediaType}; ${parameters}`, etagSuffix };
}

/** The offered format that the client prefers. Throws NOT_ACCEPTABLE if it accepts none. */
export function acceptedFormat(accept: string | undefined, offered: readonly Format[]): Format {
  // The values that nearly all clients send are compared first: parsing would slow down a hit.
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json';
  // Parameters of a range other than q, such as `charset`, are ignored.
  const ranges = accept.replaceAll(/;(?!\s*q\s*=)[^;,]*/gi, '');
  if (!ranges.includes('/')) return 'json';
  const mediaTypes = offered.map((format) => FORMATS[format].mediaType);
  const [preferred] = new Negotiator({ headers: { accept: ranges } }).mediaTypes(mediaTypes);
  const format = offered.find((one) => FORMATS[one].mediaType === preferred);
  if (format !== undefined) return format;
  const types = mediaTypes.join(', ');
  const served =
    offered.length === 1 ? `This is served as ${types} only` : `Rows are served as one of ${types}`;
  throw new ServiceError('NOT_ACCEPTABLE', `${served}: see the header Accept.`);
}

/** Whether a client takes gzip (RFC 9110, 12.5.3): named or by `*`, and not with q=0. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  // The values that nearly all clients send are compared first: parsing would slow down a hit.
  if (acceptEncoding === 'gzip' || acceptEncoding.startsWith('gzip,')) return true;
  const headers = { 'accept-encoding': acceptEncoding };
  return new Negotiator({ headers }).encodings(['gzip']).length > 0;
}
