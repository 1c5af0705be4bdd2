// Tests of `npm run new -- NAME --warm`: warm.sql reads only what has changed and passes the check, or nothing is created.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { main as check } from '../../../scripts/check.ts';
import { main } from '../../../scripts/new.ts';
import { SALES } from '../../support/bigquery/kept-rows.ts';
import { runCommand } from '../../support/command.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { NOW, ndjson } from '../../support/sql/new-tables.ts';

const sql = new FakeSqlTree();
const nowMs = () => Date.parse(NOW);

beforeAll(() => {
  const partitioned = (field: string) => ({
    partitioning: { type: 'DAY', field },
    requirePartitionFilter: true,
  });
  const columns = 'shop STRING, kind STRING, amount INT64, text STRING';
  sql.source('sales', `at TIMESTAMP, ${columns}`, partitioned('at'));
  sql.source('calls', `ts TIMESTAMP, ${columns}`, partitioned('ts'));
  sql.source('visits', 'day DATE, shop STRING', partitioned('day'));
  sql.source('shops', 'shop STRING, country STRING');
  const rows = ['18T09', '18T10', '19T11', '20T08'].flatMap((hour, index) =>
    ['a', 'b'].flatMap((shop, other) =>
      ['x', 'y'].map((kind) => {
        const at = `2026-11-${hour}:30:00Z`;
        return { at, shop, kind, amount: 1 + index + other, text: `${shop}${index}` };
      }),
    ),
  );
  const timed = rows.map(({ at, ...row }) => ({ ts: at, ...row }));
  sql.write('sources/sales/sample.ndjson', ndjson(rows));
  sql.write('sources/calls/sample.ndjson', ndjson(timed));
  sql.write('sources/visits/sample.ndjson', ndjson([{ day: '2026-11-20', shop: 'a' }]));
});

/** `npm run new -- NAME --warm` of a query; the files are empty if it is refused. */
async function make(name: string, query: string) {
  sql.write(`${name}.sql`, query);
  const file = join(sql.directory, `${name}.sql`);
  const args = [name, '--sql', file, '--warm', '--directory', sql.directory];
  const made = await runCommand(main, args, {}, nowMs);
  const read = (path: string): string =>
    made.code === 0 ? sql.read(`endpoints/${name}/${path}`) : '';
  const { warming, bucket } = JSON.parse(read('endpoint.json') || '{}') as Record<string, unknown>;
  return { ...made, warm: read('warm.sql'), warming, bucket };
}

const checked = (name: string) => runCommand(check, [name, '--sql', sql.directory], {}, nowMs);

it('writes for whole buckets what an author would write', async () => {
  const { code, stdout, stderr, ...made } = await make('sales.by-day', SALES.query);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('  warm.sql          for many values of shop and kind in one job\n');
  expect(made.warm.replace(/^(?:--.*\n)+/, ''))
    .toBe(`SELECT keys.key, DATE(sold.at) AS day, SUM(sold.amount) AS total, MAX(sold.text) AS text
FROM sales AS sold
CROSS JOIN UNNEST(@keys) AS keys
WHERE
  sold.at >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 30 DAY), DAY)
  AND sold.at >= @since
  AND sold.shop = keys.shop
  AND sold.kind = keys.kind
GROUP BY keys.key, day
ORDER BY key, day
`);
  expect(made.bucket).toEqual(SALES.definition.bucket);
  expect(made.warming).toEqual({
    batchOver: ['shop', 'kind'],
    maxKeys: 1000,
    incremental: { settleSeconds: 3600, fullEverySeconds: 21_600 },
  });
  const result = await checked('sales.by-day');
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toMatch(/^ok {2}sales.by-day \(3 columns, 1 test\)\n/);
});

it('keeps other parameters and conditions', async () => {
  const { code, stderr, ...made } = await make(
    'calls.by-hour',
    `SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, kind, SUM(amount) AS total, MAX(text) AS text
FROM calls
WHERE shop = @shop
  AND (ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP, INTERVAL 72 HOUR), HOUR)
    AND (kind = @kind OR @kind = ''))
  AND (amount + 0) BETWEEN 1 AND 1000 AND kind NOT IN ('z', 'q')
GROUP BY 1, kind
HAVING SUM(amount) > 0
ORDER BY 1, total DESC;
`,
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(made.bucket).toEqual({ column: 'hour', step: 'PT1H', window: 'PT72H', whole: true });
  expect(made.warming).toMatchObject({ batchOver: ['shop'] });
  expect(made.warm.replace(/^(?:--.*\n)+/, '')).toBe(
    `SELECT keys.key, TIMESTAMP_TRUNC(ts, HOUR) AS hour, kind, SUM(amount) AS total, MAX(text) AS text
FROM calls
CROSS JOIN UNNEST(@keys) AS keys
WHERE calls.shop = keys.shop
  AND (ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 72 HOUR), HOUR)
  AND calls.ts >= @since
    AND (kind = @kind OR @kind = ''))
  AND (amount + 0) BETWEEN 1 AND 1000 AND kind NOT IN ('z', 'q')
GROUP BY keys.key, 2, kind
HAVING SUM(amount) > 0
ORDER BY key, 2, total DESC
`,
  );
  expect(await checked('calls.by-hour')).toMatchObject({ code: 0, stderr: '' });
});

const HOURS = 'ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 72 HOUR), HOUR)';

const [, documented = ''] =
  /<<'SQL'\n(.*?)^SQL/ms.exec(readFileSync('docs/reference/incremental.md', 'utf8')) ?? [];

it.each([
  documented,
  `SELECT DATE(ts) AS day, COUNT(*) AS n FROM \`calls\` AS c
   WHERE c.ts >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), DAY) AND @amount = amount
   GROUP BY ALL ORDER BY day`,
  `SELECT DATETIME(TIMESTAMP_TRUNC(ts, HOUR)) AS hour, COUNT(*) AS n, calls.shop FROM calls
   WHERE ${HOURS} AND NOT (kind = 'z' OR amount = 7) AND calls.shop = @shop
     AND CASE WHEN amount > 2 THEN TRUE ELSE NOT FALSE END AND text <> '''
     line''' AND kind IS NOT NULL AND shop_of(text) = 'a'
   GROUP BY hour, calls.shop ORDER BY hour ASC`,
])('writes a warm.sql that passes the check: %s', async (query) => {
  sql.write('routines/shop_of.sql', 'CREATE TEMP FUNCTION shop_of(t STRING) AS (SUBSTR(t, 1, 1));');
  const name = `calls.n${query.length}`;
  const { code, warm } = await make(name, query);
  expect(query).toContain('SELECT');
  expect(code).toBe(0);
  expect(await checked(name)).toMatchObject({ code: 0, stderr: '' });
  expect(warm.includes("'''\n     line'''")).toBe(query.includes("'''"));
});

it.each(readExpectations('test/scripts/new/refused-warm.sql').refused ?? [])(
  'refuses %s',
  async (query, reason) => {
    const { code, stdout, stderr } = await make('calls.refused', query);
    const told = `Error: --warm cannot write warm.sql: ${reason}; see docs/reference/incremental.md, or omit --warm.\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: told });
    expect(existsSync(join(sql.directory, 'endpoints/calls.refused'))).toBe(false);
  },
);
