// Tests of content negotiation (RFC 9110, 12.5.1): which format of the rows a client gets.
import { ROW_FORMATS } from '../../../functions/endpoints/requested-format.ts';
import { negotiate } from '../../../functions/http/formats.ts';

describe('Accept', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['application/*', 'json'],
    ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV', 'csv'],
    ['text/csv; header=present', 'csv'],
    ['text/*', 'csv'],
    ['text/csv, */*', 'csv'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['text/csv, application/json', 'csv'],
    ['application/json, text/csv', 'json'],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['application/json;q=0.5, text/csv;q=0.4', 'json'],
    ['text/csv;q=0.5, application/x-ndjson;q=0.9', 'ndjson'],
    ['application/x-ndjson', 'ndjson'],
    ['application/json;q=0, */*', 'csv'],
    ['application/json;q=0, text/csv;q=0.0, */*;q=0.1', 'ndjson'],
    ['text/csv ; q=0.3 , application/*;q=0.2', 'csv'],
    ['text/csv;q=high, application/json;q=0.9', 'csv'],
    ['*/*;q=0', undefined],
    ['application/json;q=0', undefined],
    ['text/html', undefined],
    ['application/xml, text/plain', undefined],
    ['text/csvx, application/jsonp', undefined],
  ])('%j gets %s', (accept, format) => {
    expect(negotiate(accept, ROW_FORMATS)).toBe(format);
  });

  it('selects only formats that are offered', () => {
    expect(negotiate('text/csv', ['json'])).toBeUndefined();
    expect(negotiate('text/csv, application/*;q=0.1', ['json'])).toBe('json');
  });
});
