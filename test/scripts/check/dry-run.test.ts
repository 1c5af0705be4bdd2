// Tests of `npm run check -- --dry-run`: asks about every query, enforces limits, and finds what does not prune.
import type { BoundQuery } from '../../../functions/core/query-runner.ts';
import { loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { dryRun, formatBytes, parameterSets } from '../../../scripts/check/dry-run.ts';
import type { LocalBigQuery } from '../../../scripts/local-bigquery/rest/server.ts';
import { main } from '../../../scripts/check.ts';
import { type CommandResult, runCommand, runScript } from '../../support/command.ts';
import { startLocalBigQuery, tablesOf } from '../../support/bigquery/local-bigquery.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';

const GIB = 1024 ** 3;
const catalogue = loadCatalogue(TEST_SQL);
const endpointOf = (name: string): Endpoint => catalogue.resolve(name) as Endpoint;
const COUNTS = endpointOf('web.visit-counts');
const BYTES_MAX = 10 * GIB;

/** A BigQuery whose answer depends on the day that the query takes for today. */
function estimates(bytes: { today: number; in1980: number; in2200: number }) {
  const asked: BoundQuery[] = [];
  return {
    asked,
    estimate: (query: BoundQuery): Promise<number> => {
      asked.push(query);
      if (query.sql.includes('1980-01-01')) return Promise.resolve(bytes.in1980);
      return Promise.resolve(query.sql.includes('2200-01-01') ? bytes.in2200 : bytes.today);
    },
  };
}

it('estimates every combination of listed values, with examples for the others', () => {
  expect(parameterSets(COUNTS)).toEqual([
    { project: 'kfqzwmxhvtrnjdbyplca', interval: 'hourly' },
    { project: 'kfqzwmxhvtrnjdbyplca', interval: 'daily' },
    { project: 'kfqzwmxhvtrnjdbyplca', interval: 'minutely' },
  ]);
  const sets = parameterSets(endpointOf('tasks.run-stats'));
  expect(sets.map(({ interval }) => interval)).toEqual(['5min', '15min', '1hr', '1day', '7day']);
});

it('estimates query.sql and warm.sql, each with its own parameters', async () => {
  const { estimate, asked } = estimates({ today: 5, in1980: 100, in2200: 0 });
  const scans = await dryRun(estimate, COUNTS, BYTES_MAX);
  expect(scans.map(({ fileName, parameters }) => [fileName, parameters.interval])).toEqual([
    ['query.sql', 'hourly'],
    ['warm.sql', 'hourly'],
    ['query.sql', 'daily'],
    ['warm.sql', 'daily'],
    ['query.sql', 'minutely'],
    ['warm.sql', 'minutely'],
  ]);
  const [query, , warm] = asked.filter(({ parameters }) => parameters.interval === 'hourly');
  expect(query).toMatchObject({
    sql: COUNTS.sql,
    parameters: { project: 'kfqzwmxhvtrnjdbyplca', interval: 'hourly' },
  });
  expect(warm).toEqual({
    sql: COUNTS.warming?.sql,
    parameters: { interval: 'hourly' },
    types: { project: 'STRING', interval: 'STRING' },
    keys: [{ key: '0', project: 'kfqzwmxhvtrnjdbyplca' }],
  });
});

it.each<[string, { today: number; in1980: number; in2200: number }, string[]]>([
  ['nothing in a query that prunes', { today: GIB, in1980: 90 * GIB, in2200: 0 }, []],
  [
    'nothing in one that reads all logs because all are young',
    { today: 9 * GIB, in1980: 9 * GIB, in2200: 0 },
    [],
  ],
  ['nothing in rows that still stream in', { today: GIB, in1980: 90 * GIB, in2200: 8 * GIB }, []],
  [
    'a filter that reads all days whatever day it is',
    { today: 9 * GIB, in1980: 9 * GIB, in2200: 9 * GIB },
    ['does not prune: it scans 9 GiB for days that have no logs'],
  ],
  ['nothing in a table too small to tell', { today: 1000, in1980: 1000, in2200: 1000 }, []],
  [
    'a query over the limit',
    { today: 10 * GIB + 1, in1980: 90 * GIB, in2200: 0 },
    ['scans 10 GiB, which is more than 10 GiB'],
  ],
])('reports %s', async (_, bytes, faults) => {
  const [scan] = await dryRun(estimates(bytes).estimate, COUNTS, BYTES_MAX);
  expect(scan?.faults).toEqual(faults);
});

it('checks only the bytes of a query that does not depend on the clock', async () => {
  const { estimate } = estimates({ today: 11 * GIB, in1980: 90 * GIB, in2200: 90 * GIB });
  const apart = ['web.visit-counts/query.sql interval=hourly'];
  const [query, warm] = await dryRun(estimate, COUNTS, BYTES_MAX, apart);
  expect(query?.faults).toEqual(['scans 11 GiB, which is more than 10 GiB']);
  expect(warm?.faults).toHaveLength(2);
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [10 * GIB, '10 GiB'],
  [3.25 * 1024 * GIB, '3.3 TiB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

/** Vitest types its matchers as anything. */
const matching = (pattern: string): unknown => expect.stringMatching(pattern);

describe('on the local BigQuery', () => {
  let bigquery: LocalBigQuery;

  beforeAll(async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      timestamp: index < 100 ? '2026-11-20T10:00:00Z' : '2026-10-20T10:00:00Z',
    }));
    const tables = await tablesOf(TEST_SQL, { web_visits: rows });
    const clock = { nowMs: () => Date.parse('2026-11-20T10:15:00Z') };
    bigquery = await startLocalBigQuery({ tables, clock });
  });

  const check = (...args: string[]): Promise<CommandResult> =>
    runCommand(main, ['--sql', TEST_SQL, ...args], {
      BIGQUERY_EMULATOR_HOST: bigquery.url,
      GOOGLE_CLOUD_PROJECT: '',
    });

  it('prints what each query would scan, with and without its time filter', async () => {
    const { code, stdout, stderr } = await check('--dry-run', '--project', 'p');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n');
    const scans = lines.slice(lines.findIndex((line) => /^QUERY +SCANS +OF$/.test(line)) + 1);
    expect(scans.map((line) => line.split(/ {2,}/))).toEqual([
      ...['5min', '15min', '1hr', '1day', '7day'].flatMap((interval) => [
        [`tasks.run-stats/query.sql interval=${interval}`, '0 B', '0 B'],
        [`tasks.run-stats/warm.sql interval=${interval}`, '0 B', '0 B'],
      ]),
      // 100 rows of today, with 8 bytes of timestamp each and without metadata.
      ...['hourly', 'daily', 'minutely'].flatMap((interval) => [
        [`web.visit-counts/query.sql interval=${interval}`, '800 B', '1.6 KiB'],
        [`web.visit-counts/warm.sql interval=${interval}`, '800 B', '1.6 KiB'],
      ]),
      [''],
    ]);
  });

  it('fails over the limit, and names the query', async () => {
    const { code, stderr } = await check('--dry-run', '--project', 'p', '--max-bytes', '10');
    expect(code).toBe(1);
    expect(stderr.split('\n')).toEqual([
      ...['hourly', 'daily', 'minutely'].flatMap((interval) =>
        ['query.sql', 'warm.sql'].map((file) =>
          matching(
            `^web.visit-counts/${file} interval=${interval} scans .*, which is more than 10 B$`,
          ),
        ),
      ),
      'Error: 6 faults',
      '',
    ]);
  });

  it('reports missing credentials in one line', async () => {
    const { code, stderr } = await runScript(
      'scripts/check.ts',
      ['--sql', TEST_SQL, '--dry-run', '--project', 'p'],
      {
        BIGQUERY_EMULATOR_HOST: '',
        GOOGLE_APPLICATION_CREDENTIALS: '',
        HOME: '/nonexistent',
        CLOUDSDK_CONFIG: '/nonexistent',
      },
    );
    expect([code, stderr]).toEqual([
      1,
      'Error: No credentials found: run "gcloud auth application-default login".\n',
    ]);
  });

  it.each<[string, string[], RegExp, code?: number]>([
    ['a missing project', ['--dry-run'], /^Error: Settings: GOOGLE_CLOUD_PROJECT must be set\.\n$/],
    [
      'a limit that is not a number',
      ['--dry-run', '--project', 'p', '--max-bytes', '1GB'],
      /^Error: --max-bytes must be a whole number of bytes, not "1GB"\.\n$/,
    ],
    [
      'an option without --dry-run',
      ['--project', 'p'],
      /^Error: --project needs --dry-run\.\n$/,
      2,
    ],
    [
      'a dataset that does not exist',
      ['--dry-run', '--project', 'p', '--dataset', 'none'],
      /^Error: Not found: Dataset p:none was not found in location US[^\n]*\n$/,
    ],
  ])('rejects %s with one line', async (_, args, message, expected = 1) => {
    const { code, stderr } = await check(...args);
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
  });
});
