// Tests of the check of BigQuery answers: which pass, and that what passes becomes valid JSON.
import { type ExpectedPage, checkPage } from '../../functions/bigquery/check-page.ts';
import { encodeRows } from '../support/bigquery/local-bigquery.ts';
import { wireRow as row } from '../support/fakes/fake-query-runner.ts';
import type { ColumnSchema } from '../../functions/core/query-runner.ts';
import { casesBeside } from '../support/cases.ts';
import { columns } from '../support/sql/columns.ts';

const cases = casesBeside(import.meta.filename);
const INVALID_ANSWER = expect.objectContaining({ code: 'INVALID_ANSWER' }) as Error;
const PAGE = {
  kind: 'bigquery#getQueryResultsResponse',
  jobReference: { projectId: 'p', jobId: 'job-1', location: 'US' },
  jobComplete: true,
  schema: { fields: columns('name STRING NULLABLE, n INTEGER, tags STRING REPEATED') },
  rows: [row('a', '1', []), row('b', null, [{ v: 'x' }])],
  totalRows: '2',
  totalBytesProcessed: '1024',
};

function check(answer: unknown, expected: Partial<ExpectedPage> = {}) {
  return checkPage(answer, {
    ...{ jobId: 'job-1', rowCountMax: 1000, rowCount: 0, totalRows: undefined },
    columns: columns('name STRING REQUIRED, n INT64 NULLABLE, tags STRING REPEATED'),
    ...expected,
  });
}

/** Checks a page with one value; `column` is that of the definition. */
const checkOne = (field: object, v: unknown, column: Partial<ColumnSchema> = field) =>
  check(
    { ...PAGE, schema: { fields: [{ name: 'x', ...field }] }, rows: [row(v)], totalRows: '1' },
    { columns: [{ name: 'x', type: '', ...column }] },
  );

describe('a page', () => {
  it('that matches the query is accepted', () => {
    const counts = { totalRows: 2, bytesProcessed: 1024 };
    expect(check(PAGE)).toMatchObject({ rows: PAGE.rows, ...counts, pageToken: undefined });
  });

  it("without rows, in BigQuery's form of an empty result, is accepted", () => {
    expect(check({ ...PAGE, rows: undefined, totalRows: '0' })).toMatchObject({ rows: [] });
  });

  it('of an unfinished job is undefined', () => {
    const { jobReference } = PAGE;
    expect(check({ jobReference, jobComplete: false })).toBeUndefined();
  });

  it('that is not the last has a page token, and the last page never exceeds the wanted rows', () => {
    const page = { ...PAGE, totalRows: '3', pageToken: 'next' };
    expect(check(page)).toMatchObject({ pageToken: 'next' });
    expect(check(page, { rowCountMax: 2 })).toMatchObject({ pageToken: undefined, totalRows: 3 });
    const last = { ...PAGE, rows: [row('c', '3', [])], totalRows: '3' };
    expect(check(last, { rowCount: 2, totalRows: 3 })).toMatchObject({ pageToken: undefined });
  });

  it.each([
    ['INTEGER', 'INT64', '1'],
    ['FLOAT', 'FLOAT64', '1.5'],
    ['BOOLEAN', 'BOOL', 'true'],
    ['DECIMAL', 'NUMERIC', '1.5'],
    ['BIGDECIMAL', 'BIGNUMERIC', '1.5'],
  ])('with a column of type %s is read as type %s', (alias, type, v) => {
    for (const name of [alias, type]) {
      expect(checkOne({ type: name }, v, { type })).toMatchObject({
        schema: [{ name: 'x', type }],
      });
    }
  });
});

it.each<[string, unknown]>([
  ['null', null],
  ['an empty object', {}],
  ['no jobReference', { ...PAGE, jobReference: undefined }],
  ['the jobReference of another job', { ...PAGE, jobReference: { jobId: 'job-2' } }],
])(
  'an answer that does not describe the job is invalid, so the call is retried: %s',
  (_, answer) => {
    expect(() => check(answer)).toThrow(INVALID_ANSWER);
  },
);

