// Tests of the BigQuery query runner: the real client, a local BigQuery, and a network that fails.
import { getEventListeners } from 'node:events';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import type { ServiceError } from '../../functions/core/errors.ts';
import { QueryDataError } from '../../functions/core/query-runner.ts';
import type {
  QueryIds,
  QueryRequest,
  QueryRunner,
  ResultPage,
} from '../../functions/core/query-runner.ts';
import { createBigQueryRest } from '../../functions/bigquery/rest.ts';
import { createBigQueryRunner } from '../../functions/bigquery/query-runner.ts';
import {
  type BigQueryFault,
  type BigQueryProxy,
  startBigQueryProxy,
} from '../support/bigquery/bigquery-proxy.ts';
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
import { type Acts, type Fields, runSteps, stepsBeside } from '../support/steps.ts';
import { until } from '../support/until.ts';

const numbers = Array.from({ length: 25 }, (_, n) => ({ n }));
const bigquery = await startLocalBigQuery({
  tables: [
    { name: 'numbers', fields: columns('n INTEGER'), rows: numbers },
    { name: 'letters', fields: columns('letter STRING'), rows: [{ letter: 'a' }] },
  ],
});
let clock: PauseSkippingClock;
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

/** Of 25,000 numbers, and of about 1.1 MB as it comes. */
const SOURCES = {
  numbers: { sql: 'SELECT n FROM numbers ORDER BY n' },
  thousands: {
    sql: 'SELECT n * 1000 + m AS n FROM numbers, UNNEST(GENERATE_ARRAY(1, 1000)) AS m ORDER BY 1',
  },
  letters: {
    sql: "SELECT REPEAT('x', 100000) AS n FROM numbers WHERE n < 11",
    columns: columns('n STRING'),
  },
};

type Fault = BigQueryFault | 'late';
/** What becomes of calls of a kind: of the first ones, or of all. `late` is one that is answered after `release`. */
type Faults = Record<string, Fault | Fault[]>;

function setFaults(faults: Faults, released?: Promise<unknown>): void {
  const counts = new Map<string, number>();
  proxy.fault = ({ kind }) => {
    const [all, nth] = [faults[kind], counts.get(kind) ?? 0];
    counts.set(kind, nth + 1);
    const fault = (Array.isArray(all) ? all[nth] : all) ?? 'pass';
    return fault === 'late' ? { until: released ?? Promise.resolve() } : fault;
  };
}

