// Tests of `npm run new -- NAME`: it creates an endpoint that passes the check, or changes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointDefinition } from '../../../functions/endpoints/endpoint.ts';
import { check as isFormatted, resolveConfig } from 'prettier';
import { main as check } from '../../../scripts/check.ts';
import { main } from '../../../scripts/new.ts';
import { runCommand, wordsOf } from '../../support/command.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { CUSTOMERS, NOW, NewTables, ORDERS } from './new-tables.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const REVENUE = `SELECT
  customers.country,
  orders.order_day AS day,
  COUNT(*) AS order_count,
  SUM(amount) AS revenue
FROM orders
JOIN customers USING (customer_id)
WHERE
  orders.order_day >= @from_day
  AND (@min_amount IS NULL OR amount >= @min_amount)
  AND (ARRAY_LENGTH(@countries) = 0 OR country IN UNNEST(@countries))
GROUP BY country, day
ORDER BY day, country
LIMIT @n
`;

const { refused = [] } = readExpectations('test/scripts/new/refused-queries.sql');

let made: NewTables;
beforeAll(async () => void (made = await new NewTables().make()));

const endpointFile = (name: string): string => `endpoints/${name}/endpoint.json`;
const checked = () => runCommand(check, ['--sql', made.sql], {}, () => Date.parse(NOW));

describe('for a query over two tables', () => {
  let stdout: string;
  beforeAll(async () => {
    const options = ['--description', 'Revenue by day.'];
    const result = await made.fromQuery('sales.revenue', REVENUE, ...options);
    expect([result.code, result.stderr]).toEqual([0, '']);
    stdout = result.stdout;
  });

  it('declares the types of parameters and columns, with the descriptions and examples of the tables', () => {
    expect(made.json(endpointFile('sales.revenue'))).toEqual({
      $schema: '../../endpoint.schema.json',
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      name: 'sales.revenue',
      description: 'Revenue by day.',
      queryLanguage: 'bigquery',
      maxRows: 1000,
      cachingSeconds: 900,
      cacheWarmingSeconds: 300,
      sandboxed: false,
      parameters: {
        from_day: {
          description: 'Day of the order.',
          required: true,
          type: 'DATE',
          example: '2020-02-29',
        },
        min_amount: {
          description: 'Min amount',
          required: false,
          type: 'NUMERIC',
          example: '19.9',
        },
        countries: {
          description: 'Countries',
          required: false,
          type: 'ARRAY<STRING>',
          example: ['DE'],
        },
        n: {
          description: 'N',
          required: true,
          type: 'INT64',
          minimum: 1,
          maximum: 1000,
          example: '10',
        },
      },
      row: {
        country: { type: 'STRING', mode: 'NULLABLE', description: 'Country' },
        day: { type: 'DATE', mode: 'REQUIRED', description: 'Day of the order.' },
        order_count: { type: 'INT64', mode: 'REQUIRED', description: 'Order count' },
        revenue: { type: 'NUMERIC', mode: 'NULLABLE', description: 'Revenue' },
      },
      bucket: { column: 'day', step: 'P1D' },
    });
  });

  it('keeps the query, and adds its description as a comment', () => {
    expect(made.read('endpoints/sales.revenue/query.sql')).toBe(`-- Revenue by day.\n${REVENUE}`);
  });

  it('keeps a description of two lines out of the SQL', async () => {
    const sql = 'SELECT segment FROM customers';
    expect(
      await made.fromQuery('sales.lines', sql, '--description', 'All\nsegments.'),
    ).toMatchObject({ code: 0 });
    expect(made.read('endpoints/sales.lines/query.sql')).toBe(`-- All\n-- segments.\n${sql}`);
  });

  it('records the returned rows in a first test', () => {
    expect(made.json('endpoints/sales.revenue/tests/first.json')).toEqual([
      {
        name: 'sample rows',
        now: '2026-11-20T10:15:00Z',
        tables: { orders: ORDERS, customers: CUSTOMERS },
        parameters: 'from_day=2020-02-29&min_amount=19.9&countries=DE&n=10',
        expected_result: [
          { country: 'DE', day: '2020-02-29', order_count: 1, revenue: '80' },
          { country: 'DE', day: '2026-11-20', order_count: 2, revenue: '140.4' },
        ],
      },
    ]);
  });

  it('lists the created files and the next steps', () => {
    expect(stdout).toBe(`${made.sql}/endpoints/sales.revenue
  endpoint.json     4 parameters, 4 columns
  query.sql
  tests/first.json  2 rows, recorded from this run; review before committing

Next: read endpoint.json, then
  npm run check -- sales.revenue --sql ${made.sql}
  npm start -- --sql ${made.sql}
  curl --compressed -H 'X-API-KEY: local-dev-key' \\
    'http://localhost:8080/api/endpoints/query/sales.revenue?from_day=2020-02-29&min_amount=19.9&countries=DE&n=10'
If npm start prints another port, use that one in the call.
`);
  });

  it('passes the check and Prettier unchanged', async () => {
    const { code, stdout, stderr } = await checked();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('\nok  sales.revenue (4 columns, 1 test)\n');
    const options = await resolveConfig('package.json');
    for (const file of [
      endpointFile('sales.revenue'),
      'endpoints/sales.revenue/tests/first.json',
      'sources/orders/schema.json',
      'sources/orders/table.json',
    ]) {
      const result = await isFormatted(made.read(file), { ...options, parser: 'json' });
      expect([file, result]).toEqual([file, true]);
    }
  });
});

