// Tests of content negotiation (RFC 9110, 12.5): which format of the rows a client gets, and whether it gets gzip.
import { ROW_FORMATS } from '../../../functions/endpoints/parameters.ts';
import { acceptedFormat, acceptsGzip } from '../../../functions/http/formats.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

describe('Accept', () => {
  it.each(cases<[null | string, string | null]>('accept'))('%j gets %s', (accept, format) => {
    const negotiate = () => acceptedFormat(accept ?? undefined, ROW_FORMATS);
    if (format === null) expect(negotiate).toThrow('Rows are served as one of');
    else expect(negotiate()).toBe(format);
  });

  it('selects only formats that are offered', () => {
    expect(() => acceptedFormat('text/csv', ['json'])).toThrow('served as application/json only');
    expect(acceptedFormat('text/csv, application/*;q=0.1', ['json'])).toBe('json');
  });
});

it.each(cases<[null | string, boolean]>('encoding'))(
  'Accept-Encoding %j accepts gzip: %s',
  (header, expected) => {
    expect(acceptsGzip(header ?? undefined)).toBe(expected);
  },
);
