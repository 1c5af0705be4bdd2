// The windows that queries read, of tables with every kind of partition, and of tables without.
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { createParameterRule } from '../../../functions/endpoints/parameter-rule.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';
import { parameterType } from '../../../functions/google/query-configuration.ts';
import { analyseQuery } from '../../../scripts/check/analysed-query.ts';
import {
  formatWindows,
  queriesApartFromClock,
  scanWindows,
} from '../../../scripts/check/scan-windows.ts';
import type { Partitioning } from '../../../scripts/local-bigquery/values/table-definition.ts';
import { PLAIN_TABLE } from '../../../scripts/sources/read-definition.ts';
import { columns } from '../../support/sql/columns.ts';
import { parameter } from '../../support/sql/fake-sql-tree.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const NOW = Date.parse('2026-11-20T10:15:00Z');
const engine = await sharedEngine();

const table = (name: string, type: string, partition?: Partitioning['type']) => ({
  name,
  fields: columns(`id STRING, ts ${type}`),
  definition: { ...PLAIN_TABLE, partitioning: partition ? { type: partition, field: 'ts' } : null },
});
const SOURCES = [
  table('by_hour', 'TIMESTAMP', 'HOUR'),
  table('by_day', 'DATETIME', 'DAY'),
  table('by_date', 'DATE', 'DAY'),
  table('by_month', 'DATE', 'MONTH'),
  table('by_year', 'TIMESTAMP', 'YEAR'),
  table('plain', 'TIMESTAMP'),
];
const SPAN = { span: parameter({ required: true, example: 'short', enum: ['short', 'long'] }) };

async function analysed(sql: string, parameters: Record<string, ParameterDefinition> = SPAN) {
  const rules = new Map(
    Object.entries(parameters).map(([name, one]) => [name, createParameterRule(one, undefined)]),
  );
  const types = Object.fromEntries(
    [...rules].map(([name, { type }]) => [name, parameterType(type)]),
  );
  const endpoint: Partial<Endpoint> = { name: 'a.b', sql, parameters, rules };
  const query = await analyseQuery(engine, SOURCES, sql, types);
  return [endpoint as Endpoint, new Map([['query.sql', query] as const])] as const;
}

/** The lines of the table, from its header on. */
async function printed(...given: Parameters<typeof analysed>): Promise<string[]> {
  const [endpoint, queries] = await analysed(...given);
  return formatWindows((await scanWindows(engine, endpoint, queries, NOW)).shown, NOW).split('\n');
}

/** The columns after QUERY of what is printed for a query by @span. */
async function windowsOf(sql: string): Promise<string[]> {
  const [header = '', ...lines] = await printed(sql);
  const names = ['TABLE', 'FROM', 'UNTIL', 'WINDOW', 'PARTITIONS'];
  const starts = names.map((name) => header.indexOf(name));
  return lines.map((line) =>
    starts.map((start, index) => line.slice(start, starts[index + 1]).trim()).join('|'),
  );
}

it.each<[string, ParameterDefinition, string, string[]]>([
  [
    'a bounded number',
    parameter({ type: 'INT64', example: '7', minimum: 1, maximum: 365, default: '30' }),
    'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @p DAY)',
    ['by default 30 days', 'at most: p=365 365 days'],
  ],
  [
    'an array that is empty if it is absent',
    parameter({ type: 'ARRAY<INT64>', example: '7' }),
    'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL IF(ARRAY_LENGTH(@p) = 0, 30, 1) DAY)',
    ['30 days'],
  ],
  [
    'a number that must be given',
    parameter({ type: 'INT64', example: '7', minimum: 1, required: true }),
    'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL @p DAY)',
    ['for example: p=7 7 days', 'at most: p=10000 10000 days'],
  ],
  [
    'an optional date',
    parameter({ type: 'DATE', example: '2026-11-01' }),
    'TIMESTAMP(COALESCE(@p, DATE_SUB(CURRENT_DATE(), INTERVAL 1 DAY)))',
    ['by default 1.4 days', 'at most: p=0001-01-01 whole table'],
  ],
  ['a text', parameter(), 'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)', ['1 day']],
])('is printed for the default and for the largest allowed value: %s', async (...given) => {
  const [, p, start, expected] = given;
  const [, ...lines] = await printed(`SELECT id FROM by_hour WHERE ts >= ${start}`, { p });
  const said = /^a\.b\/query\.sql(.*?) {2,}by_hour.*? {2,}(\d\S* \w+|whole table) {2,}\w.*$/;
  expect(lines.map((line) => line.match(said)?.slice(1).join(' ').trim())).toEqual(expected);
});

