// `npm run check -- --dry-run`: what each query would read, asked of a BigQuery.
import { type LocalBigQuery, createLocalBigQuery } from '../../scripts/local/bigquery.ts';
import { type GoogleSql, startGoogleSql } from '../../scripts/local/googlesql.ts';
import { readLogSources } from '../../scripts/local/log-sources.ts';
import { type DryRun, dryRunFaults } from '../../scripts/dry-run.ts';
import { runScript } from '../support/command.ts';

let engine: GoogleSql;
let bigquery: LocalBigQuery;

beforeAll(async () => {
  engine = await startGoogleSql();
  const timestamp = '2026-11-20T10:00:00Z';
  const rows = Array.from({ length: 50 }, (_, index) => ({ id: `r${index}`, timestamp }));
  const tables = (await readLogSources('sql/sources')).map((source) => ({ ...source, rows }));
  bigquery = await createLocalBigQuery({ engine, tables });
});

afterAll(async () => {
  await bigquery.close();
  await engine.close();
});

const check = (...args: string[]): ReturnType<typeof runScript> =>
  runScript('scripts/check.ts', ['--dry-run', '--project', 'p', ...args], {
    BIGQUERY_EMULATOR_HOST: bigquery.url,
  });

it('tells for each query and each combination of listed values what it would read', async () => {
  const { code, stdout } = await check();
  expect(code).toBe(0);
  const lines = stdout.split('\n').filter((line) => / B | KiB /.test(line));
  // Five intervals and three, each as a query and as a batch.
  expect(lines).toHaveLength(16);
  expect(lines[0]).toMatch(
    /^ +\d+(\.\d)? (B|KiB) {2}functions\.invocation-stats\/query\.sql project=kfqzwmxhvtrnjdbyplca&function_id=\S+&interval=5min$/,
  );
});

it('asks for credentials in one line where there are none', async () => {
  const { code, stderr } = await runScript('scripts/check.ts', ['--dry-run', '--project', 'p'], {
    BIGQUERY_EMULATOR_HOST: '',
    GOOGLE_APPLICATION_CREDENTIALS: '',
    HOME: '/nonexistent',
  });
  expect(code).toBe(1);
  expect(stderr).toContain('There are no credentials: ');
});

it('refuses a limit that is none', async () => {
  const { code, stderr } = await check('--max-bytes', 'many');
  expect(code).toBe(1);
  expect(stderr).toContain('MAX_BYTES_BILLED must be a whole number');
});

describe('is a fault', () => {
  const MIB = 1024 * 1024;
  const runs = (...mebibytes: number[]): DryRun[] =>
    mebibytes.map((size, index) => ({
      endpoint: 'a.b',
      file: 'query.sql',
      parameters: { interval: String(index) },
      bytesProcessed: size * MIB,
    }));

  it.each<[string, DryRun[], string[]]>([
    ['nothing of a query that prunes', runs(5, 500), []],
    [
      'a query over the limit',
      runs(5, 1025),
      ['a.b/query.sql interval=1: would read 1.0 GiB, more than 1.0 GiB'],
    ],
    [
      'a query that reads as much whatever it is asked',
      runs(500, 500),
      [
        'a.b/query.sql: reads 500.0 MiB for every parameter set: its partition filter does not prune',
      ],
    ],
    ['nothing where there is too little to tell', runs(50, 50), []],
    ['nothing of a query without choices', runs(500), []],
  ])('%s', (_, given, faults) => {
    expect(dryRunFaults(given, 1024 * MIB)).toEqual(faults);
  });
});
