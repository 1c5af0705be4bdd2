// Tests of the values that conditions allow: exactly those for which the engine evaluates the condition to true.
import fc from 'fast-check';
import { valuesOf } from '../../../../../scripts/local-bigquery/analysis/reads/column-ranges.ts';
import { constantsIn } from '../../../../../scripts/local-bigquery/analysis/reads/column-conditions.ts';
import { constantValues } from '../../../../../scripts/local-bigquery/analysis/reads/table-reads.ts';
import { AFTER_LAST_INSTANT, FIRST_INSTANT } from '../../../../../scripts/local-bigquery/index.ts';
import { createTableRowEncoder } from '../../../../../scripts/local-bigquery/values/row-encoder.ts';
import { type InstantType, instantText, instants, timePredicates } from '../../time-predicates.ts';
import { readExpectations } from '../../../../support/sql/read-expectations.ts';
import { columns } from '../../../../support/sql/columns.ts';
import { sharedEngine } from '../../../../support/bigquery/shared-engine.ts';

const NOW = Date.parse('2026-11-20T10:15:00Z');
const engine = await sharedEngine();

const fieldsOf = (type: InstantType) => columns(`n INTEGER, x ${type}`);

const { ranges = [] } = readExpectations(
  'test/scripts/local-bigquery/analysis/reads/column-ranges.sql',
);

async function rangesOf(type: InstantType, where: string) {
  const sql = `SELECT n FROM t WHERE ${where}`;
  const tables = [{ name: 't', fields: fieldsOf(type) }];
  const { scans } = await engine.analyze({ sql, tables });
  const condition = scans[0]?.conditions.get('x');
  if (condition === undefined) throw new Error(`${where} is no condition on x`);
  const constants = await constantValues(engine, constantsIn(condition), [], NOW);
  return valuesOf(condition, type, (constant) => constants.get(constant));
}

it.each(ranges)('the ranges of %s are %s', async (where, expected) => {
  /** The ranges, `start` and `end` of which are those of all values that the engine has. */
  async function shownRanges(type: InstantType, where: string): Promise<string> {
    const shown = (micros: bigint): string => {
      if (micros === FIRST_INSTANT) return 'start';
      const text = instantText(micros, 'TIMESTAMP').replace(/( 00:00:00)?\.?0+$/, '');
      return micros === AFTER_LAST_INSTANT ? 'end' : text;
    };
    const { ranges, hasNull } = await rangesOf(type, where);
    expect(hasNull).toBe(false);
    return ranges.map(({ from, until }) => `${shown(from)} to ${shown(until)}`).join(', ');
  }

  const [type = ''] = expected.split(':');
  expect(`${type}: ${await shownRanges(type as InstantType, where)}`.trim()).toBe(expected);
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
          const texts = [...days.map((value) => instantText(value, type)), null];
          const rows = texts.map((x, n) => ({ n, x }));
          const encodedRows = [engine.encodeRows(rows.map(createTableRowEncoder({ fields })))];
          const tables = [{ name: 't', fields, encodedRows }];
          const sql = `SELECT n FROM t WHERE ${where} ORDER BY n`;
          const found = await engine.evaluate({ sql, tables });
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
