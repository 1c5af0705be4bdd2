// The windows that queries read, of tables with every kind of partition, and of tables without.
import type { Endpoint } from '../../../../functions/endpoints/endpoint.ts';
import { createParameterRule } from '../../../../functions/endpoints/parameter-rule.ts';
import type { ParameterDefinition } from '../../../../functions/endpoints/parameter-rule.ts';
import { parameterType } from '../../../../functions/bigquery/query-configuration.ts';
import { analyseQuery } from '../../../../scripts/check/analysed-query.ts';
import {
  formatWindows,
  queriesApartFromClock,
  scanWindows,
} from '../../../../scripts/check/scan-windows.ts';
import type { Partitioning } from '../../../../scripts/local-bigquery/values/table-definition.ts';
import { source } from '../../../support/sql/columns.ts';
import { parameter } from '../../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';
import { sharedEngine } from '../../../support/bigquery/shared-engine.ts';
import { casesBeside } from '../../../support/cases.ts';

const texts = readExpectations('test/scripts/check/windows/windows.sql');
const NOW = Date.parse('2026-11-20T10:15:00Z');
const engine = await sharedEngine();

const table = (name: string, column: string, type?: Partitioning['type']) =>
  source(name, `id STRING, ts ${column}`, { partitioning: type ? { type, field: 'ts' } : null });
const SOURCES = [
  table('by_hour', 'TIMESTAMP', 'HOUR'),
  table('by_day', 'DATETIME', 'DAY'),
  table('by_date', 'DATE', 'DAY'),
  table('by_month', 'DATE', 'MONTH'),
  table('by_year', 'TIMESTAMP', 'YEAR'),
  table('plain', 'TIMESTAMP'),
];

/** A query by @span, or by other parameters. */
async function analysed(
  sql: string,
  parameters: Record<string, ParameterDefinition> = {
    span: parameter({ required: true, example: 'short', enum: ['short', 'long'] }),
  },
) {
  const rules = new Map(
    Object.entries(parameters).map(([name, one]) => [name, createParameterRule(one, undefined)]),
  );
  const types = Object.fromEntries(
    [...rules].map(([name, { type }]) => [name, parameterType(type)]),
  );
  const endpoint: Partial<Endpoint> = { name: 'a.b', sql, parameters, rules };
  const query = await analyseQuery(engine, SOURCES, sql, types);
  return { endpoint: endpoint as Endpoint, queries: new Map([['query.sql', query]]) };
}

/** The lines of the table, from its header on. */
async function printed(...given: Parameters<typeof analysed>): Promise<string[]> {
  const { shown } = await scanWindows(engine, await analysed(...given), NOW);
  return formatWindows(shown, NOW).split('\n');
}

it.each(texts.parameters ?? [])(
  'is printed for the default and for the largest value: %s',
  async (given, expected) => {
    const [definition = '', start = ''] = given.split('\n');
    const p = parameter(JSON.parse(definition) as object);
    const [, ...lines] = await printed(`SELECT id FROM by_hour WHERE ts >= ${start}`, { p });
    const said = /^a\.b\/query\.sql(.*?) {2,}by_hour.*? {2,}(\d\S* \w+|whole table) {2,}\w.*$/;
    expect(lines.map((line) => line.match(said)?.slice(1).join(' ').trim()).join('\n')).toBe(
      expected,
    );
  },
);

it.each([
  ...(texts.windows ?? []),
  // A line for each listed value.
  [
    "by_hour WHERE ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL IF(@span = 'long', 36, 2) HOUR)",
    `by_hour|2026-11-20T08:15:00Z||2 hours|3 hours (or 1 day)
by_hour|2026-11-18T22:15:00Z||36 hours|37 hours (or 3 days)`,
  ] as const,
])('shows %s', async (from, shown) => {
  const sql = `SELECT id FROM ${from.includes('WHERE') ? `${from.replace('WHERE', 'WHERE (')}) AND` : `${from} WHERE`} @span != ''`;
  const [header = '', ...lines] = await printed(sql);
  const names = ['TABLE', 'FROM', 'UNTIL', 'WINDOW', 'PARTITIONS'];
  const starts = names.map((name) => header.indexOf(name));
  const windows = lines.map((line) =>
    starts.map((start, index) => line.slice(start, starts[index + 1]).trim()).join('|'),
  );
  expect([...new Set(windows)].join('\n')).toBe(shown);
});

// A dry run with a later clock shows whether a filter prunes only if the filter follows the clock.
it.each(casesBeside(import.meta.filename)<[from: string, apart: string[]]>('clocks'))(
  'detects whether the scan depends on the clock: %s',
  async (from, apart) => {
    const served = await analysed(`SELECT id, @span FROM ${from}`);
    expect(await queriesApartFromClock(engine, served)).toEqual(
      apart.map((span) => `a.b/query.sql span=${span}`),
    );
  },
);
