// Pruning loses no row: a query has the same rows when only the partitions that it reads are there.
import fc from 'fast-check';
import { partitionsRead } from '../../../../scripts/local-bigquery/analysis/reads/column-ranges.ts';
import { tableReads } from '../../../../scripts/local-bigquery/analysis/reads/table-reads.ts';
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { columns } from '../../../support/sql/columns.ts';
import { periodOf } from '../../../../scripts/local-bigquery/values/date-parts.ts';
import { createTableRowEncoder } from '../../../../scripts/local-bigquery/values/row-encoder.ts';
import type { Partitioning } from '../../../../scripts/local-bigquery/values/table-definition.ts';
import { type InstantType, instantText, instants, timePredicates } from '../time-predicates.ts';
import { casesBeside } from '../../../support/cases.ts';
import { sharedEngine } from '../../../support/bigquery/shared-engine.ts';

const engine = await sharedEngine();

/** Queries with conditions on e.ts and d.ts, two references to the one table. */
const queries = casesBeside(import.meta.filename)<string>('queries');

it.each<[InstantType, Partitioning['type'][]]>([
  ['TIMESTAMP', ['HOUR', 'DAY', 'MONTH', 'YEAR']],
  ['DATETIME', ['HOUR', 'DAY', 'MONTH', 'YEAR']],
  ['DATE', ['DAY', 'MONTH', 'YEAR']],
])(
  'pruning loses no rows of a table partitioned by a column of type %s',
  async (columnType, types) => {
    interface Row {
      n: number;
      /** The `n` of another row. */
      m: number;
      /** Microseconds since 1970. */
      ts: bigint | null;
      tags: string[];
    }

    const rows: fc.Arbitrary<Row[]> = fc
      .array(
        fc.record({
          m: fc.nat(11),
          ts: fc.option(instants, { freq: 6 }),
          tags: fc.subarray(['a', 'b']),
        }),
        { minLength: 12, maxLength: 12 },
      )
      .map((some) => some.map((row, n) => ({ n, ...row })));
    const fields = columns(`n INTEGER, m INTEGER, ts ${columnType}, tags STRING REPEATED`);

    async function rowsOf(sql: string, some: readonly Row[]): Promise<string[]> {
      const encode = createTableRowEncoder({ fields });
      const cells = some.map(({ ts, ...row }) =>
        encode({ ...row, ts: ts === null ? null : instantText(ts, columnType) }),
      );
      const tables = [{ name: 't', fields, encodedRows: [engine.encodeRows(cells)] }];
      const found = await engine.evaluate({ sql, tables });
      return found.rows.map((row) => JSON.stringify(row)).sort();
    }

    let pruned = 0;
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom(...queries),
        timePredicates('e.ts', columnType),
        timePredicates('d.ts', columnType),
        fc.constantFrom(...types),
        async (all, query, e, d, type) => {
          const sql = query.replaceAll('$e', () => e).replaceAll('$d', () => d);
          const partitioning: Partitioning = { type, field: 'ts' };
          const table = { name: 't', fields, definition: { ...PLAIN_TABLE, partitioning } };
          const { scans } = await engine.analyze({ sql, tables: [table] });
          const named = { fullName: 't', fields, source: table };
          const references = scans.map((scan) => ({ table: named, scan }));
          const reads = await tableReads(engine, references, [], 0);
          const areRead = reads.flatMap(({ values }) =>
            values ? partitionsRead(partitioning, values) : [],
          );
          expect(areRead).toHaveLength(scans.length);
          const kept = all.filter(({ ts }) => {
            const partition = ts === null ? null : periodOf(type, ts);
            return areRead.some((isRead) => isRead(partition));
          });
          if (kept.length < all.length) pruned++;
          expect(await rowsOf(sql, kept)).toEqual(await rowsOf(sql, all));
        },
      ),
      { numRuns: 60 },
    );
    // Otherwise nothing has been shown.
    expect(pruned).toBeGreaterThan(3);
  },
);
