// Splitting a batch by key gives what the single queries give, through the real engine and client.
import fc from 'fast-check';
import { loadCatalogue } from '../../functions/endpoints/catalogue.ts';
import { encodeRows } from '../../functions/results/encode.ts';
import { type Endpoint, columnsOf } from '../../functions/endpoints/endpoint.ts';
import type { QueryResult } from '../../functions/core/query-runner.ts';
import { re2PatternFault } from '../../functions/endpoints/re2-pattern.ts';
import {
  KEY_COLUMN,
  type KeyPart,
  createKeySplitter,
} from '../../functions/results/split-by-key.ts';
import { createLocalBigQuery } from '../../scripts/local/bigquery/server.ts';
import { type GoogleSql, startGoogleSql } from '../../scripts/local/googlesql/engine.ts';
import { readLogSources } from '../../scripts/local/logs/log-sources.ts';
import { type BigQueryProxy, startBigQueryProxy } from '../support/bigquery-proxy.ts';
import { ControlledClock } from '../support/controlled-clock.ts';
import { createLocalQueryRunner } from '../support/local-query-runner.ts';

const NOW = '2026-11-20T10:07:30.500Z';
const clock = new ControlledClock(NOW);
const catalogue = loadCatalogue('sql');

type Logs = Partial<Record<'function_relay_logs' | 'edge_logs', object[]>>;
type Parameters = Record<string, string>;

interface Log {
  proxy: BigQueryProxy;
  /** The result of `query.sql`. */
  single: (parameters: Parameters, rowCountMax?: number) => Promise<QueryResult>;
  /** The results of `warm.sql` in the order of the keys. */
  batch: (shared: Parameters, keys: Parameters[], rowCountMax?: number) => Promise<KeyPart[]>;
}

// Most of it is time that the reference engine takes, which a loaded machine multiplies.
jest.setTimeout(60_000);

let engine: GoogleSql;

beforeAll(async () => {
  engine = await startGoogleSql();
});

afterAll(() => engine.close());

/** Runs `use` with a BigQuery of its own that holds the logs. */
async function withLogs(name: string, rows: Logs, use: (log: Log) => Promise<void>): Promise<void> {
  const endpoint = catalogue.resolve(name) as Endpoint;
  const sources = await readLogSources('sql/sources');
  const tables = sources.map((source) => ({
    ...source,
    rows: rows[source.name as keyof Logs] ?? [],
  }));
  const bigquery = await createLocalBigQuery({ engine, tables, clock, freshMs: 0 });
  const proxy = await startBigQueryProxy(bigquery.url);
  const runner = createLocalQueryRunner(proxy.url, clock);
  const common = { endpoint: name, deadlineMs: clock.nowMs() + 60_000 };
  try {
    await use({
      proxy,
      single: (parameters, rowCountMax = endpoint.maxRows) =>
        runner.run({
          ...common,
          sql: endpoint.sql,
          parameters,
          columns: columnsOf(endpoint),
          rowCountMax,
        }),
      batch: async (parameters, given, rowCountMax = endpoint.maxRows) => {
        const keys = given.map((key, index) => ({ key: `k${index}`, ...key }));
        const splitter = createKeySplitter(
          keys.map(({ key }) => key),
          rowCountMax,
        );
        const byKey = new Map<string, KeyPart>();
        const take = (part: KeyPart): void => {
          const before = byKey.get(part.key);
          const truncated = part.truncated || before?.truncated === true;
          byKey.set(part.key, {
            ...part,
            rows: [...(before?.rows ?? []), ...part.rows],
            truncated,
          });
        };
        await runner.run({
          ...common,
          sql: endpoint.warming?.sql ?? '',
          parameters,
          keys,
          columns: [KEY_COLUMN, ...columnsOf(endpoint)],
          rowCountMax: Number.MAX_SAFE_INTEGER,
          onPage: ({ schema, rows }) => {
            splitter.push(schema, rows).forEach(take);
            return Promise.resolve();
          },
        });
        splitter.finish().forEach(take);
        expect(byKey.size).toBe(keys.length);
        return keys.map(({ key }) => byKey.get(key) as KeyPart);
      },
    });
  } finally {
    await proxy.close();
    await bigquery.close();
  }
}

/** What ends up in an entry. */
function stored({
  schema,
  rows,
  truncated,
}: Pick<KeyPart, 'schema' | 'rows' | 'truncated'>): object {
  return { body: encodeRows(schema, rows), truncated };
}