it.each(cases<[string, object, string, Partial<ExpectedPage>?]>('invalid pages'))(
  'an invalid page is rejected with a reason that quotes no value: %s',
  (_, patch, message, expected = {}) => {
    const answer = { ...PAGE, ...patch };
    const use = (): unknown => check(answer, expected);
    expect(use).toThrow(message);
    expect(use).toThrow(/^The result of BigQuery does not fit: /);
    expect(use).not.toThrow(/SECRET/);
    expect(use).not.toThrow(INVALID_ANSWER);
  },
);

describe('a value that is null', () => {
  it('is refused in a field that BigQuery itself calls REQUIRED, and in records of lists', () => {
    const fields = columns('id INT64, flag BOOL REQUIRED');
    const inRecord = (mode: string, v: unknown): unknown =>
      checkOne({ type: 'RECORD', mode, fields }, v, { type: 'RECORD', mode });
    expect(() => inRecord('NULLABLE', row('1', null))).toThrow(/row 1, x, flag is null/);
    expect(() => inRecord('REPEATED', [{ v: row('1', null) }])).toThrow(/row 1, x, flag is null/);
    expect(() => inRecord('REQUIRED', null)).toThrow(/row 1, x is null/);
    expect(inRecord('NULLABLE', null)).toMatchObject({ totalRows: 1 });
    expect(inRecord('REPEATED', null)).toMatchObject({ totalRows: 1 });
    expect(inRecord('REQUIRED', row(null, 'true'))).toMatchObject({ totalRows: 1 });
  });

  it('is refused whatever mode the answer states for a column that the definition calls REQUIRED', () => {
    const column = { type: 'INT64', mode: 'REQUIRED' };
    for (const mode of ['NULLABLE', 'REQUIRED', undefined]) {
      const field = { type: 'INT64', mode };
      expect(() => checkOne(field, null, column)).toThrow('row 1, x is null, but its mode');
      expect(checkOne(field, '1', column)).toMatchObject({ totalRows: 1 });
    }
  });

  it('is JSON, not NULL, in a REQUIRED column of type JSON', () => {
    const field = { type: 'JSON', mode: 'REQUIRED' };
    const { schema = [], rows = [] } = checkOne(field, 'null') ?? {};
    expect(encodeRows(schema, rows)).toBe('{"result":[{"x":null}]}');
    expect(() => checkOne(field, null)).toThrow('row 1, x is null');
  });
});

it.each(cases<[string, string[]]>('values'))(
  'a value of type %s may be %j or null, which become valid JSON',
  (type, values) => {
    for (const value of [...values, null]) {
      const { schema = [], rows = [] } = checkOne({ type, mode: 'NULLABLE' }, value) ?? {};
      expect(JSON.parse(encodeRows(schema, rows))).toEqual({ result: [expect.anything()] });
    }
  },
);

it('a value in a list has its type, and the list may be null or empty', () => {
  for (const value of [[], null, [{ v: '1' }]]) {
    expect(() => checkOne({ type: 'INT64', mode: 'REPEATED' }, value)).not.toThrow();
  }
});

describe('a record', () => {
  const [nested = {}] = columns('x RECORD NULLABLE (a INTEGER, b STRUCT REPEATED (c DATE))');
  const withRecord = (v: unknown, field: object = nested): unknown =>
    checkOne(field, v, { type: 'RECORD' });

  it('has the fields of the schema, at every level', () => {
    expect(withRecord(row('1', [{ v: row('2026-11-20') }]))).toBeDefined();
    expect(withRecord(row(null, []))).toBeDefined();
    expect(withRecord(null)).toBeDefined();
  });

  it('has canonical type names, at every level', () => {
    expect(withRecord(null, { ...nested, type: 'STRUCT' })).toMatchObject({
      schema: columns('x RECORD NULLABLE (a INT64, b RECORD REPEATED (c DATE))'),
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['a value less', row('1'), /row 1, x does not have 2 values/],
    ['a value less within a list', row('1', [{ v: row() }]), /x, b does not have 1 values/],
  ])('with %s is rejected', (_, v, message) => {
    expect(() => withRecord(v)).toThrow(message);
  });

  it('without fields is rejected', () => {
    expect(() => withRecord(row(), { type: 'RECORD' })).toThrow(/schema of x has no fi/);
  });
});
