// Tests of invalid answers of BigQuery to every call of `query` and `warm`: each gives the right error, and
// none ends the process, is cached or replaces good rows.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { eachLimit } from '../../functions/core/each-limit.ts';
import type { ColumnSchema, WireRow } from '../../functions/core/query-runner.ts';
import type { WarmReport } from '../../functions/warming/run.ts';
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
import { API_KEY as QUERY_KEY, createQueryServer } from '../support/bigquery/query-server.ts';
import { runFunction } from '../support/service/running-function.ts';
import { API_KEY, firestoreWithKey } from '../support/service/service.ts';
import { createWarmServer } from '../support/service/warm-server.ts';

const STATS = 'tasks.run-stats';
const PATH = `/api/endpoints/query/${STATS}`;
const NOW = '2026-11-20T10:00:00Z';

/** Pauses between retries are a twentieth; deadlines are so long that none is met here. */
class FastClock extends ControlledClock {
  override wait(ms: number, signal?: AbortSignal): Promise<void> {
    return super.wait(ms < 5000 ? ms / 20 : ms, signal);
  }
}

type Place = 'insert' | 'first page' | 'later page' | 'cancel';
const NO_ANSWER = 'QUERY_ENGINE_UNAVAILABLE';
const CODES: Record<string, number> = {
  QUERY_ENGINE_UNAVAILABLE: 503,
  QUERY_QUOTA_EXHAUSTED: 429,
  RESULT_BYTES_LIMIT: 400,
  INTERNAL: 500,
};

/** The address of a server that nobody may ask. */
let elsewhere: string;
let strayCount = 0;
const elsewhereUrl = (): string => `${elsewhere}/bigquery/v2`;

const answer = (body: string | Buffer, headers = {}, status = 200): BigQueryFault => ({
  answer: { body, headers, status },
});
const redirect = (status: number): (() => BigQueryFault) => {
  return () => answer('', { location: elsewhereUrl() }, status);
};
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