it('records the error of a query that fails with the examples, and says that it has no rows', async () => {
  const sql =
    "SELECT order_id FROM orders WHERE order_day < '2021-01-01' ORDER BY order_id LIMIT 5 OFFSET @o";
  const { code, stdout } = await made.fromQuery('sales.offset', sql, '--example', 'o=-1');
  expect([code, stdout]).toEqual([0, expect.stringContaining('tests/first.json  0 rows')]);
  expect(made.json('endpoints/sales.offset/tests/first.json')).toMatchObject([
    { expected_http_status: 400, expected_reason: 'INVALID_PARAMETERS' },
  ]);
});

it('says of a first test without rows that it shows nothing', async () => {
  const sql = "SELECT order_id FROM orders WHERE order_day = '1999-01-01'";
  const { code, stdout, stderr } = await made.fromQuery('sales.nothing', sql);
  expect(code).toBe(0);
  expect(stdout + stderr).toContain(
    'The result in tests/first.json has no rows, so this test shows nothing: add rows to it',
  );
});

describe('for parameters without an example in the rows', () => {
  const ZONED = `SELECT DATE(TIMESTAMP(order_day), IF(@tz = '', 'UTC', @tz)) AS day,
    CASE @unit WHEN 'cent' THEN 100 WHEN 'euro' THEN 1 END * amount AS amount
    FROM orders WHERE order_day >= @from_day`;
  const examplesOf = (name: string): Record<string, unknown> => {
    const { parameters } = made.json(endpointFile(name)) as {
      parameters: Record<string, { example: unknown; enum?: unknown }>;
    };
    const shown = Object.entries(parameters).map(([key, { example, enum: listed }]) => [
      ...[key, listed === undefined ? example : [example, listed]],
    ]);
    return Object.fromEntries(shown) as Record<string, unknown>;
  };

  it('uses UTC for a time zone, and lists the values of a CASE', async () => {
    const { code, stderr } = await made.fromQuery('sales.zoned', ZONED);
    expect([code, stderr]).toEqual([0, '']);
    expect(examplesOf('sales.zoned')).toEqual({
      tz: 'UTC',
      unit: ['cent', ['cent', 'euro']],
      from_day: '2020-02-29',
    });
  });

  it('uses the given examples', async () => {
    const given = ['--example', 'tz=Asia/Tokyo', '--example', 'from_day=2026-11-01'];
    const { code, stdout } = await made.fromQuery('sales.given', ZONED, ...given);
    expect([code, stdout]).toEqual([0, expect.stringContaining('tz=Asia%2FTokyo')]);
    expect(examplesOf('sales.given')).toMatchObject({ tz: 'Asia/Tokyo', from_day: '2026-11-01' });
  });

  it('takes arrays, of a stated type', async () => {
    const query = 'SELECT id, COUNT(*) AS n FROM UNNEST(@ids) AS id GROUP BY id ORDER BY id';
    const given = ['--type', 'ids=array<int64>', '--example', 'ids=4'];
    const { code, stderr } = await made.fromQuery('sales.arrays', query, ...given);
    expect([code, stderr]).toEqual([0, '']);
    const { parameters } = made.json(endpointFile('sales.arrays')) as EndpointDefinition;
    expect(parameters.ids).toMatchObject({ type: 'ARRAY<INT64>', example: ['4'] });
  });

  const refused = [
    ...cases<[given: string, fault: string]>('examples').map((one) => ['--example', ...one]),
    ...cases<[given: string, fault: string]>('types').map((one) => ['--type', ...one]),
  ] as [option: string, given: string, fault: string][];
  it.each(refused)('rejects %s %s', async (option, given, fault) => {
    const { stderr, ...ended } = await made.fromQuery('sales.refused', ZONED, option, given);
    expect(ended).toMatchObject({ code: expect.any(Number) as number, stdout: '' });
    expect(stderr).toContain(fault);
  });
});

