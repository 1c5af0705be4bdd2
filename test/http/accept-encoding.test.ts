// Which clients get gzip (RFC 9110, 12.5.3).
import { acceptsGzip } from '../../functions/http/formats.ts';

it.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['GZIP', true],
  ['x-gzip', true],
  ['gzip, deflate, br', true],
  ['br,gzip', true],
  ['deflate, br', false],
  ['gzip;q=1.0', true],
  ['gzip;q=0.001', true],
  ['gzip; q=0.5, identity;q=1', true],
  ['gzip;q=0', false],
  ['gzip ; q=0', false],
  ['gzip;q=0.', false],
  ['gzip;q=0.0', false],
  ['gzip;q=0.000', false],
  ['*', true],
  ['*;q=0', false],
  ['*;q=0.1', true],
  ['gzip;q=0, *', false],
  ['*, gzip;q=0', false],
  ['*;q=0, gzip', true],
  ['gzipped', false],
  ['not-gzip', false],
])('%j accepts gzip: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