/** Each is given in place of every call of its kind. At each place but the cancel it has its reason, or NO_ANSWER. */
const EVERYWHERE: [string, BigQueryFault | (() => BigQueryFault), reason?: string][] = [
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
  ['a number', answer('0')],
  ['true', answer('true')],
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
  ['a redirect with 301', redirect(301)],
  ['a redirect with 302', redirect(302)],
  ['a redirect with 303', redirect(303)],
  ['a redirect with 307', redirect(307)],
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
  ['no jobReference', pageWith({ jobReference: undefined })],
  ['a jobReference of null', pageWith({ jobReference: null })],
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
const CASES: { name: string; place: Place; reason: string; fault: () => BigQueryFault }[] = [
  ...(['insert', 'first page', 'later page', 'cancel'] as const).flatMap((place) =>
    EVERYWHERE
      // What differs there is not the answer: a third of them will do.
      .filter((_, index) => place === 'insert' || place === 'first page' || index % 3 === 0)
      .map(([name, fault, reason = NO_ANSWER]) => ({
        name,
        place,
        reason: place === 'cancel' ? NO_ANSWER : reason,
        fault: typeof fault === 'function' ? fault : () => fault,
      })),
  ),
  ...(['first page', 'later page'] as const).flatMap((place) =>
    PAGES.map(([name, fault, reason = 'INTERNAL']) => ({
      name,
      place,
      reason,
      fault: () => fault,
    })),
  ),
  { name: 'a body without end', place: 'insert', reason: NO_ANSWER, fault: () => 'endless' },
  { name: 'a body without end', place: 'cancel', reason: NO_ANSWER, fault: () => 'endless' },
];

/** The number of the case is in the parameter `project` of its queries, and a job is known by its id. */
function faultOf(call: BigQueryCall, caseOfJob: Map<string, number>): BigQueryFault {
  if (call.kind === 'insert') {
    const found = /case-(\d+)-/.exec(JSON.stringify(call.body));
    if (found !== null) caseOfJob.set(call.jobId, Number(found[1]));
  }
  const odd = CASES[caseOfJob.get(call.jobId) ?? -1];
  if (odd === undefined) return 'pass';
  const isLater = call.url.includes('pageToken=');
  const place = call.kind === 'results' ? (isLater ? 'later page' : 'first page') : call.kind;
  if (place === odd.place) return odd.fault();
  // So that there is something to cancel.
  return odd.place === 'cancel' && call.kind === 'results'
    ? { code: 400, reason: 'jobBackendError' }
    : 'pass';
}

let proxy: BigQueryProxy;

beforeAll(async () => {
  const stub = await startBigQueryStub();
  elsewhere = await listen(
    createServer((_, res) => {
      strayCount += 1;
      res.end('{}');
    }),
  );
  proxy = await startBigQueryProxy(stub.url);
  // A result of 57 rows comes in three pages.
  proxy.pageRows = 25;
  const caseOfJob = new Map<string, number>();
  proxy.fault = (call) => faultOf(call, caseOfJob);
});

interface Outcome {
  status: number;
  reason: string;
  storedCount: number;
  /** Of a third of the cases: the query runner of both functions is one, and tells them the same. */
  warmed?: { report: WarmReport; status: number; oldCount: number; writeCount: number };
}

describe('an invalid answer of BigQuery', () => {
  const outcomes: Outcome[] = [];

  beforeAll(async () => {
    const queryRunner = createLocalQueryRunner(proxy.url, new FastClock(NOW), { maxResultMib: 1 });
    await eachLimit(CASES.keys(), 24, async (index) => {
      const service = createQueryServer({ queryRunner });
      const queried = await request(service.server)
        .get(`${PATH}?project=case-${index}-q&interval=1day`)
        .set('X-API-KEY', QUERY_KEY);
      const outcome: Outcome = {
        status: queried.status,
        reason: reasonOf(queried.body),
        storedCount: service.resultStore.entries.size,
      };
      outcomes[index] = outcome;
      if (index % 3 !== 0) return;
      const warm = createWarmServer({ queryRunner });
      const keys = [
        warm.addEntry(STATS, parametersOf(`case-${index}-s`, '1hr')),
        ...['a', 'b', 'c', 'd'].map((name) =>
          warm.addEntry(STATS, parametersOf(`case-${index}-${name}`, '1day')),
        ),
      ];
      const warmed = await request(warm.server).post('/').send();
      outcome.warmed = {
        report: warmed.body as WarmReport,
        status: warmed.status,
        oldCount: keys.filter((key) => warm.resultStore.entries.get(key)?.etag === 'old').length,
        writeCount: warm.resultStore.calls.filter(({ method }) => method === 'refresh').length,
      };
    });
    // Some thousand calls, on a machine that may be busy.
  }, 300_000);

  it.each(CASES.map(({ name, place, reason }, index) => [place, name, reason, index] as const))(
    '%s, %s is %s, and nothing is stored',
    (_place, _name, reason, index) => {
      const outcome = outcomes[index] as Outcome;
      expect(outcome).toMatchObject({ status: CODES[reason], reason, storedCount: 0 });
      if (outcome.warmed === undefined) return;
      expect(outcome.warmed).toMatchObject({ status: 503, oldCount: 5, writeCount: 0 });
      const { live, refreshed, leftOver, failed, jobs } = outcome.warmed.report;
      expect({ live, refreshed, leftOver }).toEqual({ live: 5, refreshed: 0, leftOver: 0 });
      expect(failed.map((entry) => entry.reason)).toEqual(Array(5).fill(reason));
      // One for the entry of its own, and of the batch what can help.
      expect(jobs).toBe(1 + (reason === 'RESULT_BYTES_LIMIT' ? 7 : 3));
    },
  );

  it('never redirects a call to another server', () => {
    expect(strayCount).toBe(0);
  });

  it('does not affect other jobs, whose rows are served and stored', async () => {
    const queryRunner = createLocalQueryRunner(proxy.url, new FastClock(NOW), { maxResultMib: 1 });
    const service = createQueryServer({ queryRunner });
    const good = await request(service.server)
      .get(`${PATH}?project=good&interval=1day`)
      .set('X-API-KEY', QUERY_KEY);
    expect(good.status).toBe(200);
    expect((good.body as { result: object[] }).result).toHaveLength(57);
    const warm = createWarmServer({ queryRunner });
    for (const name of ['a', 'b', 'c']) warm.addEntry(STATS, parametersOf(name, '1day'));
    const warmed = await request(warm.server).post('/').send();
    expect(warmed.body).toMatchObject({ refreshed: 3, failed: [], jobs: 1 });
  });
});

describe('a real process', () => {
  it('survives a third of the invalid answers and serves hits throughout', async () => {
    const firestore = await firestoreWithKey();
    const service = await runFunction({
      target: 'query',
      firestore,
      bigQueryUrl: proxy.url,
      env: { MAX_RESULT_MIB: '1', LOG_LEVEL: 'error' },
    });
    let ended: string | undefined;
    void service.failed.then((sentence) => (ended = sentence));
    const ask = async (project: string): Promise<{ status: number; reason: string }> => {
      const url = `${service.url}${PATH}?project=${project}&interval=1day`;
      const answered = await fetch(url, { headers: { 'x-api-key': API_KEY } });
      return { status: answered.status, reason: reasonOf(await answered.json()) };
    };
    expect((await ask('good')).status).toBe(200);
    const some = [...CASES.entries()].filter(([index]) => index % 3 === 1);
    await eachLimit(some, 48, async ([index, { name, place, reason }]) => {
      const answered = await ask(`case-${index}-p`);
      const expected = { name, place, reason, status: CODES[reason] };
      expect({ name, place, ...answered }).toEqual(expected);
      expect((await ask('good')).status).toBe(200);
    });
    expect(ended).toBeUndefined();
    expect((await ask('also-good')).status).toBe(200);
    // The two good ones.
    expect((await firestore.collection('results').get()).size).toBe(2);
    expect(strayCount).toBe(0);
  });
});

function parametersOf(project: string, interval: string): Record<string, string> {
  return { project, function_id: '', interval };
}

function reasonOf(body: unknown): string {
  const { error } = body as { error?: { details: { reason: string }[] } };
  return error?.details[0]?.reason ?? '';
}
