// The windows that queries read, of tables with every kind of partition, and of tables without.
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { createParameterRule } from '../../../functions/endpoints/parameter-rule.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';
import { type AnalysedQueries, analyseQuery } from '../../../scripts/check/analysed-query.ts';
import {
  formatWindows,
  queriesApartFromClock,
  scanWindows,
} from '../../../scripts/check/scan-windows.ts';
import type { Partitioning } from '../../../scripts/local-bigquery/values/table-definition.ts';
import { parameter } from '../../support/sql/fake-sql-tree.ts';
import { sharedEngine } from '../../support/bigquery/shared-engine.ts';

const NOW = Date.parse('2026-11-20T10:15:00Z');
const engine = await sharedEngine();

function endpointOf(sql: string): Endpoint {
  const span = { description: '', required: true, example: 'short', enum: ['short', 'long'] };
  const rule = createParameterRule(span, undefined);
  const endpoint: Pick<Endpoint, 'name' | 'sql' | 'parameters' | 'rules'> = {
    name: 'a.b',
    sql,
    parameters: { span },
    rules: new Map([['span', rule]]),
  };
  return endpoint as Endpoint;
}

async function queriesOf(sql: string): Promise<AnalysedQueries> {
  const query = await analyseQuery(engine, sources(), sql, { span: { type: 'STRING' } });
  return new Map([['query.sql', query]]);
}

function sources() {
  const table = (name: string, type: string, partition?: Partitioning['type']) => ({
    name,
    fields: [
      { name: 'id', type: 'STRING' },
      { name: 'ts', type },
    ],
    definition: {
      partitioning: partition ? { type: partition, field: 'ts' } : null,
      requirePartitionFilter: false,
    },
  });
  return [
    table('by_hour', 'TIMESTAMP', 'HOUR'),
    table('by_day', 'DATETIME', 'DAY'),
    table('by_month', 'DATE', 'MONTH'),
    table('by_year', 'TIMESTAMP', 'YEAR'),
    table('plain', 'TIMESTAMP'),
  ];
}

/** The columns after QUERY of what is printed for a query by @span, which is `short` or `long`. */
async function printed(sql: string): Promise<string[]> {
  const windows = await scanWindows(engine, endpointOf(sql), await queriesOf(sql), NOW);
  const lines = formatWindows(windows, NOW).split('\n');
  const header = lines[0] ?? '';
  const starts = ['TABLE', 'FROM', 'UNTIL', 'WINDOW', 'PARTITIONS'].map((name) =>
    header.indexOf(name),
  );
  return lines
    .slice(1)
    .map((line) =>
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
  const [, definition, start, expected] = given;
  const sql = `SELECT id FROM by_hour WHERE ts >= ${start}`;
  const rules = new Map([['p', createParameterRule(definition, undefined)]]);
  const endpoint = { ...endpointOf(sql), parameters: { p: definition }, rules };
  const types = { p: { type: definition.type ?? 'STRING' } };
  const query = await analyseQuery(engine, sources(), sql, types);
  const windows = await scanWindows(engine, endpoint, new Map([['query.sql', query]]), NOW);
  const lines = formatWindows(windows, NOW).split('\n').slice(1);
  const said = /^a\.b\/query\.sql(.*?) {2,}by_hour.*? {2,}(\d\S* \w+|whole table) {2,}\w+$/;
  expect(lines.map((line) => line.match(said)?.slice(1).join(' ').trim())).toEqual(expected);
});

it('is printed for each listed value', async () => {
  const sql = `SELECT id FROM by_hour WHERE ts >= TIMESTAMP_SUB(
    CURRENT_TIMESTAMP(), INTERVAL IF(@span = 'long', 36, 2) HOUR)`;
  expect(await printed(sql)).toEqual([
    'by_hour|2026-11-20T08:15:00Z||2 hours|3',
    'by_hour|2026-11-18T22:15:00Z||36 hours|37',
  ]);
});

it.each(
  Object.entries({
    "by_hour WHERE ts BETWEEN '2026-11-20 00:30:00' AND '2026-11-20 01:29:59.999999'":
      'by_hour|2026-11-20T00:30:00Z|2026-11-20T01:30:00Z|1 hour|2',
    "by_day WHERE ts >= '2026-11-20' AND ts < '2026-11-22'":
      'by_day|2026-11-20T00:00:00Z|2026-11-22T00:00:00Z|2 days|2',
    "by_month WHERE ts > '2026-10-31'": 'by_month|2026-11-01T00:00:00Z||19.4 days|1',
    'by_year WHERE EXTRACT(YEAR FROM ts) IN (2024, 2026)':
      'by_year|2024-01-01T00:00:00Z|2027-01-01T00:00:00Z|731 days in 2 parts|2',
    "by_day WHERE ts < '2026-11-20'": 'by_day||2026-11-20T00:00:00Z|no start|all',
    "by_day WHERE ts < '2026-11-01' OR ts >= '2026-11-19'": 'by_day|||no start|all',
    "by_day WHERE ts = '2026-11-20'":
      'by_day|2026-11-20T00:00:00Z|2026-11-20T00:00:00Z|under a second|1',
    by_day: 'by_day|||whole table|all',
    "by_day WHERE ts IS NULL OR ts >= '2026-11-20'":
      'by_day|2026-11-20T00:00:00Z||10.3 hours and NULL values|2',
    "by_day WHERE ts > '2026-11-20' AND ts < '2026-11-20'": 'by_day|||nothing|0',
    "plain WHERE ts >= '2026-11-20'": 'plain|||whole table|',
  }),
)('shows %s', async (from, line) => {
  const sql = `SELECT id FROM ${from.includes('WHERE') ? `${from.replace('WHERE', 'WHERE (')}) AND` : `${from} WHERE`} @span != ''`;
  expect(new Set(await printed(sql))).toEqual(new Set([line]));
});

// A dry run with a later clock shows whether a filter prunes only if the filter follows the clock.
it.each([
  ['by_hour WHERE ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 2 HOUR)', []],
  ['by_hour', []],
  ['by_hour WHERE TIMESTAMP(DATETIME(ts)) >= CURRENT_TIMESTAMP()', []],
  ["by_hour WHERE ts >= '2026-11-20' AND ts < '2026-11-21'", ['short', 'long']],
  ['plain WHERE ts >= CURRENT_TIMESTAMP()', ['short', 'long']],
])('detects whether the scan depends on the clock: %s', async (from, apart) => {
  const sql = `SELECT id, @span FROM ${from}`;
  expect(await queriesApartFromClock(engine, endpointOf(sql), await queriesOf(sql))).toEqual(
    apart.map((span) => `a.b/query.sql span=${span}`),
  );
});
