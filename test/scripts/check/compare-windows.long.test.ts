// Tests, by the command, of warm.sql that reads another part of its tables than query.sql.
import { main } from '../../../scripts/check.ts';
import { runCommand } from '../../support/command.ts';
import { FakeSqlTree, parameter, rowOf } from '../../support/sql/fake-sql-tree.ts';

const nowMs = () => Date.parse('2026-11-20T10:00:00Z');
const DAYS = (days: number | string) =>
  `ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL ${days} DAY)`;
const FOUND = 'orders JOIN UNNEST(@keys) AS keys USING (shop)';
const SPAN = {
  shop: parameter({ required: true }),
  span: parameter({ required: true, example: 'short', enum: ['short', 'long'] }),
};
const BY_SPAN = DAYS("IF(@span = 'long', 30, 7)");
const BY_DAYS = {
  shop: parameter({ required: true }),
  days: parameter({ type: 'INT64', default: '7', example: '7', minimum: 1, maximum: 30 }),
};
const SHOP = { shop: parameter({ required: true }) };

interface Given {
  where: string;
  warm: string;
  parameters?: Record<string, object>;
  batchOver?: string[];
  from?: string;
}

/** What is said of the two queries, with their conditions on the table `orders`; '' if they pass. */
async function said({ where, warm, parameters = SHOP, batchOver = ['shop'], from }: Given) {
  const byDay = { partitioning: { type: 'DAY', field: 'ts' } };
  const tree = new FakeSqlTree()
    .source('orders', 'ts TIMESTAMP, shop STRING', byDay)
    .source('returns', 'ts TIMESTAMP, shop STRING', byDay)
    .endpoint(
      { parameters, row: rowOf('shop STRING'), warming: { batchOver, maxKeys: 10 } },
      `SELECT shop FROM orders WHERE shop = @shop AND ${where}`,
      `SELECT key, shop FROM ${from ?? FOUND} WHERE ${warm} ORDER BY key`,
    );
  const { code, stderr } = await runCommand(main, ['--sql', tree.directory], {}, nowMs);
  expect(code).toBe(stderr === '' ? 0 : 1);
  return stderr.replaceAll(`${tree.directory}/endpoints/group.example/`, '');
}

it.each<[string, Given, string]>([
  [
    'a longer window',
    { where: DAYS(1), warm: DAYS(2) },
    'orders: 2 days from 2026-11-18T10:00:00Z, but query.sql: 1 day from 2026-11-19T10:00:00Z',
  ],
  [
    'a shorter window',
    { where: DAYS(2), warm: DAYS(1) },
    'orders: 1 day from 2026-11-19T10:00:00Z, but query.sql: 2 days from 2026-11-18T10:00:00Z',
  ],
  [
    'another window of the same length',
    {
      where: "ts >= '2026-11-01' AND ts < '2026-11-02'",
      warm: "ts >= '2026-11-02' AND ts < '2026-11-03'",
    },
    'orders: 1 day from 2026-11-02T00:00:00Z until 2026-11-03T00:00:00Z, but query.sql: 1 day from 2026-11-01T00:00:00Z until 2026-11-02T00:00:00Z',
  ],
  [
    'an end that query.sql lacks',
    { where: DAYS(1), warm: `${DAYS(1)} AND ts < CURRENT_TIMESTAMP()` },
    'orders: 1 day from 2026-11-19T10:00:00Z until 2026-11-20T10:00:00Z, but query.sql: 1 day from 2026-11-19T10:00:00Z',
  ],
  [
    'the whole table',
    { where: DAYS(1), warm: 'TRUE' },
    'orders: whole table, but query.sql: 1 day from 2026-11-19T10:00:00Z',
  ],
  [
    'a part, where query.sql reads all',
    { where: 'TRUE', warm: DAYS(1) },
    'orders: 1 day from 2026-11-19T10:00:00Z, but query.sql: whole table',
  ],
  [
    'another window for one listed value',
    { where: BY_SPAN, warm: DAYS("IF(@span = 'long', 29, 7)"), parameters: SPAN },
    'orders: 29 days from 2026-10-22T10:00:00Z, but query.sql: 30 days from 2026-10-21T10:00:00Z (span=long)',
  ],
  [
    'less than the longest window of a batched list',
    {
      where: BY_SPAN,
      warm: `${DAYS(29)} AND keys.span != ''`,
      parameters: SPAN,
      batchOver: ['shop', 'span'],
    },
    'orders: 29 days from 2026-10-22T10:00:00Z, but query.sql: 30 days from 2026-10-21T10:00:00Z',
  ],
  [
    'less than the longest window of a batched number',
    {
      where: DAYS('@days'),
      warm: `${DAYS(7)} AND keys.days > 0`,
      parameters: BY_DAYS,
      batchOver: ['shop', 'days'],
    },
    'orders: 7 days from 2026-11-13T10:00:00Z, but query.sql: 30 days from 2026-10-21T10:00:00Z',
  ],
])('reports %s', async (_, given, message) => {
  expect(await said(given)).toContain(
    `warm.sql:1:23: reads of ${message}: filter both by the same times, or rows change when they are warmed\n`,
  );
});

it('reports a table that only one of them reads', async () => {
  const from = 'returns JOIN UNNEST(@keys) AS keys USING (shop)';
  const faults = await said({ where: DAYS(1), warm: DAYS(1), from });
  expect(faults).toContain(
    'reads of returns: 1 day from 2026-11-19T10:00:00Z, but query.sql: nothing',
  );
  expect(faults).toContain(
    'reads of orders: nothing, but query.sql: 1 day from 2026-11-19T10:00:00Z',
  );
});

it('reports the table if warm.sql reads none', async () => {
  const faults = await said({ where: DAYS(1), warm: 'TRUE', from: 'UNNEST(@keys) AS keys' });
  expect(faults).toContain(
    'warm.sql: reads of orders: nothing, but query.sql: 1 day from 2026-11-19T10:00:00Z',
  );
});

it.each(
  Object.entries<Given>({
    'the same window in other words': {
      where: DAYS(1),
      warm: 'ts >= CURRENT_TIMESTAMP() - INTERVAL 24 HOUR',
    },
    'the same window of each listed value': { where: BY_SPAN, warm: BY_SPAN, parameters: SPAN },
    'the longest window of a batched list': {
      where: BY_SPAN,
      warm: `${DAYS(30)} AND ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL IF(keys.span = 'long', 30, 7) DAY)`,
      parameters: SPAN,
      batchOver: ['shop', 'span'],
    },
    'all rows, if a batched number bounds the window': {
      where: DAYS('@days'),
      warm: `ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL keys.days DAY)`,
      parameters: BY_DAYS,
      batchOver: ['shop', 'days'],
    },
    'one part of the table twice': {
      where: DAYS(1),
      warm: `${DAYS(1)} AND shop IN (SELECT shop FROM orders WHERE ${DAYS(1)})`,
    },
    'no partitions that the filter bounds': { where: 'TRUE', warm: 'TRUE' },
  }),
)('accepts %s', async (_, given) => {
  expect(await said(given)).toBe('');
});