it.each(stepsBeside(import.meta.filename).filter(([name]) => name !== 'faults'))(
  '%s',
  async (_, steps) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const stop = new AbortController();
    const { signal } = stop;
    const shutdown = { isStopping: () => signal.aborted, signal };
    const open = new Map<string, Promise<unknown>>();
    let [pages, answers] = [0, 0];
    proxy.onAnswer = () => (answers += 1);

    const acts: Acts = {
      runner: (settings: object) => void (runner = createRunner({ ...settings, shutdown })),
      fails: (faults: Faults) => setFaults(faults, released),
      /** Begins a run, whose page handler is `held` until `release`; `is` is the reason of its error, or the number of its rows. */
      begin: (name: string, step: Fields) => {
        const { of = 'numbers', withinMs = 10_000, owner, held, is, rowCountMax = 1000 } = step;
        let rowCount = 0;
        const request = query({
          ...SOURCES[of as keyof typeof SOURCES],
          rowCountMax: rowCountMax as number,
          deadlineMs: clock.nowMs() + (withinMs as number),
          key: owner === undefined ? undefined : { name: owner as string, digest: 'digest' },
          onPage({ rows: given }) {
            pages += 1;
            rowCount += given.length;
            return held === true ? released : Promise.resolve();
          },
        });
        const told = runner.run(request).then(
          () => rowCount,
          ({ reason }: ServiceError) => reason,
        );
        const ended = told.then((outcome) => expect([name, outcome]).toEqual([name, is]));
        ended.catch(() => undefined);
        open.set(name, ended);
      },
      /** Until a run has ended; without a name until each has. */
      end: async (name: string | 0) => {
        const named = [...open].filter(([one]) => name === 0 || one === name);
        await Promise.all(named.map(([, ended]) => ended));
      },
      release: () => release(),
      stop: () => stop.abort(),
      advance: (ms: number) => clock.advance(ms),
      /** Until there were so many calls of a kind, or pages. */
      until: ([what, count]: [string, number]) =>
        until(() => (what === 'pages' ? pages : proxy.callsOf(what).length) === count),
      /** Until BigQuery has answered so many calls, and another run has passed since then. */
      untilAnswered: async (count: number) => {
        await until(() => answers === count);
        await createRunner().run(query());
      },
      untilPaused: () => until(() => clock.pauseCount === 1),
      /** Waits between two attempts take the time of the clock. */
      pauses: () => void (clock.skipsPauses = false),
      untilIdle: async () => {
        // A run that is to go on makes its next call before this.
        await new Promise((resolve) => setImmediate(resolve));
        await until(() => clock.openCalls === 0);
      },
      pages: (count: number) => expect(pages).toBe(count),
      calls: (kinds: string) => expect(proxy.calls.map(({ kind }) => kind).join(' ')).toBe(kinds),
      /** The last call cancels the job. */
      cancelled: () => expect(proxy.calls.at(-1)).toMatchObject({ kind: 'cancel' }),
    };
    await runSteps(acts, steps);
  },
);

