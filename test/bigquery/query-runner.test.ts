// Tests of the BigQuery query runner: the real client, a local BigQuery, and a network that fails.
import { getEventListeners } from 'node:events';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { ServiceError } from '../../functions/core/errors.ts';
import { QueryDataError } from '../../functions/core/query-runner.ts';
import type { QueryRequest, QueryRunner, ResultPage } from '../../functions/core/query-runner.ts';
import { createBigQueryRest } from '../../functions/bigquery/rest.ts';
import { createBigQueryRunner } from '../../functions/bigquery/query-runner.ts';
import { type BigQueryProxy, startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import {
  collectRows,
  createLocalBigQueryClient,
  startLocalBigQuery,
} from '../support/bigquery/local-bigquery.ts';
import { columns } from '../support/sql/columns.ts';
import { TEST_CONFIG } from '../support/service/config.ts';
import { listen } from '../support/service/listen.ts';
import { casesBeside } from '../support/cases.ts';
import { PauseSkippingClock } from '../support/clock.ts';
import { until } from '../support/until.ts';

type Fault = ReturnType<BigQueryProxy['fault']>;

let clock: PauseSkippingClock;
const rows = Array.from({ length: 25 }, (_, n) => ({ n }));
const tables = [
  { name: 'numbers', fields: columns('n INTEGER'), rows },
  { name: 'letters', fields: columns('letter STRING'), rows: [{ letter: 'a' }] },
];
const bigquery = await startLocalBigQuery({ tables });
let proxy: BigQueryProxy;
let runner: QueryRunner;

beforeEach(async () => {
  clock = new PauseSkippingClock('2026-11-20T10:00:00Z');
  proxy = await startBigQueryProxy(bigquery.url);
  runner = createRunner();
});

function createRunner(
  settings: Partial<Parameters<typeof createBigQueryRunner>[0]> = {},
): QueryRunner {
  return createBigQueryRunner({
    ...TEST_CONFIG,
    location: 'EU',
    call: clock.observe(createBigQueryRest(createLocalBigQueryClient(proxy.url))),
    clock,
    ...settings,
  });
}

function query(fields: Partial<QueryRequest> = {}): QueryRequest {
  return {
    endpoint: 'test.numbers',
    cause: 'miss',
    sql: 'SELECT n FROM numbers ORDER BY n',
    parameters: {},
    columns: columns('n INT64'),
    rowCountMax: 1000,
    onPage: () => Promise.resolve(),
    deadlineMs: clock.nowMs() + 10_000,
    asJob: true,
    ...fields,
  };
}

const keyOf = (name: string) => ({ name, digest: 'a'.repeat(64) });

/** Takes pages into a list. */
function into(pages: ResultPage[]): (page: ResultPage) => Promise<void> {
  return (page) => {
    pages.push(page);
    return Promise.resolve();
  };
}

/** Makes calls of this kind fail, by their numbers from 1 on. */
function failAt(kind: string, fault: Fault, ...numbers: number[]): void {
  let count = 0;
  proxy.fault = (call) => (call.kind === kind && numbers.includes((count += 1)) ? fault : 'pass');
}

function countOf(kind: string): number {
  return proxy.calls.filter((call) => call.kind === kind).length;
}

/** Fails unless the query is refused for this reason. */
async function expectRefused(
  reason: string,
  fields: Partial<QueryRequest> = {},
  on = runner,
): Promise<void> {
  await expect(on.run(query(fields))).rejects.toMatchObject({ reason });
}

/** Fails unless the last call cancels the first job. */
function expectCancelled(): void {
  expect(proxy.calls.at(-1)).toMatchObject({ kind: 'cancel', jobId: proxy.calls[0]?.jobId });
}

/** Resolves once no run has an open call. */
async function untilIdle(): Promise<void> {
  // A run that is to go on makes its next call before this.
  await new Promise((resolve) => setImmediate(resolve));
  await until(() => clock.openCalls === 0);
}

describe('a query', () => {
  it('is one job with named STRING parameters, the dataset, labels and every limit', async () => {
    const sql = 'SELECT @name AS name, COUNT(*) AS n FROM numbers';
    const row = columns('name STRING, n INT64');
    const request = query({
      sql,
      columns: row,
      parameters: { name: "it's" },
      key: keyOf('dashboard'),
    });
    const result = await collectRows(runner, request);
    expect(result).toMatchObject({
      rows: [{ f: [{ v: "it's" }, { v: '25' }] }],
      truncated: false,
      jobId: proxy.calls[0]?.jobId,
    });
    const [insert, results] = proxy.calls;
    expect(insert?.body).toMatchObject({
      jobReference: { projectId: 'test-project', location: 'EU' },
      configuration: {
        jobTimeoutMs: '9000',
        labels: {
          service: 'saved-queries',
          deployment: 'default',
          endpoint: 'test__numbers',
          cause: 'miss',
          key: 'dashboard',
          key_id: 'a'.repeat(12),
        },
        query: {
          defaultDataset: { datasetId: 'logs' },
          connectionProperties: [{ key: 'time_zone', value: 'UTC' }],
          maximumBytesBilled: '10737418240',
          parameterMode: 'named',
          queryParameters: [{ name: 'name', parameterValue: { value: "it's" } }],
          useLegacySql: false,
        },
      },
    });
    expect(results?.url).toContain('location=EU');
    expect(results?.url).toContain('formatOptions.useInt64Timestamp=true');
  });

  it('returns at most the maximum number of rows, and marks the result as truncated', async () => {
    const result = await collectRows(runner, query({ rowCountMax: 10 }));
    expect(result.rows.map((row) => row.f[0]?.v)).toEqual('0123456789'.split(''));
    expect(result.truncated).toBe(true);
    // BigQuery takes no fraction of a millisecond, such as half of what is left.
    const odd = { rowCountMax: 25, deadlineMs: clock.nowMs() + 1999 };
    expect((await runner.run(query(odd))).truncated).toBe(false);
  });

  it('over its byte limit is BYTES_BILLED_LIMIT, and not retried', async () => {
    await expectRefused('BYTES_BILLED_LIMIT', {}, createRunner({ maxBytesBilled: 10_485_759 }));
    await expectRefused('BYTES_BILLED_LIMIT', { maxBytesBilled: 10_485_759 });
    const most = { maxBytesBilled: 2 ** 40 };
    await expectRefused('BYTES_BILLED_LIMIT', most, createRunner({ maxBytesBilled: 10_485_759 }));
    expect(countOf('insert')).toBe(3);
  });

  it('with a pattern that only BigQuery rejects is an error of the data or of a parameter', async () => {
    const sql = 'SELECT n FROM numbers WHERE REGEXP_CONTAINS(CAST(n AS STRING), @pattern)';
    const run = runner.run(query({ sql, parameters: { pattern: '(' } }));
    await expect(run).rejects.toBeInstanceOf(QueryDataError);
  });

  it('binds keys as one array of structs, with empty strings unchanged', async () => {
    const sql =
      "SELECT key, type, project, @n AS n FROM UNNEST(@keys) WHERE project = '' ORDER BY key";
    const keys = [
      { key: 'a', type: 'DATETIME', project: '' },
      { key: 'b', type: '', project: 'p' },
    ];
    const row = columns('key STRING, type STRING, project STRING, n STRING');
    const request = query({ sql, columns: row, parameters: { n: '1' }, keys });
    const result = await collectRows(runner, request);
    expect(result.rows).toEqual([{ f: [{ v: 'a' }, { v: 'DATETIME' }, { v: '' }, { v: '1' }] }]);
  });
});

it('is estimated with the least that BigQuery bills for each table', async () => {
  const estimates: number[] = [];
  for (const sql of ['SELECT n FROM numbers', 'SELECT n FROM numbers CROSS JOIN letters']) {
    const reserve: QueryRequest['reserve'] = async (estimate) => {
      estimates.push((await estimate()) / 2 ** 20);
    };
    await runner.run(query({ sql, reserve }));
  }
  expect(estimates).toEqual([10, 20]);
});

// jobs.getQueryResults does not say what is billed: https://cloud.google.com/bigquery/pricing#on_demand_pricing
it.each([
  [{ totalBytesBilled: '5', cacheHit: true }, 5],
  [{ totalBytesProcessed: '1024' }, 10 * 2 ** 20],
  [{ totalBytesProcessed: '10485761' }, 11 * 2 ** 20],
  [{ totalBytesProcessed: '10485761', cacheHit: true }, 0],
  [{ totalBytesProcessed: '0', cacheHit: false }, 0],
])('a query whose answer has %j counts as %i billed bytes', async (statistics, expected) => {
  const real = createBigQueryRest(createLocalBigQueryClient(bigquery.url));
  const told: number[] = [];
  const call = clock.observe(async (...args) => ({
    ...((await real(...args)) as object),
    ...statistics,
  }));
  await createRunner({ call }).run(query({ onBilled: (bytes) => told.push(bytes) }));
  expect(told).toEqual([expected]);
});

describe('a large result', () => {
  const sql =
    'SELECT n * 1000 + m AS n FROM numbers, UNNEST(GENERATE_ARRAY(1, 1000)) AS m ORDER BY 1';
  it('is read and passed on in pages of at most 10,000 rows', async () => {
    const pages: ResultPage[] = [];
    const result = await runner.run(query({ sql, rowCountMax: 24_000, onPage: into(pages) }));
    const sizes = proxy.calls
      .filter(({ kind }) => kind === 'results')
      .map(({ url }) => Number(new URL(url, proxy.url).searchParams.get('maxResults')));
    expect(sizes).toEqual([10_000, 10_000, 4000]);
    expect(pages.map(({ rows }) => rows.length)).toEqual(sizes);
    expect(pages.flatMap(({ rows }) => rows.map((row) => row.f[0]?.v))).toEqual(
      Array.from({ length: 24_000 }, (_, index) => String(index + 1)),
    );
    expect(pages).toMatchObject(
      Array(3).fill({ schema: [{ name: 'n' }], jobId: result.jobId }) as object[],
    );
    expect(result.truncated).toBe(true);
    expect(countOf('insert')).toBe(1);
  });

  it('that is empty is one page without rows', async () => {
    const pages: ResultPage[] = [];
    await runner.run(query({ sql: 'SELECT n FROM numbers WHERE n < 0', onPage: into(pages) }));
    expect(pages).toMatchObject([{ rows: [], schema: [{ name: 'n' }] }]);
  });

  // A page that is handed on twice, or rows of two jobs, would end up in somebody's result.
  it.each<[string, Fault]>([
    ['a cut connection', 'cut'],
    ['a cut answer', 'cut-after'],
    ['a backend error', { code: 503, reason: 'backendError' }],
    ['an error that is attributed to the job', { code: 400, reason: 'jobBackendError' }],
  ])('resumes where it stopped after %s between two pages', async (_, fault) => {
    failAt('results', fault, 2, 3);
    const pages: ResultPage[] = [];
    await runner.run(query({ sql, rowCountMax: 25_000, onPage: into(pages) }));
    expect(pages.map(({ rows }) => rows[0]?.f[0]?.v)).toEqual(['1', '10001', '20001']);
    expect(countOf('insert')).toBe(1);
    expect(countOf('cancel')).toBe(0);
  });

  it('rejects with the error of the page handler, and requests no further page', async () => {
    const error = Object.assign(new Error('the store is away'), { code: 'ECONNRESET' });
    const onPage = (): Promise<void> => Promise.reject(error);
    await expect(runner.run(query({ sql, onPage }))).rejects.toBe(error);
    expect(countOf('results')).toBe(1);
  });

  it('whose page handler exceeds the deadline is INSTANCE_BUSY, and passes on no further page', async () => {
    const pages: ResultPage[] = [];
    const taken = Promise.withResolvers<void>();
    const onPage = (page: ResultPage): Promise<void> => {
      pages.push(page);
      return taken.promise;
    };
    const request = { sql, rowCountMax: 25_000, deadlineMs: clock.nowMs() + 60_000 };
    const outcome = expectRefused('INSTANCE_BUSY', { ...request, onPage });
    await until(() => pages.length === 1);
    clock.advance(59_200);
    await outcome;
    taken.resolve();
    await untilIdle();
    expect(pages).toHaveLength(1);
  });

  it('drops a page that arrives after the deadline', async () => {
    const late = Promise.withResolvers<void>();
    failAt('results', { until: late.promise }, 2);
    const pages: ResultPage[] = [];
    const request = { sql, rowCountMax: 25_000, deadlineMs: clock.nowMs() + 5000 };
    const outcome = expectRefused('QUERY_DEADLINE_EXCEEDED', { ...request, onPage: into(pages) });
    await until(() => countOf('results') === 2);
    clock.advance(4000);
    await outcome;
    late.resolve();
    await untilIdle();
    expect(pages).toHaveLength(1);
  });
});

/** What becomes of calls of a kind: of the first ones, or of all. */
type Faults = Record<string, Fault | Fault[]>;

it.each(
  casesBeside(import.meta.filename)<
    [string, Faults, { withinMs?: number }, string | number, string, number?]
  >('faults'),
)('%s', async (_name, faults, { withinMs = 10_000 }, expected, calls, jobs = 1) => {
  const counts = new Map<string, number>();
  proxy.fault = ({ kind }) => {
    const [fault, nth] = [faults[kind], counts.get(kind) ?? 0];
    counts.set(kind, nth + 1);
    return (Array.isArray(fault) ? fault[nth] : fault) ?? 'pass';
  };
  const deadlineMs = clock.nowMs() + withinMs;
  const outcome = await collectRows(runner, query({ deadlineMs })).then(
    ({ rows: found }) => found.length,
    ({ reason }: ServiceError) => reason,
  );
  expect([outcome, proxy.calls.map(({ kind }) => kind).join(' ')]).toEqual([expected, calls]);
  expect(clock.nowMs()).toBeLessThan(deadlineMs);
  expect(new Set(proxy.calls.map(({ jobId }) => jobId)).size).toBe(jobs);
});

describe('a job that does not finish', () => {
  it.each(['insert', 'results'])('is abandoned even if BigQuery never answers %s', async (kind) => {
    proxy.fault = (call) => (call.kind === kind ? 'stall' : 'pass');
    const outcome = expectRefused('QUERY_DEADLINE_EXCEEDED', { deadlineMs: clock.nowMs() + 1000 });
    await until(() => countOf(kind) === 1);
    clock.advance(500);
    await outcome;
    expectCancelled();
  });

  it('is abandoned at the deadline even if it cannot be cancelled', async () => {
    proxy.fault = () => 'stall';
    const outcome = expectRefused('QUERY_DEADLINE_EXCEEDED', { deadlineMs: clock.nowMs() + 1000 });
    await until(() => countOf('insert') === 1);
    clock.advance(500);
    await until(() => countOf('cancel') === 1);
    clock.advance(500);
    await outcome;
  });
});

describe('a permanent fault', () => {
  it.each(['http://127.0.0.1:1', 'http://no-such-host.invalid'])(
    'of the network, such as at %s, is QUERY_ENGINE_UNAVAILABLE, without the request in its cause',
    async (url) => {
      const call = createBigQueryRest(createLocalBigQueryClient(url));
      const run = createRunner({ call: clock.observe(call) }).run(query());
      await expect(run).rejects.toMatchObject({
        reason: 'QUERY_ENGINE_UNAVAILABLE',
        cause: expect.not.objectContaining({ config: expect.anything() as unknown }) as unknown,
      });
    },
  );

  it.each([
    ['invalidQuery', "Bad value tenant-secret for 'tenant-secret'", false],
    ['invalidQuery', "Bad value: 'x at [1:2]'", false],
    ['invalid', 'Invalid timestamp: gr\\303\\266\\303\\237e', false],
    ['resourcesExceeded', 'Not enough memory for ORDER BY', true],
    ['notFound', 'Not found: Table p:d.t', true],
    ['invalidQuery', 'Unrecognized name: tenant at [1:8]', true],
  ])('of the reason %s: %s (in the log: %j)', async (reason, message, isTold) => {
    proxy.fault = () => ({ code: 400, reason, message });
    const run = runner.run(query({ parameters: { p: 'any' }, types: { p: 'STRING' } }));
    await expect(run).rejects.toThrow(isTold ? message : `reason is ${reason}. Its message may`);
  });

  it('keeps the text of an ERROR that the author has written, also with a value in it', async () => {
    const message = 'minutely allows at most 7 days';
    proxy.fault = () => ({ code: 400, reason: 'invalidQuery', message });
    const sql = `SELECT IF(@p > '', 1, ERROR('${message}')) AS n`;
    const run = runner.run(query({ sql, parameters: { p: 'minutely' }, types: { p: 'STRING' } }));
    await expect(run).rejects.toThrow(message);
  });

  it('that does not concern parameters keeps its message for the log', async () => {
    proxy.fault = () => ({ code: 403, reason: 'accessDenied', message: 'no access to logs' });
    await expect(runner.run(query())).rejects.toThrow('no access to logs');
    expect(countOf('insert')).toBe(1);
  });
});

describe('a result that is large in bytes', () => {
  /** About 1.1 MB as it comes. */
  const sql = "SELECT REPEAT('x', 100000) AS n FROM numbers WHERE n < 11";
  const text = columns('n STRING');
  const createLimited = (maxResultMib: number, maxReadingMib: number): QueryRunner =>
    createRunner({ maxResultMib, maxReadingMib });

  /** A run whose result is held until `done` is called. */
  async function holdResult(
    runner: QueryRunner,
    owner?: string,
  ): Promise<{ first: Promise<unknown>; done: () => void }> {
    const held = Promise.withResolvers<void>();
    let isTaken = false;
    const onPage = (): Promise<void> => {
      isTaken = true;
      return held.promise;
    };
    const first = runner.run(
      query({ sql, columns: text, onPage, key: owner ? keyOf(owner) : undefined }),
    );
    await until(() => isTaken);
    return { first, done: held.resolve };
  }

  /** Resolves once BigQuery has answered this number of calls, and another run has passed since then. */
  async function untilAnswered(count: number): Promise<void> {
    await until(() => answerCount === count);
    await createRunner().run(query());
  }

  let answerCount = 0;
  beforeEach(() => {
    answerCount = 0;
    proxy.onAnswer = () => (answerCount += 1);
  });

  it('over MAX_RESULT_MIB is RESULT_BYTES_LIMIT, and the job is cancelled', async () => {
    await expectRefused('RESULT_BYTES_LIMIT', { sql, columns: text }, createLimited(1, 32));
    expect(countOf('results')).toBe(1);
    expectCancelled();
    const result = await collectRows(createLimited(2, 32), query({ sql, columns: text }));
    expect(result.rows).toHaveLength(11);
  });

  it('counts all pages of a single query, but each page of a batch separately', async () => {
    proxy.pageRows = 5;
    const keyed = {
      sql: sql.replace('AS n', 'AS n, key').replace('FROM', 'FROM UNNEST(@keys),'),
      columns: columns('n STRING, key STRING'),
      keys: [{ key: 'a' }],
      onPage: () => Promise.resolve(),
    };
    const runner = createLimited(1, 32);
    await expectRefused('RESULT_BYTES_LIMIT', { sql, columns: text }, runner);
    expect(countOf('results')).toBe(3);
    expect(await runner.run(query(keyed))).toMatchObject({ truncated: false });
  });

  it('waits while another result occupies the memory, and resumes when it is released', async () => {
    const runner = createLimited(2, 1);
    const { first, done } = await holdResult(runner);
    let isRead = false;
    const second = collectRows(runner, query({ sql, columns: text })).finally(
      () => (isRead = true),
    );
    await untilAnswered(4);
    expect(isRead).toBe(false);
    done();
    await first;
    expect((await second).rows).toHaveLength(11);
  });

  it('that waits until its deadline, because it has no owner, is INSTANCE_BUSY and cancelled', async () => {
    const runner = createLimited(2, 1);
    const { first, done } = await holdResult(runner);
    const request = { sql, columns: text, deadlineMs: clock.nowMs() + 4000 };
    const outcome = expectRefused('INSTANCE_BUSY', request, runner);
    await untilAnswered(4);
    clock.advance(3000);
    await outcome;
    expect(proxy.calls.at(-1)).toMatchObject({ kind: 'cancel' });
    done();
    await first;
  });

  it('is abandoned after it has waited two seconds for the memory of another, and its job is cancelled', async () => {
    const runner = createLimited(2, 1);
    const { first, done } = await holdResult(runner, 'a');
    const other = expectRefused('INSTANCE_BUSY', { sql, columns: text, key: keyOf('b') }, runner);
    await untilAnswered(4);
    clock.advance(2000);
    await other;
    expect(proxy.calls.at(-1)).toMatchObject({ kind: 'cancel' });
    done();
    await first;
  });
});

describe('stopping the instance', () => {
  let stop: AbortController;

  beforeEach(() => {
    stop = new AbortController();
    const { signal } = stop;
    runner = createRunner({ shutdown: { isStopping: () => signal.aborted, signal } });
  });

  it.each(['insert', 'results'])(
    'ends a run whose %s is unanswered with INSTANCE_STOPPING immediately, and cancels its job',
    async (kind) => {
      proxy.fault = (call) => (call.kind === kind ? 'stall' : 'pass');
      const outcome = expect(runner.run(query())).rejects.toMatchObject({
        reason: 'INSTANCE_STOPPING',
        message: 'This instance is being stopped. Try again: another one will answer.',
      });
      await until(() => countOf(kind) === 1);
      stop.abort();
      // At once: the time stands still.
      await outcome;
      expectCancelled();
    },
  );

  it('waits at most one second for a job that cannot be cancelled', async () => {
    proxy.fault = ({ kind }) => (kind === 'insert' ? 'pass' : 'stall');
    const outcome = expectRefused('INSTANCE_STOPPING');
    await until(() => countOf('results') === 1);
    stop.abort();
    await until(() => countOf('cancel') === 1);
    clock.advance(1000);
    await outcome;
  });

  it('starts no further job for a run that waits between two attempts', async () => {
    proxy.fault = ({ kind }) =>
      kind === 'insert' ? { code: 503, reason: 'backendError' } : 'pass';
    clock.skipsPauses = false;
    const outcome = expectRefused('INSTANCE_STOPPING');
    await until(() => clock.pauseCount === 1);
    stop.abort();
    await outcome;
    clock.advance(600);
    await untilIdle();
    expect(countOf('insert')).toBe(1);
  });

  it('rejects a later run with INSTANCE_STOPPING, without a job', async () => {
    stop.abort();
    await expectRefused('INSTANCE_STOPPING');
    expect(proxy.calls).toEqual([]);
  });

  it('causes no listener warning with many concurrent runs, and leaves no listener', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    await Promise.all(Array.from({ length: 20 }, () => runner.run(query())));
    // Node emits warnings in a later tick.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });
});

describe('an API call', () => {
  it('ends when its deadline passes, at every stage', async () => {
    let openCount = 0;
    const silent = createServer().on('connection', (socket) => {
      openCount += 1;
      socket.on('close', () => (openCount -= 1));
    });
    const call = createBigQueryRest(createLocalBigQueryClient(await listen(silent)));
    const over = new AbortController();
    const outcome = expect(
      call('GET', '/queries/x', {}, undefined, { signal: over.signal }),
    ).rejects.toThrow();
    await until(() => openCount === 1);
    over.abort();
    await outcome;
    await until(() => openCount === 0);
  });

  // The HTTP library would emit an error of the body that nothing handles, which ends the process.
  it('with a body, whose deadline has passed before it is sent, only rejects', async () => {
    const call = createBigQueryRest(createLocalBigQueryClient(proxy.url));
    const options = { signal: AbortSignal.abort() };
    await expect(call('POST', '/jobs', {}, {}, options)).rejects.toThrow('aborted');
    await new Promise((resolve) => setImmediate(resolve));
    expect(proxy.calls).toEqual([]);
  });

  it("identifies itself as Google's client does", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((req, res) => {
      seen.push(req.headers);
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const client = createLocalBigQueryClient(await listen(server));
    const options = { signal: new AbortController().signal };
    await createBigQueryRest(client)('GET', '/queries/x', {}, undefined, options);
    await new Promise((resolve) => {
      client.request({ uri: '/queries/x' }, resolve);
    });
    const [ours, theirs] = seen;
    // The authentication library puts its own name behind it.
    expect(ours?.['user-agent']?.split(' ')[0]).toBe(theirs?.['user-agent']);
    expect(ours?.['x-goog-api-client']).toBe(
      theirs?.['x-goog-api-client']?.toString().replace(/ gccl-invocation-id.*/, ''),
    );
  });
});

it('does not follow a redirect, which would send the token to another host', async () => {
  let strayCount = 0;
  const elsewhere = await listen(createServer(() => void (strayCount += 1)));
  const moved = createServer((_, res) => res.writeHead(307, { location: elsewhere }).end('{}'));
  const call = createBigQueryRest(createLocalBigQueryClient(await listen(moved)));
  const options = { signal: new AbortController().signal };
  await expect(call('POST', '/queries', {}, {}, options)).rejects.toMatchObject({
    code: 'INVALID_ANSWER',
  });
  expect(strayCount).toBe(0);
});
