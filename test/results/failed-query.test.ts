// Tests over HTTP, with the real client and engine, of what callers are told of a query that fails while it runs.
import { columns } from '../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import { type BigQueryProxy, startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { createLocalQueryRunner } from '../support/bigquery/local-query-runner.ts';
import { type QueryServer, createQueryServer } from '../support/bigquery/query-server.ts';
import { ControlledClock } from '../support/fakes/controlled-clock.ts';

const ROW = { day: '2026-11-01', n: 5, code: '7' };
const TABLE = {
  name: 'orders',
  fields: columns('tenant STRING, day DATE, n INT64, code STRING'),
  rows: [
    { ...ROW, tenant: 'good' },
    { ...ROW, tenant: 'bad', code: 'zzz' },
    { ...ROW, tenant: 'zero', n: 0 },
  ],
};
const PARAMETERS = {
  tenant: parameter({ example: 'good' }),
  since_day: parameter({ example: '2026-01-01', default: '2026-01-01' }),
  zone: parameter({ example: 'UTC', default: 'UTC' }),
  pattern: parameter({ example: '.', default: '.' }),
  divisor: parameter({ type: 'INT64', example: '2', default: '2' }),
  days: parameter({ type: 'INT64', example: '30', default: '1' }),
  factor: parameter({ example: '2', default: 'abc' }),
  list: parameter({ type: 'ARRAY<INT64>', example: '1' }),
};
const OF_TENANT = "FROM orders WHERE (@tenant = '' OR tenant = @tenant)";
/** What each selects as `n`. */
const QUERIES = {
  values: `CAST(code AS INT64) AS n ${OF_TENANT} AND day >= CAST(@since_day AS DATE)
    AND DATETIME(TIMESTAMP(day), @zone) IS NOT NULL AND REGEXP_CONTAINS(code, @pattern)
    AND DIV(n, @divisor) >= 0 AND DATE_ADD(day, INTERVAL @days DAY) > day`,
  rows: `DIV(6, n) AS n ${OF_TENANT}`,
  factor: `CAST(@factor AS INT64) AS n ${OF_TENANT}`,
  guarded: "IF(@days > 90, ERROR('at most 90 days'), n) AS n FROM orders",
  listed: 'DIV(n, @list[OFFSET(0)]) AS n FROM orders',
  limited: 'n FROM orders LIMIT @days',
};

const clock = new ControlledClock('2026-11-20T10:00:00Z');
let proxy: BigQueryProxy;
let service: QueryServer;

beforeAll(async () => {
  proxy = await startBigQueryProxy((await startLocalBigQuery({ tables: [TABLE], clock })).url);
  const tree = new FakeSqlTree();
  for (const [index, [name, sql]] of Object.entries(QUERIES).entries()) {
    const used = Object.entries(PARAMETERS).filter(([one]) => new RegExp(`@${one}\\b`).test(sql));
    const id = `11111111-2222-4333-8444-00000000000${index}`;
    const definition = { id, name: `a.${name}`, parameters: Object.fromEntries(used) };
    tree.endpoint({ ...definition, row: rowOf('n INT64') }, `SELECT ${sql}`);
  }
  const queryRunner = createLocalQueryRunner(proxy.url, clock);
  service = createQueryServer({ catalogue: tree.catalogue(), queryRunner });
});

beforeEach(() => {
  proxy.fault = () => 'pass';
  proxy.calls.length = 0;
});

async function ask(path: string) {
  const answer = await service.get(`/api/endpoints/query/a.${path}`);
  const { error } = answer.body as { error?: { message: string } };
  const [, sent] =
    /^The query .*(?:This call|this call, which) sent (.*?):/.exec(error?.message ?? '') ?? [];
  return { status: answer.status, sent: sent ?? '', message: error?.message ?? '' };
}

it.each([
  ['values?tenant=good', 200, ''],
  ['values?tenant=good&since_day=banana', 400, 'tenant, since_day'],
  ['values?since_day=2026-02-30&tenant=good', 400, 'tenant, since_day'],
  ['values?tenant=good&zone=Mars', 400, 'tenant, zone'],
  ['values?tenant=good&pattern=(', 400, 'tenant, pattern'],
  ['values?tenant=good&divisor=0', 400, 'tenant, divisor'],
  ['values?tenant=good&days=9223372036854775807', 400, 'tenant, days'],
  // A row: the call may get others with another value.
  ['values?tenant=bad', 400, 'tenant'],
  ['rows?tenant=zero', 400, 'tenant'],
  ['listed?list=0', 400, 'list'],
  ['listed?list=1', 200, ''],
  // Nothing that the caller sent can be the cause.
  ['values', 500, ''],
  ['values?divisor=2', 500, ''],
  ['rows', 500, ''],
  ['factor', 500, ''],
  ['listed', 500, ''],
  ['guarded?days=91', 400, 'days'],
  ['limited?days=-1', 400, ''],
])('%s: %i %s', async (path, status, sent) => {
  const answer = await ask(path);
  expect(answer).toMatchObject({ status, sent });
  expect(answer.message).not.toMatch(/banana|02-30|Mars|zzz|92233|good|zero/);
  expect(proxy.calls.filter(({ kind }) => kind === 'query')).toHaveLength(1);
});

it('passes on what the query says with ERROR', async () => {
  const message = 'The query refuses this call, which sent days: at most 90 days.';
  expect((await ask('guarded?days=91')).message).toBe(message);
});

it('logs what BigQuery says, without the values', async () => {
  await ask('values?tenant=good&since_day=banana');
  const line = service.log.lines.at(-1);
  const error = "QueryDataError: Invalid date: '…' <- Error: Invalid date: '…'";
  expect(line).toMatchObject({ fields: { reason: 'INVALID_PARAMETERS', status: 400, error } });
});

it.each([
  ['Syntax error: Unexpected keyword WHERE at [3:8]', 'invalidQuery'],
  ['Unrecognized name: code; Did you mean codes? at [1:8]', 'invalidQuery'],
  ['Invalid cast from BOOL to DATE at [1:13]', 'invalidQuery'],
  [
    "Cannot query over table 'logs.orders' without a filter over column(s) 'day' that can be used for partition elimination",
    'invalidQuery',
  ],
  [
    'LEFT OUTER JOIN cannot be used without a condition that is an equality of fields',
    'invalidQuery',
  ],
  ['Resources exceeded during query execution: out of range', 'resourcesExceeded'],
  ['Invalid project', 'accessDenied'],
])('blames no value for: %s', async (message, reason) => {
  proxy.fault = () => ({ code: 400, reason, message });
  expect(await ask('values?tenant=new')).toMatchObject({ status: 500 });
});

it.each([
  'Bad int64 value: zzz',
  'int64 overflow: 9223372036854775807 + 1',
  'Failed to parse input string "x"',
  'Array index 7 is out of bounds (overflow)',
  'Scalar subquery produced more than one element',
  'Second argument in REPEAT() cannot be negative',
  'The N value (number of buckets) for the NTILE function must be positive',
])('may be the fault of a value: %s', async (message) => {
  proxy.fault = () => ({ code: 400, reason: 'invalidQuery', message });
  expect(await ask('values?tenant=new')).toMatchObject({ status: 400, sent: 'tenant' });
});
