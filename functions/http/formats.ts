// The media types of the formats, and content negotiation by Accept and Accept-Encoding.
import { ServiceError } from '../core/errors.ts';
import type { Format } from '../endpoints/requested-format.ts';

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

/** The offered format that the client prefers. Throws NOT_ACCEPTABLE if it accepts none. Parameters of a range other than q are ignored. */
export function acceptedFormat(accept: string | undefined, offered: readonly Format[]): Format {
  // The values that nearly all clients send are compared first: parsing would slow down a hit.
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json';
  const ranges = parseRanges(accept);
  if (ranges.length === 0) return 'json';
  const accepted = offered.flatMap((format) => {
    const range = mostPreciseMatch(ranges, FORMATS[format].mediaType);
    return range !== undefined && range.weight > 0 ? [{ ...range, format }] : [];
  });
  accepted.sort(
    (a, b) => b.weight - a.weight || b.precision - a.precision || a.position - b.position,
  );
  if (accepted[0] !== undefined) return accepted[0].format;
  const types = offered.map((refused) => FORMATS[refused].mediaType).join(', ');
  const served =
    offered.length === 1 ? `This is served as ${types} only` : `Rows are served as one of ${types}`;
  throw new ServiceError('NOT_ACCEPTABLE', `${served}: see the header Accept.`);
}

function itemsOf(header: string): string[][] {
  const items = header.toLowerCase().split(',');
  return items.map((item) => item.split(';').map((part) => part.trim()));
}

function parseRanges(accept: string) {
  return itemsOf(accept)
    .map(([name = '', ...parameters], position) => {
      const weights = parameters.map((text) => /^q=([01](?:\.\d{0,3})?)$/.exec(text)?.[1]);
      const weight = Number(weights.find((text) => text !== undefined) ?? 1);
      // 2 for a media type, 1 for `type/*`, 0 for every type.
      const precision = name === '*/*' ? 0 : name.endsWith('/*') ? 1 : 2;
      return { name, weight: Math.min(weight, 1), precision, position };
    })
    .filter(({ name }) => name.includes('/'));
}

function mostPreciseMatch(ranges: ReturnType<typeof parseRanges>, mediaType: string) {
  const group = `${mediaType.slice(0, mediaType.indexOf('/'))}/*`;
  return ranges
    .filter(({ name }) => name === mediaType || name === group || name === '*/*')
    .sort((a, b) => b.precision - a.precision)[0];
}

/** Whether a client takes gzip (RFC 9110, 12.5.3): named or by `*`, and not with q=0. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  // The values that nearly all clients send are compared first: parsing would slow down a hit.
  if (acceptEncoding === 'gzip' || acceptEncoding.startsWith('gzip,')) return true;
  let wildcard = false;
  for (const [coding, ...parameters] of itemsOf(acceptEncoding)) {
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return !isRefused;
    if (coding === '*') wildcard = !isRefused;
  }
  return wildcard;
}