/** The contract: every key of the batch has the body of the single query, byte for byte. */
async function expectSameAnswers(
  name: string,
  rows: Logs,
  shared: Parameters,
  keys: Parameters[],
  rowCountMax: number,
): Promise<void> {
  await withLogs(name, rows, async ({ single, batch }) => {
    const expected = keys.map(async (key) =>
      stored(await single({ ...shared, ...key }, rowCountMax)),
    );
    expect((await batch(shared, keys, rowCountMax)).map(stored)).toEqual(
      await Promise.all(expected),
    );
  });
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Instants around now, around the edges of a step that ends or begins there, and in the future. */
function instant(spanMs: number, stepMs: number): fc.Arbitrary<string> {
  const nowMs = Date.parse(NOW);
  const edge = fc
    .tuple(
      fc.integer({ min: -Math.min(spanMs / stepMs + 1, 400), max: 1 }),
      fc.constantFrom(-1, 0, 1),
    )
    .map(([steps, offMs]) => Math.floor(nowMs / stepMs) * stepMs + steps * stepMs + offMs);
  const start = fc.constantFrom(-1, 0, 1).map((offMs) => nowMs - spanMs + offMs);
  const any = fc.integer({ min: -spanMs - 2 * stepMs, max: 2 * stepMs }).map((ms) => nowMs + ms);
  return fc
    .oneof(
      { weight: 4, arbitrary: edge },
      { weight: 1, arbitrary: start },
      { weight: 3, arbitrary: any },
    )
    .map((ms) => new Date(ms).toISOString());
}

describe('functions.invocation-stats: a batch', () => {
  const NAME = 'functions.invocation-stats';

  /** A record with any number of metadata entries and responses, and nothing sure in them. */
  const record = (spanMs: number, stepMs: number): fc.Arbitrary<object> =>
    fc.record({
      id: fc.constant('r'),
      timestamp: instant(spanMs, stepMs),
      metadata: fc.array(
        fc.record({
          project_ref: fc.constantFrom('proj-a', 'proj-a', 'proj-b', 'PROJ-A', '', null),
          function_id: fc.constantFrom('f1', 'f1', 'f2', 'f3', '', null),
          execution_time_ms: fc.oneof(
            fc.constantFrom(null, 0, 0.1, 0.2, 0.3, 1e9),
            fc.double({ min: 0, max: 5000, noNaN: true }),
          ),
          response: fc.array(
            fc.record({
              status_code: fc.constantFrom(null, 101, 200, 302, 399, 400, 404, 500, 599),
            }),
            { maxLength: 2 },
          ),
        }),
        { maxLength: 3 },
      ),
    });

  const keys = fc.uniqueArray(
    fc.record({
      project: fc.constantFrom('proj-a', 'proj-b', 'PROJ-A', 'proj', 'proj-c'),
      function_id: fc.constantFrom('', 'f1', 'f2', 'F1', 'unlisted'),
    }),
    {
      minLength: 1,
      maxLength: 8,
      selector: ({ project, function_id }) => `${project} ${function_id}`,
    },
  );

  it.each([
    ['5min', 5 * MINUTE, SECOND],
    ['15min', 15 * MINUTE, MINUTE],
    ['1hr', HOUR, MINUTE],
    ['1day', DAY, HOUR],
    ['7day', 7 * DAY, DAY],
  ])('of %s is its single queries, over random logs', async (interval, spanMs, stepMs) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record(spanMs, stepMs), { maxLength: 60, size: 'max' }),
        keys,
        fc.constantFrom(1, 2, 3, 1000),
        (rows, given, rowCountMax) =>
          expectSameAnswers(NAME, { function_relay_logs: rows }, { interval }, given, rowCountMax),
      ),
      { numRuns: 4 },
    );
  });

  const invocation = (
    at: string,
    project: string,
    functionId: string | null,
    ms: number,
  ): object => ({
    id: 'r',
    timestamp: at,
    metadata: [
      {
        project_ref: project,
        function_id: functionId,
        execution_time_ms: ms,
        response: [{ status_code: ms > 100 ? 500 : 200 }],
      },
    ],
  });

  it('has for an empty function_id all functions of the project, and for the others theirs', () =>
    withLogs(
      NAME,
      {
        function_relay_logs: [
          invocation('2026-11-20T10:07:30.100Z', 'proj-a', 'f1', 10),
          invocation('2026-11-20T10:07:01.000Z', 'proj-a', 'f2', 200),
          invocation('2026-11-20T10:07:02.000Z', 'proj-a', null, 30),
          invocation('2026-11-20T09:53:00.000Z', 'proj-a', '', 60),
          invocation('2026-11-20T10:07:00.000Z', 'proj-b', 'f1', 70),
        ],
      },
      async ({ batch }) => {
        const results = await batch({ interval: '15min' }, [
          { project: 'proj-a', function_id: 'f2' },
          { project: 'proj-a', function_id: '' },
          { project: 'proj-c', function_id: '' },
          { project: 'proj-b', function_id: 'f1' },
        ]);
        const row = (at: string, ms: number[], errors: number): object => ({
          timestamp: at,
          min_execution_time: ms[0],
          max_execution_time: ms[1],
          avg_execution_time: ms[2],
          p95_execution_time: ms[1],
          p99_execution_time: ms[1],
          count: ms[3],
          error_count: errors,
        });
        expect(
          results.map(({ schema, rows }) => JSON.parse(encodeRows(schema, rows)) as unknown),
        ).toEqual([
          { result: [row('2026-11-20T10:07:00Z', [200, 200, 200, 1], 1)] },
          {
            result: [
              row('2026-11-20T09:53:00Z', [60, 60, 60, 1], 0),
              row('2026-11-20T10:07:00Z', [10, 200, 80, 3], 1),
            ],
          },
          { result: [] },
          { result: [row('2026-11-20T10:07:00Z', [70, 70, 70, 1], 0)] },
        ]);
      },
    ));

  it('of 1,000 keys is one job', () =>
    withLogs(
      NAME,
      {
        function_relay_logs: Array.from({ length: 2000 }, (_, index) =>
          invocation(NOW, `proj-${index % 500}`, `f${index % 3}`, index),
        ),
      },
      async ({ batch, single, proxy }) => {
        const keys = Array.from({ length: 1000 }, (_, index) => ({
          project: `proj-${index % 500}`,
          function_id: index < 500 ? '' : 'f1',
        }));
        const results = await batch({ interval: '1day' }, keys);
        expect(proxy.calls.filter(({ kind }) => kind === 'insert')).toHaveLength(1);
        expect(results.filter(({ rows }) => rows.length === 1)).toHaveLength(1000);
        for (const index of [0, 7, 499, 500, 999]) {
          const expected = await single({ interval: '1day', ...(keys[index] as Parameters) });
          expect(stored(results[index] as KeyPart)).toEqual(stored(expected));
        }
      },
    ));
});

