// Tests of the values that conditions allow: exactly those for which the engine evaluates the condition to true.
import fc from 'fast-check';
import { valuesOf } from '../../../../../scripts/local-bigquery/analysis/reads/column-ranges.ts';
import { constantsIn } from '../../../../../scripts/local-bigquery/analysis/reads/column-conditions.ts';
import { constantValues } from '../../../../../scripts/local-bigquery/analysis/reads/table-reads.ts';
import {
  AFTER_LAST_INSTANT,
  FIRST_INSTANT,
} from '../../../../../scripts/local-bigquery/values/date-parts.ts';
import { createRowEncoder } from '../../../../../scripts/local-bigquery/values/row-encoder.ts';
import { instantText, instants, timePredicates } from '../../../../support/sql/time-predicates.ts';
import type { InstantType } from '../../../../support/sql/time-predicates.ts';
import { sharedEngine } from '../../../../support/bigquery/shared-engine.ts';

const NOW = Date.parse('2026-11-20T10:15:00Z');
const engine = await sharedEngine();

const fieldsOf = (type: InstantType) => [
  { name: 'n', type: 'INTEGER' },
  { name: 'x', type },
];

async function rangesOf(type: InstantType, where: string) {
  const sql = `SELECT n FROM t WHERE ${where}`;
  const tables = [{ name: 't', fields: fieldsOf(type) }];
  const { scans } = await engine.analyze({ sql, tables });
  const condition = scans[0]?.conditions.get('x');
  if (condition === undefined) throw new Error(`${where} is no condition on x`);
  const constants = await constantValues(engine, constantsIn(condition), [], NOW);
  return valuesOf(condition, type, (constant) => constants.get(constant));
}

/** `start` and `end` are those of all values that the engine has. */
function shown(micros: bigint): string {
  if (micros === FIRST_INSTANT) return 'start';
  return micros === AFTER_LAST_INSTANT ? 'end' : instantText(micros, 'TIMESTAMP');
}

it.each<[InstantType, string, [string, string][]]>([
  ['TIMESTAMP', "x >= '2026-11-20'", [['2026-11-20 00:00:00.000000', 'end']]],
  ['TIMESTAMP', "x > '2026-11-20'", [['2026-11-20 00:00:00.000001', 'end']]],
  ['DATETIME', "x < '2026-11-20'", [['start', '2026-11-20 00:00:00.000000']]],
  ['DATE', "x = '2026-11-20'", [['2026-11-20 00:00:00.000000', '2026-11-21 00:00:00.000000']]],
  ['DATE', "x > '2026-11-20'", [['2026-11-21 00:00:00.000000', 'end']]],
  [
    'DATETIME',
    "DATETIME_TRUNC(x, MONTH) BETWEEN '2026-10-02' AND '2026-11-20'",
    [['2026-11-01 00:00:00.000000', '2026-12-01 00:00:00.000000']],
  ],
  [
    'TIMESTAMP',
    'TIMESTAMP_DIFF(CURRENT_TIMESTAMP(), x, HOUR) = 0',
    [['2026-11-20 09:15:00.000001', '2026-11-20 11:15:00.000000']],
  ],
  [
    'TIMESTAMP',
    "FORMAT_TIMESTAMP('%Y%m%d', x) > '2026113'",
    [['2026-11-30 00:00:00.000000', 'end']],
  ],
  [
    'DATE',
    "x IN ('2026-11-20', '2026-11-22', '2026-11-21', '2026-01-01')",
    [
      ['2026-01-01 00:00:00.000000', '2026-01-02 00:00:00.000000'],
      ['2026-11-20 00:00:00.000000', '2026-11-23 00:00:00.000000'],
    ],
  ],
  ['DATE', "x < '2026-11-20' AND x > '2026-11-20'", []],
  ['DATE', "x < '2026-11-20' OR x >= '2026-11-20'", [['start', 'end']]],
])('the ranges of %s are those of %s', async (type, where, expected) => {
  const { ranges, hasNull } = await rangesOf(type, where);
  expect(hasNull).toBe(false);
  expect(ranges.map(({ from, until }) => [shown(from), shown(until)])).toEqual(expected);
});

it('a condition with an unknown constant does not narrow the ranges', async () => {
  const { ranges } = await rangesOf('DATE', "x > CAST(@absent AS DATE) AND x < '2026-11-20'");
  expect(ranges.map(({ from, until }) => [shown(from), shown(until)])).toEqual([
    ['start', '2026-11-20 00:00:00.000000'],
  ]);
});

it.each<InstantType>(['TIMESTAMP', 'DATETIME', 'DATE'])(
  'the ranges contain exactly the values of type %s that match a condition',
  async (type) => {
    const fields = fieldsOf(type);
    await fc.assert(
      fc.asyncProperty(
        timePredicates('x', type),
        fc.array(instants, { minLength: 20, maxLength: 20 }),
        async (where, values) => {
          const { ranges, hasNull } = await rangesOf(type, where);
          const days = values.map((value) =>
            type === 'DATE' ? value - (value % 86_400_000_000n) : value,
          );
          const rows = [
            ...days.map((value, n) => ({ n, x: instantText(value, type) })),
            { n: 20, x: null },
          ];
          const encodedRows = [engine.encodeRows(rows.map(createRowEncoder(fields)))];
          const catalogue = await engine.registerCatalogue(
            [{ name: 't', fields, encodedRows }],
            [],
          );
          const sql = `SELECT n FROM t WHERE ${where} ORDER BY n`;
          const found = await engine.evaluate({ sql, catalogue });
          await engine.unregisterCatalogue(catalogue);
          const inRanges = days.flatMap((value, n) =>
            ranges.some(({ from, until }) => from <= value && value < until) ? [String(n)] : [],
          );
          expect([...inRanges, ...(hasNull ? ['20'] : [])]).toEqual(
            found.rows.map(({ f }) => f[0]?.v),
          );
        },
      ),
      { numRuns: 60 },
    );
  },
);
