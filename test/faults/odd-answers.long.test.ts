// Tests of invalid answers of BigQuery to every call of a query: each gives the right error, and none ends the process
// or is cached. Warming has the same query runner: warm.test.ts has what it does with errors.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ColumnSchema, QueryRunner, WireRow } from '../../functions/core/query-runner.ts';
import {
  type BigQueryCall,
  type BigQueryFault,
  type BigQueryProxy,
  type ResultsAnswer,
  startBigQueryProxy,
} from '../support/bigquery/bigquery-proxy.ts';
import { startBigQueryStub } from '../support/bigquery/bigquery-stub-process.ts';
import { ControlledClock } from '../support/fakes/controlled-clock.ts';
import { listen } from '../support/service/listen.ts';
import { createLocalQueryRunner } from '../support/bigquery/local-query-runner.ts';
import { createQueryServer } from '../support/bigquery/query-server.ts';

const NOW = '2026-11-20T10:00:00Z';

/** Pauses between retries are hardly any; deadlines are so long that none is met here. */
class FastClock extends ControlledClock {
  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    return super.wait(ms < 5000 ? ms / 200 : ms, signal);
  }
}

/** The first page comes with the answer to jobs.query, or after the insert of a job. */
type Place = 'query' | 'insert' | 'first page' | 'later page' | 'cancel';
const NO_ANSWER = 'QUERY_ENGINE_UNAVAILABLE';
const CODES: Record<string, number> = {
  QUERY_ENGINE_UNAVAILABLE: 503,
  QUERY_QUOTA_EXHAUSTED: 429,
  RESULT_BYTES_LIMIT: 400,
  INTERNAL: 500,
};

let strayCount = 0;
/** The address of a server that nobody may ask. */
const elsewhere = await listen(
  createServer((_, res) => {
    strayCount += 1;
    res.end('{}');
  }),
);

const answer = (body: string | Buffer, headers = {}, status = 200): BigQueryFault => ({
  answer: { body, headers, status },
});
const redirect = (status: number): BigQueryFault =>
  answer('', { location: `${elsewhere}/bigquery/v2` }, status);
const HTML = '<!doctype html><title>Sign in</title>';
const html = { 'content-type': 'text/html' };
const edit = (
  change: (answered: ResultsAnswer) => object,
  headers: Record<string, string> = {},
): BigQueryFault => ({ edit: change, headers });
const asItIs = (headers: Record<string, string>): BigQueryFault => edit((page) => page, headers);
/** BigQuery's answer with other fields. */
const pageWith = (others: object): BigQueryFault =>
  edit((answered) => ({ ...answered, ...others }));
/** BigQuery's answer with another first row, or another first column. */
const firstRow = (change: (row: WireRow) => unknown): BigQueryFault =>
  edit((page) => ({ ...page, rows: page.rows.map((row, at) => (at === 0 ? change(row) : row)) }));
const fields = (change: (all: ColumnSchema[]) => unknown[]): BigQueryFault =>
  edit((page) => ({ ...page, schema: { fields: change(page.schema.fields) } }));
/** The last column, `count`, of the first row. */
const lastValue = (v: unknown): BigQueryFault =>
  firstRow((row) => ({ f: [...row.f.slice(0, -1), { v }] }));
const bigQueryError = (error: unknown, status: number): BigQueryFault =>
  answer(JSON.stringify({ error }), {}, status);

/** As the answer to jobs.query, they are of a query without a job. */
const WITHOUT_JOB: [string, BigQueryFault][] = [
  ['no jobReference', pageWith({ jobReference: undefined })],
  ['a jobReference of null', pageWith({ jobReference: null })],
];

