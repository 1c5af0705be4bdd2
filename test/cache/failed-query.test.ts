// Tests over HTTP, with the real client and engine, of what callers are told of a query that fails while it runs.
import { columns } from '../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { createLocalQueryRunner, startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import { startBigQueryProxy } from '../support/bigquery/bigquery-proxy.ts';
import { createQueryServer } from '../support/world.ts';
import { ControlledClock } from '../support/clock.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const clock = new ControlledClock('2026-11-20T10:00:00Z');
const usual = { day: '2026-11-01', n: 5, code: '7' };
const orders = {
  name: 'orders',
  fields: columns('tenant STRING, day DATE, n INT64, code STRING'),
  rows: [{ tenant: 'good' }, { tenant: 'bad', code: 'zzz' }, { tenant: 'zero', n: 0 }].map(
    (row) => ({ ...usual, ...row }),
  ),
};
const bigquery = await startLocalBigQuery({ tables: [orders], clock });
const proxy = await startBigQueryProxy(bigquery.url);
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
const tree = new FakeSqlTree();
for (const [name, sql] of Object.entries({
  values: `CAST(code AS INT64) AS n ${OF_TENANT} AND day >= CAST(@since_day AS DATE)
    AND DATETIME(TIMESTAMP(day), @zone) IS NOT NULL AND REGEXP_CONTAINS(code, @pattern)
    AND DIV(n, @divisor) >= 0 AND DATE_ADD(day, INTERVAL @days DAY) > day`,
  rows: `DIV(6, n) AS n ${OF_TENANT}`,
  factor: `CAST(@factor AS INT64) AS n ${OF_TENANT}`,
  guarded: "IF(@days > 90, ERROR('at most 90 days'), n) AS n FROM orders",
  listed: 'DIV(n, @list[OFFSET(0)]) AS n FROM orders',
  limited: 'n FROM orders LIMIT @days',
})) {
  const used = Object.entries(PARAMETERS).filter(([one]) => new RegExp(`@${one}\\b`).test(sql));
  const parameters = Object.fromEntries(used);
  tree.endpoint({ name: `a.${name}`, parameters, row: rowOf('n INT64') }, `SELECT ${sql}`);
}
const queryRunner = createLocalQueryRunner(proxy.url, clock);
const service = createQueryServer({ catalogue: tree.catalogue(), queryRunner });

beforeEach(() => {
  proxy.fault = () => 'pass';
  proxy.calls.length = 0;
});

async function ask(path: string) {
  const answer = await service.ask(`a.${path}`);
  const { message = '' } = (answer.body as { error?: { message: string } }).error ?? {};
  const [, sent = ''] =
    /^The query .*(?:This call|this call, which) sent (.*?):/.exec(message) ?? [];
  return { status: answer.status, sent, message };
}

it.each(cases<[string, number, string]>('calls'))('%s: %i %s', async (path, status, sent) => {
  const answer = await ask(path);
  expect(answer).toMatchObject({ status, sent });
  expect(answer.message).not.toMatch(/banana|02-30|Mars|zzz|92233|good|zero/);
  expect(proxy.callsOf('query')).toHaveLength(1);
});

it('passes on what the query says with ERROR', async () => {
  const message = 'The query refuses this call, which sent days: at most 90 days.';
  expect((await ask('guarded?days=91')).message).toBe(message);
});

it.each([
  ['values?tenant=good&since_day=banana', 'reason is invalidQuery'],
  ['guarded?days=91', 'at most 90 days'],
])('logs what BigQuery says to %s, unless it may quote a value', async (path, said) => {
  await ask(path);
  const line = service.log.lines.at(-1);
  const error = expect.stringContaining(said) as string;
  expect(line).toMatchObject({ fields: { reason: 'INVALID_PARAMETERS', status: 400, error } });
  expect(JSON.stringify(line)).not.toContain('banana');
});

it.each(cases<[string, string]>('no value'))('blames no value for: %s', async (message, reason) => {
  proxy.fault = () => ({ code: 400, reason, message });
  expect(await ask('values?tenant=new')).toMatchObject({ status: 500 });
});

it.each(cases<string>('a value'))('may be the fault of a value: %s', async (message) => {
  proxy.fault = () => ({ code: 400, reason: 'invalidQuery', message });
  expect(await ask('values?tenant=new')).toMatchObject({ status: 400, sent: 'tenant' });
});
