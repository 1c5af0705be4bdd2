// Tests of `npm run check -- --dry-run`: asks about every query, enforces limits, and finds what does not prune.
import type { BoundQuery } from '../../../../functions/core/query-runner.ts';
import { loadCatalogue } from '../../../../scripts/compile/inspect-catalogue.ts';
import type { Endpoint } from '../../../../functions/endpoints/endpoint.ts';
import { dryRun, formatBytes } from '../../../../scripts/check/dry-run.ts';
import { main } from '../../../../scripts/check.ts';
import { startLocalBigQuery, tablesOf } from '../../../support/bigquery/local-bigquery.ts';
import { TEST_SQL } from '../../../support/sql/test-sql.ts';
import { FakeSqlTree } from '../../../support/sql/fake-sql-tree.ts';
import { ofMain, runTranscript, transcriptsOf } from '../../../support/sql/transcripts.ts';

const GIB = 1024 ** 3;
const COUNTS = loadCatalogue(TEST_SQL).resolve('web.visit-counts') as Endpoint;

/** A BigQuery whose answer depends on the day that the query takes for today. */
function estimates(today: number, in1980: number, in2200: number) {
  const asked: BoundQuery[] = [];
  return {
    asked,
    estimate: (query: BoundQuery): Promise<number> => {
      asked.push(query);
      if (query.sql.includes('1980-01-01')) return Promise.resolve(in1980);
      return Promise.resolve(query.sql.includes('2200-01-01') ? in2200 : today);
    },
  };
}

it('estimates query.sql and warm.sql, each with its own parameters', async () => {
  const { estimate, asked } = estimates(5, 100, 0);
  const derived = { endpoint: COUNTS, batch: { isDerived: true } };
  const [, scan] = await dryRun(estimate, derived, 10 * GIB);
  expect(scan?.name).toBe('web.visit-counts/batch interval=hourly');
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

it.each<[what: string, bytes: [number, number, number], ...faults: string[]]>([
  ['nothing in a query that prunes', [GIB, 90 * GIB, 0]],
  ['nothing in one that reads all logs because all are young', [9 * GIB, 9 * GIB, 0]],
  ['nothing in rows that still stream in', [GIB, 90 * GIB, 8 * GIB]],
  [
    'a filter that reads all days whatever day it is',
    [9 * GIB, 9 * GIB, 9 * GIB],
    'does not prune: it scans 9 GiB for days that have no logs',
  ],
  ['nothing in a table too small to tell', [1000, 1000, 1000]],
  [
    'a query over the limit',
    [10 * GIB + 1, 90 * GIB, 0],
    'scans 10 GiB, which is more than 10 GiB',
  ],
])('reports %s', async (_, bytes, ...faults) => {
  const [scan] = await dryRun(estimates(...bytes).estimate, { endpoint: COUNTS }, 10 * GIB);
  expect(scan?.faults).toEqual(faults);
});

it('checks only the bytes of a query that does not depend on the clock', async () => {
  const { estimate } = estimates(11 * GIB, 90 * GIB, 90 * GIB);
  const apart = ['web.visit-counts/query.sql interval=hourly'];
  const [query, warm] = await dryRun(estimate, { endpoint: COUNTS }, 10 * GIB, apart);
  expect(query?.faults).toEqual(['scans 11 GiB, which is more than 10 GiB']);
  expect(warm?.faults).toHaveLength(2);
});

it('writes bytes in the largest unit that leaves at least one', () => {
  const written = [0, 1023, 1536, 10 * GIB, 3.25 * 1024 * GIB].map(formatBytes);
  expect(written).toEqual(['0 B', '1023 B', '1.5 KiB', '10 GiB', '3.3 TiB']);
});

it.each(transcriptsOf('test/scripts/check/windows/dry-run.txt'))(
  'on the local BigQuery %s',
  async (_, transcript) => {
    const now = '2026-11-20T10:15:00Z';
    const rows = Array.from({ length: 200 }, (__, index) => ({
      timestamp: index < 100 ? '2026-11-20T10:00:00Z' : '2026-10-20T10:00:00Z',
    }));
    const tables = await tablesOf(TEST_SQL, { web_visits: rows });
    const { url } = await startLocalBigQuery({ tables, clock: { nowMs: () => Date.parse(now) } });
    const env = { BIGQUERY_EMULATOR_HOST: url, GOOGLE_CLOUD_PROJECT: '' };
    const check = ofMain(main, { now });
    await runTranscript(transcript, new FakeSqlTree(TEST_SQL), {
      check: (tree, args, input) => check(tree, args, input, env),
    });
  },
);
