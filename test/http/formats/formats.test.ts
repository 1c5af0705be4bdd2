// Tests of content negotiation (RFC 9110, 12.5): which format of the rows a client gets, and whether it gets gzip.
import { ROW_FORMATS } from '../../../functions/endpoints/requested-format.ts';
import { acceptedFormat, acceptsGzip } from '../../../functions/http/formats.ts';

describe('Accept', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/*', 'json'],
    ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 'json'],
    ['TEXT/CSV', 'csv'],
    ['text/*', 'csv'],
    ['*/*, text/csv', 'csv'],
    ['text/csv, application/json', 'csv'],
    ['application/json, text/csv', 'json'],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['application/json;q=0.5, text/csv;q=0.4', 'json'],
    ['*/*, application/json;q=0', 'csv'],
    ['application/json;q=0, text/csv;q=0.0, */*;q=0.1', 'ndjson'],
    ['text/csv ; q=0.3 , application/*;q=0.2', 'csv'],
    ['text/csv;q=high, application/json;q=0.9', 'csv'],
    ['*/*;q=0', undefined],
    ['text/csvx, application/jsonp', undefined],
  ])('%j gets %s', (accept, format) => {
    const negotiate = () => acceptedFormat(accept, ROW_FORMATS);
    if (format === undefined) expect(negotiate).toThrow('Rows are served as one of');
    else expect(negotiate()).toBe(format);
  });

  it('selects only formats that are offered', () => {
    expect(() => acceptedFormat('text/csv', ['json'])).toThrow('served as application/json only');
    expect(acceptedFormat('text/csv, application/*;q=0.1', ['json'])).toBe('json');
  });
});

it.each([
  [undefined, false],
  ['', false],
  ['GZIP', true],
  ['x-gzip', true],
  ['gzip, deflate, br', true],
  ['br,gzip', true],
  ['deflate, br', false],
  ['gzip; q=0.5, identity;q=1', true],
  ['gzip;q=0.001', true],
  ['gzip ; q=0', false],
  ['gzip;q=0.', false],
  ['gzip;q=0.000', false],
  ['*', true],
  ['*;q=0', false],
  ['*, gzip;q=0', false],
  ['*;q=0, gzip', true],
  ['gzipped', false],
  ['not-gzip', false],
])('Accept-Encoding %j accepts gzip: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