describe('a query', () => {
  it('is one job with named STRING parameters, the dataset, labels and every limit', async () => {
    const sql = 'SELECT @name AS name, COUNT(*) AS n FROM numbers';
    const row = columns('name STRING, n INT64');
    const request = query({
      sql,
      columns: row,
      parameters: { name: "it's" },
      key: { name: 'dashboard', digest: 'a'.repeat(64) },
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
    /** Fails unless the query is refused for this reason. */
    async function expectRefused(
      reason: string,
      fields: Partial<QueryRequest> = {},
      on = runner,
    ): Promise<void> {
      await expect(on.run(query(fields))).rejects.toMatchObject({ reason });
    }

    await expectRefused('BYTES_BILLED_LIMIT', {}, createRunner({ maxBytesBilled: 10_485_759 }));
    await expectRefused('BYTES_BILLED_LIMIT', { maxBytesBilled: 10_485_759 });
    const most = { maxBytesBilled: 2 ** 40 };
    await expectRefused('BYTES_BILLED_LIMIT', most, createRunner({ maxBytesBilled: 10_485_759 }));
    expect(proxy.callsOf('insert')).toHaveLength(3);
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
  const { sql } = SOURCES.thousands;
  it('is read and passed on in pages of at most 10,000 rows', async () => {
    const pages: ResultPage[] = [];
    const result = await runner.run(
      query({ sql, rowCountMax: 24_000, onPage: (page) => Promise.resolve(void pages.push(page)) }),
    );
    const sizes = proxy
      .callsOf('results')
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
    expect(proxy.callsOf('insert')).toHaveLength(1);
  });

  it('that is empty is one page without rows', async () => {
    const pages: ResultPage[] = [];
    await runner.run(
      query({
        sql: 'SELECT n FROM numbers WHERE n < 0',
        onPage: (page) => Promise.resolve(void pages.push(page)),
      }),
    );
    expect(pages).toMatchObject([{ rows: [], schema: [{ name: 'n' }] }]);
  });

  // A page that is handed on twice, or rows of two jobs, would end up in somebody's result.
  it.each<[string, Fault]>([
    ['a cut connection', 'cut'],
    ['a cut answer', 'cut-after'],
    ['a backend error', { code: 503, reason: 'backendError' }],
    ['an error that is attributed to the job', { code: 400, reason: 'jobBackendError' }],
  ])('resumes where it stopped after %s between two pages', async (_, fault) => {
    setFaults({ results: ['pass', fault, fault] });
    const pages: ResultPage[] = [];
    await runner.run(
      query({ sql, rowCountMax: 25_000, onPage: (page) => Promise.resolve(void pages.push(page)) }),
    );
    expect(pages.map(({ rows }) => rows[0]?.f[0]?.v)).toEqual(['1', '10001', '20001']);
    expect(proxy.callsOf('insert')).toHaveLength(1);
    expect(proxy.callsOf('cancel')).toHaveLength(0);
  });

  it('rejects with the error of the page handler, and requests no further page', async () => {
    const error = Object.assign(new Error('the store is away'), { code: 'ECONNRESET' });
    const onPage = (): Promise<void> => Promise.reject(error);
    await expect(runner.run(query({ sql, onPage }))).rejects.toBe(error);
    expect(proxy.callsOf('results')).toHaveLength(1);
  });
});

it.each(
  casesBeside(import.meta.filename)<
    [string, Faults, { withinMs?: number }, string | number, string, number?]
  >('faults'),
)('%s', async (_name, faults, { withinMs = 10_000 }, expected, calls, jobs = 1) => {
  setFaults(faults);
  const deadlineMs = clock.nowMs() + withinMs;
  const outcome = await collectRows(runner, query({ deadlineMs })).then(
    ({ rows: found }) => found.length,
    ({ reason }: ServiceError) => reason,
  );
  expect([outcome, proxy.calls.map(({ kind }) => kind).join(' ')]).toEqual([expected, calls]);
  expect(clock.nowMs()).toBeLessThan(deadlineMs);
  expect(new Set(proxy.calls.map(({ jobId }) => jobId)).size).toBe(jobs);
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
    expect(proxy.callsOf('insert')).toHaveLength(1);
  });
});

it('a large result counts all pages of a single query, but each page of a batch separately', async () => {
  proxy.pageRows = 5;
  const { sql, columns: row } = SOURCES.letters;
  const keyed = {
    sql: sql.replace('AS n', 'AS n, key').replace('FROM', 'FROM UNNEST(@keys),'),
    columns: [...row, ...columns('key STRING')],
    keys: [{ key: 'a' }],
  };
  const limited = createRunner({ maxResultMib: 1, maxReadingMib: 32 });
  await expect(limited.run(query(SOURCES.letters))).rejects.toMatchObject({
    reason: 'RESULT_BYTES_LIMIT',
  });
  expect(proxy.callsOf('results')).toHaveLength(3);
  expect(await limited.run(query(keyed))).toMatchObject({ truncated: false });
});

it('an instance that may be stopped causes no listener warning with many concurrent runs, and leaves no listener', async () => {
  const stop = new AbortController();
  const { signal } = stop;
  runner = createRunner({ shutdown: { isStopping: () => signal.aborted, signal } });
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  await Promise.all(Array.from({ length: 20 }, () => runner.run(query())));
  // Node emits warnings in a later tick.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
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

it('records the job that it starts, and not again one that another instance has started', async () => {
  clock.skipsPauses = false;
  const recorded: QueryIds[] = [];
  const run = (started: QueryIds) => {
    const record = (ids: QueryIds) => Promise.resolve(void recorded.push({ ...ids }));
    return runner.run(query({ lasting: { started, endsAtMs: clock.nowMs() + 60_000, record } }));
  };
  await run({ requestId: 'r' });
  expect(recorded).toMatchObject([{ requestId: 'r', jobId: 'r', isStarted: true }]);
  await run({ ...recorded[0], requestId: 'r' });
  expect(recorded).toHaveLength(1);
  expect(proxy.callsOf('insert')).toHaveLength(1);
});

it('cancels nothing for a query that has no job', async () => {
  await runner.cancel({ requestId: 'r' });
  expect(proxy.calls).toEqual([]);
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