it('is printed for each listed value', async () => {
  const sql = `SELECT id FROM by_hour WHERE ts >= TIMESTAMP_SUB(
    CURRENT_TIMESTAMP(), INTERVAL IF(@span = 'long', 36, 2) HOUR)`;
  expect(await windowsOf(sql)).toEqual([
    'by_hour|2026-11-20T08:15:00Z||2 hours|3 hours (or 1 day)',
    'by_hour|2026-11-18T22:15:00Z||36 hours|37 hours (or 3 days)',
  ]);
});

it.each(
  Object.entries({
    "by_hour WHERE ts BETWEEN '2026-11-20 00:30:00' AND '2026-11-20 01:29:59.999999'":
      'by_hour|2026-11-20T00:30:00Z|2026-11-20T01:30:00Z|1 hour|2 hours (or 1 day)',
    "by_day WHERE ts >= '2026-11-20' AND ts < '2026-11-22'":
      'by_day|2026-11-20T00:00:00Z|2026-11-22T00:00:00Z|2 days|2 days (or 48 hours)',
    // A DATE has no hours.
    "by_date WHERE ts >= '2026-11-19'": 'by_date|2026-11-19T00:00:00Z||1.4 days|2 days',
    "by_month WHERE ts > '2026-10-31'": 'by_month|2026-11-01T00:00:00Z||19.4 days|1 month',
    'by_year WHERE EXTRACT(YEAR FROM ts) IN (2024, 2026)':
      'by_year|2024-01-01T00:00:00Z|2027-01-01T00:00:00Z|731 days in 2 parts|2 years',
    "by_day WHERE ts < '2026-11-20'": 'by_day||2026-11-20T00:00:00Z|no start|all',
    "by_day WHERE ts < '2026-11-01' OR ts >= '2026-11-19'": 'by_day|||no start|all',
    "by_day WHERE ts = '2026-11-20'":
      'by_day|2026-11-20T00:00:00Z|2026-11-20T00:00:00Z|under a second|1 day (or 1 hour)',
    by_day: 'by_day|||whole table|all',
    "by_day WHERE ts IS NULL OR ts >= '2026-11-20'":
      'by_day|2026-11-20T00:00:00Z||10.3 hours and NULL values|1 day (or 11 hours)',
    "by_day WHERE ts > '2026-11-20' AND ts < '2026-11-20'": 'by_day|||nothing|0 days (or 0 hours)',
    "plain WHERE ts >= '2026-11-20'": 'plain|||whole table|',
  }),
)('shows %s', async (from, line) => {
  const sql = `SELECT id FROM ${from.includes('WHERE') ? `${from.replace('WHERE', 'WHERE (')}) AND` : `${from} WHERE`} @span != ''`;
  expect(new Set(await windowsOf(sql))).toEqual(new Set([line]));
});

// A dry run with a later clock shows whether a filter prunes only if the filter follows the clock.
it.each([
  ['by_hour WHERE ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 HOUR)', []],
  ['by_hour', []],
  ['by_hour WHERE TIMESTAMP(DATETIME(ts)) >= CURRENT_TIMESTAMP()', []],
  ["by_hour WHERE ts >= '2026-11-20' AND ts < '2026-11-21'", ['short', 'long']],
  ['plain WHERE ts >= CURRENT_TIMESTAMP()', ['short', 'long']],
])('detects whether the scan depends on the clock: %s', async (from, apart) => {
  const [endpoint, queries] = await analysed(`SELECT id, @span FROM ${from}`);
  expect(await queriesApartFromClock(engine, endpoint, queries)).toEqual(
    apart.map((span) => `a.b/query.sql span=${span}`),
  );
});