it('the batches in sql/README.md pass the check', async () => {
  const [, text = ''] = readFileSync('sql/README.md', 'utf8').split('## Many results in one job');
  const [query = '', warm = ''] = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql);
  for (const [name, ofName] of [
    ['sales.segments', query],
    ['sales.largest', `${query}LIMIT 3\n`],
  ] as const) {
    await made.fromQuery(name, ofName);
    const definition = made.json(endpointFile(name)) as object;
    const warming = { batchOver: ['country'] };
    made.file(join('sql', endpointFile(name)), JSON.stringify({ ...definition, warming }));
  }
  made.file('sql/endpoints/sales.largest/warm.sql', warm);
  const { stdout } = await checked();
  expect(stdout).toMatch(
    /\nok {2}sales.segments .*\n.*\n {4}batch: one job for many values of country, derived from query.sql; /,
  );
  expect(stdout).toContain('\nok  sales.largest (2 columns, 1 test)\n');
});

describe('for an unusual query', () => {
  const make = async (name: string, sql: string) => {
    const { code, stderr } = await made.fromQuery(name, sql);
    expect(code).toBe(0);
    return { stderr, definition: made.json(endpointFile(name)) };
  };

  it('creates no test if the query runs only in BigQuery, and reports it', async () => {
    const sql =
      'CREATE TEMP FUNCTION f(x STRING) RETURNS STRING LANGUAGE js AS "return x";\nSELECT f(country) AS c FROM customers';
    const { stderr } = await make('sales.script', sql);
    expect(stderr).toContain('No test was created: the query runs only in BigQuery (');
    expect((await checked()).stdout).toContain(
      '\nok  sales.script (1 column, no tests), not run locally: function f is written in JavaScript\n',
    );
  });

  it('warns that an absent STRING is not NULL', async () => {
    const sql = 'SELECT segment FROM customers WHERE @country IS NULL OR country = @country';
    const { stderr, definition } = await make('odd.null', sql);
    expect(stderr).toContain("@country is a STRING, and an absent one is ''");
    expect(definition).toMatchObject({
      parameters: { country: { required: false, example: 'DE' } },
    });
  });

  it('uses values in the query, and detects regular expressions', async () => {
    const sql = `SELECT segment AS s FROM customers
      WHERE REGEXP_CONTAINS(country, @country) AND CASE @part WHEN 'a' THEN TRUE WHEN 'b' THEN FALSE END`;
    expect((await make('odd.case', sql)).definition).toMatchObject({
      parameters: {
        country: { type: 'STRING', format: 're2', example: 'DE' },
        part: { type: 'STRING', example: 'a' },
      },
    });
  });

  it('traces the columns of a WITH query to their table', async () => {
    const sql = `WITH days AS (SELECT order_day AS d, order_id AS o, customer_id AS c, COUNT(*) AS n FROM orders WHERE order_day > '2020-01-01' GROUP BY d, o, c)
SELECT d, o, c, MAX(n) AS most, n FROM days GROUP BY d, o, c, n`;
    expect((await make('sales.with', sql)).definition).toMatchObject({
      row: {
        d: { mode: 'REQUIRED', description: 'Day of the order.' },
        most: { mode: 'NULLABLE', description: 'Most' },
        n: { mode: 'REQUIRED', description: 'N' },
      },
    });
  });

  it('makes a column nullable if an outer join may omit it', async () => {
    const sql = `SELECT customers.customer_id AS c, order_id FROM customers
      LEFT JOIN orders ON orders.customer_id = customers.customer_id AND order_day > '2020-01-01'`;
    expect((await make('odd.outer', sql)).definition).toMatchObject({
      row: { order_id: { mode: 'NULLABLE' } },
    });
  });
});

describe('creates nothing, and gives the reason,', () => {
  it.each([
    ['-- nothing\n', ': contains no query.'],
    ['\n\nSELECT\nnope FROM customers', ':4:1: Unrecognized name: nope'],
    ...refused,
  ])('for %j', async (sql, fault) => {
    const file = made.file('wrong.sql', sql);
    // Without a place, a fault is one of the definition.
    const told = fault.startsWith(':') ? `${file}${fault}` : fault;
    await made.expectRefused(['wrong.query', '--sql', file], told);
  });

  it.each(cases<[command: string, [code: number, fault: string]]>('commands'))(
    'for the command %s',
    (command, [code, fault]) => made.expectRefused(wordsOf(command), fault, code),
  );

  it('for an existing folder', async () => {
    await made.expectRefused(
      ['web.visit-counts', '--sql', 'x'],
      `${made.sql}/endpoints/web.visit-counts already exists; nothing was changed.`,
    );
  });
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('creates nothing after %s', async (signal) => {
  const file = made.file('query.sql', 'SELECT country FROM customers');
  const before = made.tree();
  let stderr = '';
  const code = await main(['--directory', made.sql, 'killed.early', '--sql', file], {
    env: {},
    print: () => undefined,
    note: (line) => void (stderr += line),
    nowMs: () => {
      process.emit(signal);
      return Date.parse(NOW);
    },
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'Error: Interrupted; nothing was created.',
  });
  expect(made.tree()).toEqual(before);
});