describe('usage.api-counts: a batch', () => {
  const NAME = 'usage.api-counts';
  const HOSTS = ['proj-a', 'proj-ab', 'proj-b', 'PROJ-A', 'proja', 'a.proj', 'proj|a'];
  const PATHS = [
    '/rest/v1',
    '/storage/v1/rest',
    '/auth/v1/token',
    '/realtime/v1',
    '/Rest',
    '/',
    '',
  ];

  const request = fc.record({
    url: fc.oneof(
      { weight: 1, arbitrary: fc.constant(null) },
      {
        weight: 12,
        arbitrary: fc
          .tuple(fc.constantFrom(...HOSTS), fc.constantFrom(...PATHS), fc.constantFrom('', '?a=é'))
          .map(([host, path, search]) => `https://${host}.example.co${path}${search}`),
      },
    ),
    path: fc.constantFrom(...PATHS, null),
  });

  const record = (spanMs: number, stepMs: number): fc.Arbitrary<object> =>
    fc.record({
      id: fc.constant('e'),
      timestamp: instant(spanMs, stepMs),
      metadata: fc.array(fc.record({ request: fc.array(request, { maxLength: 2 }) }), {
        maxLength: 2,
      }),
    });

  /** Where a literal start may go wrong: quantifiers, alternatives, flags, anchors, quoting, classes. */
  const ATOMS = [
    'proj',
    'a',
    'b',
    '-',
    '/',
    ':',
    '.',
    '\\.',
    '[ab]',
    '(?i)',
    '(?:ab)',
    '(a|b)',
    '|',
  ];
  const QUANTIFIERS = ['', '', '', '?', '*', '+', '{0}', '{0,2}', '??'];
  const pattern = fc.oneof(
    fc.constantFrom(
      ...['proj-a', 'proj-b', 'proj-c', '^https://proj-a\\.', 'proj-a|proj-b', '(?i)proj-a'],
      ...[
        'proj-[ab]',
        'proj-ab?',
        'proj-a(?i)B',
        '/v1$',
        '\\Qproj|a\\E',
        '^',
        'proj-a|',
        'é$',
        'x{0}',
      ],
    ),
    fc
      .tuple(
        fc.constantFrom('', '', '^'),
        fc.array(fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...QUANTIFIERS)), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.constantFrom('', '', '$'),
      )
      .map(([start, atoms, end]) => start + atoms.flat().join('') + end)
      .filter((text) => re2PatternFault(text) === undefined),
  );

  it.each([
    ['minutely', HOUR, MINUTE],
    ['hourly', HOUR, HOUR],
    ['daily', 7 * DAY, DAY],
  ])('of %s is its single queries, over random logs', async (interval, spanMs, stepMs) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record(spanMs, stepMs), { maxLength: 60, size: 'max' }),
        fc.uniqueArray(pattern, { minLength: 1, maxLength: 10 }),
        fc.constantFrom(1, 2, 3, 1000),
        (rows, patterns, rowCountMax) =>
          expectSameAnswers(
            NAME,
            { edge_logs: rows },
            { interval },
            patterns.map((project) => ({ project })),
            rowCountMax,
          ),
      ),
      { numRuns: 6 },
    );
  });

  const visit = (at: string, url: string, path: string): object => ({
    id: 'e',
    timestamp: at,
    metadata: [{ request: [{ url, path }] }],
  });

  it('counts a request for every pattern that matches its URL, in every area of its path', () =>
    withLogs(
      NAME,
      {
        edge_logs: [
          visit('2026-11-20T10:07:00.000Z', 'https://proj-a.example.co/1', '/rest/v1'),
          visit('2026-11-20T10:07:30.400Z', 'https://proj-a.example.co/1', '/storage/v1/rest'),
          visit('2026-11-20T10:00:00.000Z', 'https://proj-a.example.co/1', '/auth/v1'),
          visit('2026-11-20T10:00:59.999Z', 'https://proj-b.example.co/1', '/realtime/v1'),
        ],
      },
      async ({ batch }) => {
        const results = await batch({ interval: 'minutely' }, [
          { project: 'proj-b' },
          { project: 'proj-[ab]' },
          { project: 'proj-a' },
          { project: 'PROJ-A' },
        ]);
        const rowsOf = results.map(({ rows }) => rows.map(({ f }) => f.map(({ v }) => v)));
        expect(rowsOf).toEqual([
          [['2026-11-20T10:00:00', '0', '0', '0', '1']],
          [
            ['2026-11-20T10:00:00', '0', '0', '1', '1'],
            ['2026-11-20T10:07:00', '2', '1', '0', '0'],
          ],
          [
            ['2026-11-20T10:00:00', '0', '0', '1', '0'],
            ['2026-11-20T10:07:00', '2', '1', '0', '0'],
          ],
          [],
        ]);
      },
    ));

  it.each(['(', 'zebra('])(
    'with the faulty pattern %s among good ones fails as a whole',
    (faulty) =>
      withLogs(
        NAME,
        { edge_logs: [visit(NOW, 'https://proj-a.example.co', '/rest')] },
        async ({ batch, single }) => {
          const refused = { reason: 'INVALID_PARAMETERS' };
          const interval = 'daily';
          await expect(single({ interval, project: faulty })).rejects.toMatchObject(refused);
          await expect(
            batch({ interval }, [{ project: 'proj-a' }, { project: faulty }]),
          ).rejects.toMatchObject(refused);
        },
      ),
  );

  it('of 1,000 keys is one job', () =>
    withLogs(
      NAME,
      {
        edge_logs: Array.from({ length: 2000 }, (_, index) =>
          visit(NOW, `https://project${index % 40}.example.co/`, '/rest/v1'),
        ),
      },
      async ({ batch, single, proxy }) => {
        const keys = Array.from({ length: 1000 }, (_, index) => ({
          project: index % 2 === 0 ? `project${index}` : `project${index}\\.`,
        }));
        const results = await batch({ interval: 'hourly' }, keys);
        expect(proxy.calls.filter(({ kind }) => kind === 'insert')).toHaveLength(1);
        expect(results.filter(({ rows }) => rows.length === 1)).toHaveLength(40);
        for (const index of [0, 1, 4, 39, 40, 999]) {
          const expected = await single({ interval: 'hourly', ...(keys[index] as Parameters) });
          expect(stored(results[index] as KeyPart)).toEqual(stored(expected));
        }
      },
    ));
});