/** Each is given in place of every call of its kind. At each place but the cancel it has its reason, or NO_ANSWER. */
const EVERYWHERE: [string, BigQueryFault, reason?: string][] = [
  ['a cut connection', 'cut'],
  ['HTML', answer(HTML, html)],
  ['HTML that says it is JSON', answer(HTML)],
  ['HTML with 404', answer(HTML, html, 404)],
  ['HTML with 403', answer(HTML, html, 403)],
  ['HTML with 502', answer(HTML, html, 502)],
  ['HTML with 429', answer(HTML, html, 429), 'QUERY_QUOTA_EXHAUSTED'],
  ['null', answer('null')],
  ['an empty object', answer('{}')],
  ['a list', answer('[]')],
  ['a list of good answers', edit((page) => [page])],
  ['a text', answer('"jobComplete"')],
  ['nothing', answer('')],
  ['nothing with 204', answer('', {}, 204)],
  ['nothing with 304', answer('', {}, 304)],
  ['nothing with 404', answer('', {}, 404)],
  ['white space', answer(' \n ')],
  ['the start of an object', answer('{"jobReference":{"jobId":')],
  ['half of an answer', 'cut-half'],
  ['an answer that is cut off after it has come', 'cut-after'],
  [
    'fewer bytes than are announced',
    answer('{}', { 'content-length': '2', connection: 'close', 'transfer-encoding': '' }),
  ],
  ['headers without end', 'endless-headers'],
  ['a redirect with 302', redirect(302)],
  ['a redirect with 308', redirect(308)],
  ['a redirect to nowhere', answer('', { location: 'http://[' }, 302)],
  ['a good answer as text/plain', asItIs({ 'content-type': 'text/plain' })],
  ['a good answer as text/html', asItIs(html)],
  ['a good answer of no type', asItIs({ 'content-type': '' })],
  ['a good answer in Latin 1', asItIs({ 'content-type': 'application/json; charset=latin1' })],
  ['a good answer in no charset', asItIs({ 'content-type': 'application/json; charset=no' })],
  ['invalid UTF-8', answer(Buffer.from([0x22, 0xff, 0xfe, 0x22]))],
  ['invalid UTF-8 within an object', answer(Buffer.from('{"a":"\u00e9"}', 'latin1'))],
  [
    'a good answer with a byte that is not UTF-8',
    edit((page) => Buffer.from(JSON.stringify({ ...page, etag: 'é' }), 'latin1')),
  ],
  ['UTF-16', answer(Buffer.from('\ufeff{}', 'utf16le'))],
  ['invalid gzip', answer('{}', { 'content-encoding': 'gzip' })],
  ['invalid deflate', answer('\u0001{}', { 'content-encoding': 'deflate' })],
  ['invalid brotli', answer('{}', { 'content-encoding': 'br' })],
  ['an unknown coding', answer(gzipSync('{}'), { 'content-encoding': 'zstd-9' })],
  ['half of a gzip', answer(gzipSync(HTML).subarray(0, 20), { 'content-encoding': 'gzip' })],
  ['gzip that does not say so', answer(gzipSync('{}'))],
  ['the job of another', pageWith({ jobReference: { jobId: 'other' } })],
  ['an error that is a text', bigQueryError('no', 400)],
  ['an error that is null', bigQueryError(null, 400)],
  ['an error with 200', bigQueryError({ code: 503, message: 'x' }, 200)],
  ['errors of null', bigQueryError({ code: 500, errors: [null] }, 500)],
  ['errors that are a text', bigQueryError({ code: 500, errors: 'x' }, 500)],
  ['reasons that are numbers', bigQueryError({ code: 500, errors: [{ reason: 1 }] }, 500)],
  ['an error without end', answer(' '.repeat(3_000_000), {}, 400)],
  ['an empty error', bigQueryError({}, 400), 'INTERNAL'],
];

/**
 * Each is given in place of a page of results. It has its reason, or INTERNAL: of each kind of misfit one, because
 * google/check-page.test.ts has them all.
 */
