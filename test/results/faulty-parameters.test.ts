// Tests over HTTP, with the real client and engine, of who is blamed for a failed query: the caller, or the author of the SQL.
import { createCatalogue } from '../../functions/endpoints/catalogue.ts';
import { checkEndpoint } from '../../scripts/check/check-endpoint.ts';
import { inspectCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import type { BigQueryFault, BigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { columns } from '../support/sql/columns.ts';
import { ControlledClock } from '../support/fakes/controlled-clock.ts';
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import { createLocalQueryRunner } from '../support/bigquery/local-query-runner.ts';
import { type QueryServer, createQueryServer } from '../support/bigquery/query-server.ts';
import { sharedEngine } from '../support/bigquery/shared-engine.ts';

const ROW = { day: '2026-11-01', created: '2026-11-01T12:00:00Z', n: 5, code: '7' };
const TABLE = {
  name: 'orders',
  fields: columns('tenant STRING, day DATE, created TIMESTAMP, n INT64, code STRING'),
  rows: [
    { ...ROW, tenant: 'good' },
    { ...ROW, tenant: 'bad', code: 'zzz' },
    { ...ROW, tenant: 'zero', n: 0 },
    { ...ROW, tenant: 'two', n: 2 },
  ],
};

const PARAMETERS = {
  tenant: parameter({ example: 'good' }),
  since_day: parameter({ example: '2026-01-01' }),
  zone: parameter({ example: 'UTC', default: 'Europe/Berlin' }),
  pattern: parameter({ example: '.' }),
  factor: parameter({ example: '2', default: 'abc' }),
  day: parameter({ type: 'DATE', example: '2026-01-01' }),
  weeks: parameter({ type: 'INT64', example: '4' }),
  days: parameter({ type: 'INT64', example: '30' }),
  divisor: parameter({ type: 'INT64', example: '2' }),
  less: parameter({ type: 'INT64', example: '9' }),
  n: parameter({ type: 'INT64', example: '5' }),
};
const OF_TENANT = "FROM orders WHERE (@tenant = '' OR tenant = @tenant)";
/** What each selects as `n`. */
const QUERIES = {
  values: `CAST(code AS INT64) AS n ${OF_TENANT} AND day >= CAST(@since_day AS DATE)
    AND DATE(created, @zone) < DATE_ADD(CURRENT_DATE(), INTERVAL @weeks WEEK)
    AND REGEXP_CONTAINS(code, @pattern) AND n / @divisor >= 0`,
  together: 'n FROM orders WHERE day < DATE_ADD(@day, INTERVAL @days DAY) LIMIT @n',
  unread: `CAST(code AS INT64) * CAST(@factor AS INT64) AS n ${OF_TENANT} AND CAST(code AS INT64) > 0`,
  ratio: "DIV(SUM(n), COUNTIF(@tenant != '' AND tenant = @tenant)) AS n FROM orders",
  rows: `DIV(6, n) AS n ${OF_TENANT}`,
  total: 'DIV(SUM(n), @divisor) * @divisor AS n FROM orders HAVING DIV(COUNT(*), @divisor) >= 0',
  less: 'DIV(6, n - @less) * CAST(@factor AS INT64) AS n FROM orders ORDER BY tenant',
  index: "LENGTH(SPLIT(code, '')[OFFSET(@divisor)]) AS n FROM orders",
  guarded: "IF(@day > '2027-01-01', ERROR('day is after 2026'), n) AS n FROM orders",
  small: 'CAST(SQRT(n + (4 - @weeks)) AS INT64) AS n FROM orders',
  literal: "n FROM orders WHERE REGEXP_CONTAINS(CONCAT(code, @tenant), r'(capt')",
};

const ID = '11111111-2222-4333-8444-00000000000';
/** Of the query runner; that of the server stands still at the same instant. */
const clock = new ControlledClock('2026-11-20T10:00:00Z');
let proxy: BigQueryProxy;
let service: QueryServer;

beforeAll(async () => {
  const engine = await sharedEngine();
  const bigquery = await startLocalBigQuery({ tables: [TABLE], clock });
  proxy = await startBigQueryProxy(bigquery.url);
  const tree = new FakeSqlTree();
  const row = { n: { type: 'INT64', mode: 'NULLABLE', description: 'A number.' } };
  for (const [index, [name, sql]] of Object.entries(QUERIES).entries()) {
    const used = Object.entries(PARAMETERS).filter(([one]) => new RegExp(`@${one}\\b`).test(sql));
    const definition = {
      id: ID + index.toString(16),
      name: `a.${name}`,
      parameters: Object.fromEntries(used),
    };
    tree.endpoint({ ...definition, row }, `SELECT ${sql}`);
  }
  const endpoints = [];
  for (const inspected of inspectCatalogue(tree.directory).endpoints) {
    const { endpoint } = await checkEndpoint(engine, [TABLE], inspected);
    // Of what `check` refuses, as the definition has it.
    endpoints.push((endpoint ?? inspected.endpoint)!);
  }
  const catalogue = createCatalogue(endpoints);
  const queryRunner = createLocalQueryRunner(proxy.url, clock);
  service = createQueryServer({ catalogue, queryRunner });
});

beforeEach(() => {
  proxy.calls.length = 0;
  proxy.fault = () => 'pass';
  clock.waitFactor = 1;
});

async function ask(endpoint: string, values: Record<string, string>) {
  const query = new URLSearchParams(values).toString();
  const answer = await service.get(`/api/endpoints/query/a.${endpoint}?${query}`);
  const { error = { message: '' } } = answer.body as { error?: ErrorBody };
  const faults = error.details?.flatMap(({ fieldViolations = [] }) => fieldViolations) ?? [];
  const names = faults.map(({ field }) => field);
  return { status: answer.status, names, message: error.message };
}
type ErrorBody = { message: string; details?: { fieldViolations?: { field: string }[] }[] };

const probes = () =>
  proxy.calls.filter(
    ({ kind, body }) => kind === 'query' && JSON.stringify(body).includes('_other'),
  );
const SOUND = { tenant: 'good', since_day: '2026-10-01', weeks: '5', pattern: '7|z', divisor: '3' };

it('returns rows if nothing fails, without further jobs', async () => {
  expect(await ask('values', SOUND)).toMatchObject({ status: 200 });
  expect(probes()).toEqual([]);
});

it('names the parameter that is the divisor of an aggregate', async () => {
  expect(await ask('total', { divisor: '2' })).toMatchObject({ status: 200 });
  expect(await ask('total', { divisor: '0' })).toMatchObject({ status: 400, names: ['divisor'] });
});

it.each([
  ['-1', 400, ['divisor']],
  ['99', 400, ['divisor']],
  // As long as what the example needs, and rows may be shorter.
  ['3', 500, []],
])('names an index only if no array can have it: %s', async (divisor, status, names) => {
  expect(await ask('index', { divisor })).toMatchObject({ status, names });
});

it.each([
  [{ since_day: 'banana' }, "since_day FAILS Invalid date: '…'"],
  [{ since_day: '' }, 'since_day must be given, because without it the query fails: Invalid'],
  [{ weeks: '99999999' }, 'weeks FAILS Adding … WEEK to date'],
  [{ zone: 'Mars/Base' }, 'zone FAILS Invalid time zone: …'],
  [{ pattern: '(' }, 'pattern FAILS Cannot parse regular expression: missing ): ('],
  [{ divisor: '0' }, 'divisor FAILS division by zero: 2 / 0'],
  [{ since_day: 'x-y', zone: 'Mars/Base' }, "Invalid date: '…'; zone FAILS Invalid time zone: …"],
])('names the parameters whose values make the query fail: %j', async (changed, message) => {
  const answer = await ask('values', { ...SOUND, ...changed });
  expect(answer).toMatchObject({ status: 400, names: Object.keys(changed) });
  const told = answer.message.replaceAll('has a value with which the query fails:', 'FAILS');
  expect(told).toContain(message);
  expect(told).not.toMatch(/banana|x-y|Mars|99999999/);
  expect(probes().length).toBeLessThanOrEqual(10);
});

it.each([
  ['two together', 'together', { day: '9999-06-01', days: '250', n: '5' }, ['day', 'days']],
  ['one that limits the rows', 'together', { day: '2026-01-01', days: '30', n: '-1' }, ['n']],
  ['one that the query refuses by itself', 'guarded', { day: '2027-01-02' }, ['day']],
  ['none that only some rows refuse', 'less', { less: '2', factor: 'xyz' }, ['factor']],
])('names %s', async (_name, endpoint, values, names) => {
  expect(await ask(endpoint, values)).toMatchObject({ status: 400, names });
});

it.each([
  ['a bad row of the tenant', 'values', { ...SOUND, tenant: 'bad' }, 3],
  ['a bad row of any tenant', 'values', { ...SOUND, tenant: '' }, 3],
  ['a bad row, before a bad value is read', 'unread', { tenant: 'bad', factor: 'xyz' }, 5],
  ['a default that fails', 'unread', { tenant: 'good' }, 0],
  ['a number of rows, by which is divided', 'ratio', { tenant: 'nobody' }, 0],
  ['a zero in the rows of the tenant', 'rows', { tenant: 'zero' }, 0],
  ['a zero in the rows of any tenant', 'rows', { tenant: '' }, 0],
  ['a number that one of the rows has', 'less', { less: '2', factor: '2' }, 3],
  ['a number that only large ones do not make fail', 'small', { weeks: '9' }, 3],
  ['a pattern in the SQL', 'literal', { tenant: 'good' }, 0],
])('does not blame the caller for %s', async (_name, endpoint, values, jobs) => {
  const answer = await ask(endpoint, values);
  expect(answer).toMatchObject({ status: 500, names: [], message: 'Internal error.' });
  expect(probes()).toHaveLength(jobs);
});

const DENIED = { code: 403, reason: 'accessDenied' };
const INVALID = { code: 400, reason: 'invalidQuery', message: "Invalid date: ''" };
it.each<[string, number, BigQueryFault]>([
  ['refused', 1, DENIED],
  ['refused half-way', 4, DENIED],
  ['never answered', 1, 'stall'],
  ['failing with the examples too', 1, INVALID],
])('keeps the error of the query if the probe is %s', async (_name, from, fault) => {
  proxy.fault = ({ jobId }) => {
    // The query itself has answered by then.
    if (fault === 'stall') clock.waitFactor = 0.05;
    const faulty = probes().slice(from - 1);
    return faulty.some((probe) => probe.jobId === jobId) ? fault : 'pass';
  };
  const answer = await ask('values', { ...SOUND, since_day: '' });
  expect(answer).toMatchObject({ status: 500, names: [] });
  expect(probes().length).toBeGreaterThanOrEqual(from);
});