const PAGES: [string, BigQueryFault, reason?: string][] = [
  ['a body without end', 'endless', 'RESULT_BYTES_LIMIT'],
  ['4 MB where 1 MiB is allowed', answer(' '.repeat(4_000_000)), 'RESULT_BYTES_LIMIT'],
  [
    '4 MB of gzip in 4 kB',
    answer(gzipSync(' '.repeat(4_000_000)), { 'content-encoding': 'gzip' }),
    'RESULT_BYTES_LIMIT',
  ],
  [
    'a job that has vanished',
    { code: 404, reason: 'notFound', message: 'Not found: Job p:US.j' },
    NO_ANSWER,
  ],
  ['a missing table', { code: 404, reason: 'notFound', message: 'Not found: Table p:logs.t' }],
  ['no jobComplete', pageWith({ jobComplete: undefined }), NO_ANSWER],
  ['no schema', pageWith({ schema: undefined })],
  ['columns of another type', fields((all) => all.map((field) => ({ ...field, type: 'STRING' })))],
  ['rows as an object', pageWith({ rows: {} })],
  ['a row less', edit((page) => ({ ...page, rows: page.rows.slice(1), pageToken: undefined }))],
  ['a page of no rows with a next one', pageWith({ rows: [], pageToken: '0' })],
  ['totalRows that are no number', pageWith({ totalRows: 'many' })],
  ['a pageToken that is an object', pageWith({ totalRows: '999', pageToken: {} })],
  ['a row with a value more', firstRow(({ f }) => ({ f: [...f, { v: '1' }] }))],
  ['JSON for a number', lastValue('1,"x":1')],
];

/** A cancel fails without a trace: the reason is that of the job. */
const CASES: { name: string; place: Place; reason: string; fault: BigQueryFault }[] = [
  ...EVERYWHERE.flatMap(([name, fault, reason = NO_ANSWER], index) => [
    ...(['query', 'insert'] as const).map((place) => ({ name, place, reason, fault })),
    // What differs there is not the answer: a third of them will do.
    ...(index % 3 > 0
      ? []
      : (['first page', 'later page', 'cancel'] as const).map((place) => {
          return { name, place, reason: place === 'cancel' ? NO_ANSWER : reason, fault };
        })),
  ]),
  ...PAGES.flatMap(([name, fault, reason = 'INTERNAL']) =>
    (['query', 'first page', 'later page'] as const).map((place) => {
      return { name, place, reason, fault };
    }),
  ),
  ...WITHOUT_JOB.map(([name, fault]) => {
    return { name, place: 'insert' as const, reason: NO_ANSWER, fault };
  }),
  ...(['insert', 'cancel'] as const).map((place) => {
    return { name: 'a body without end', place, reason: NO_ANSWER, fault: 'endless' as const };
  }),
];

const proxy = await startBigQueryProxy((await startBigQueryStub()).url);
// A result of 57 rows comes in three pages.
proxy.pageRows = 25;
const queryRunner = createLocalQueryRunner(proxy.url, new FastClock(NOW), { maxResultMib: 1 });

async function answerWith(fault: BigQueryProxy['fault'], asJob = false) {
  proxy.fault = fault;
  const run: QueryRunner['run'] = (asked) => queryRunner.run({ ...asked, asJob });
  const service = createQueryServer({ queryRunner: { ...queryRunner, run } });
  const answered = await service.get('/api/endpoints/query/tasks.run-stats?project=a');
  const { result, error } = answered.body as {
    result?: object[];
    error?: { details: { reason: string }[] };
  };
  const stored = service.resultStore.entries.size;
  const reason = error?.details[0]?.reason;
  return { status: answered.status, reason, rows: result?.length, stored };
}

describe('an invalid answer of BigQuery', () => {
  it.each(CASES)('$place, $name: $reason, nothing is stored', async ({ place, fault, reason }) => {
    const decide = ({ kind, url }: BigQueryCall): BigQueryFault => {
      const isLater = url.includes('pageToken=');
      const at = kind === 'results' ? (isLater ? 'later page' : 'first page') : kind;
      if (at === place) return fault;
      // So that there is something to cancel.
      return place === 'cancel' && kind === 'results'
        ? { code: 400, reason: 'jobBackendError' }
        : 'pass';
    };
    const answered = await answerWith(decide, place !== 'query');
    expect(answered).toEqual({ status: CODES[reason], reason, stored: 0 });
  });

  it.each(WITHOUT_JOB)('query, %s though there are more pages: run as a job', async (_, fault) => {
    const answered = await answerWith(({ kind }) => (kind === 'query' ? fault : 'pass'));
    expect(answered).toEqual({ status: 200, rows: 57, stored: 1 });
  });

  it('never redirects a call to another server', () => {
    expect(strayCount).toBe(0);
  });

  it('does not affect a later job, whose rows are served and stored', async () => {
    expect(await answerWith(() => 'pass')).toEqual({ status: 200, rows: 57, stored: 1 });
  });
});
