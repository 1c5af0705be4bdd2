// Tests the law of incremental warming: rows that are kept and rows that are read anew are those of the whole query.
import fc from 'fast-check';
import { type KeptRows, CALLS, startKeptRows } from './kept-rows.ts';
import { DAY, HOUR, MINUTE } from '../support/bigquery/batch-runs.ts';
import { SEED } from '../support/random.ts';
import { deleteRows, flush, streamRows } from '../support/bigquery/changed-rows.ts';

/** Of each kind of partition. Each takes half a minute, more on a machine with other work: without LAW_RUNS there is one of one kind, of the other in the next hour. */
const { LAW_RUNS } = process.env;
const PARTITIONS = (['DAY', 'HOUR'] as const).filter((_, index) => LAW_RUNS || index === SEED % 2);

it.each(PARTITIONS)(
  'law: after each run, all results are those of their queries, byte for byte: partitions by %s',
  async (partition) => {
    interface Ago {
      /** Counted from the last multiple of it. */
      step: number;
      ms: number;
    }

    const msAgo = (arbitrary: fc.Arbitrary<number>): fc.Arbitrary<Ago> =>
      arbitrary.map((ms) => ({ step: 1, ms }));

    function fromStart(arbitrary: fc.Arbitrary<number>): fc.Arbitrary<Ago> {
      const window = fc.constantFrom(DAY, 7 * DAY, 30 * DAY);
      return msAgo(fc.tuple(window, arbitrary).map(([ms, afterMs]) => ms - afterMs));
    }

    /** How long before now: about to leave a window, just after its start, at the edge of a bucket, recently, at any time. */
    const AGO = fc.oneof(
      { weight: 4, arbitrary: fromStart(fc.integer({ min: -1, max: 20 * MINUTE })) },
      { weight: 3, arbitrary: fromStart(fc.integer({ min: 0, max: DAY })) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(MINUTE, HOUR, DAY), fc.integer({ min: 0, max: 26 }))
          .chain(([step, count]) =>
            fc.constantFrom(-1, 0, 1).map((off) => ({ step, ms: step * count + off })),
          ),
      },
      { weight: 2, arbitrary: msAgo(fc.integer({ min: -MINUTE, max: 90 * MINUTE })) },
      { weight: 1, arbitrary: msAgo(fc.integer({ min: 0, max: 32 * DAY })) },
    );

    const TABLES = { functions: 'function_relay_logs', usage: 'edge_logs', sales: 'sales' };
    const atOf = (nowMs: number, { step, ms }: Ago): string =>
      new Date(Math.floor(nowMs / step) * step - ms).toISOString();
    const ROW = fc.record({
      ago: AGO,
      who: fc.constantFrom('a', 'a', 'bxc'),
      kind: fc.constantFrom('x', 'x', 'y', null),
      f: fc.constantFrom('f', '', null),
      amount: fc.option(fc.integer({ min: -5, max: 900 })),
      path: fc.constantFrom('/rest', '/auth/rest', '/', null),
    });
    const PLAIN = { who: 'a', kind: 'x', f: 'f', amount: 1, path: '/rest' } as const;
    const STEP = fc.record({
      waitMs: fc.constantFrom(
        ...[5 * MINUTE, 5 * MINUTE, 5 * MINUTE, 8 * MINUTE, 10 * MINUTE, 14 * MINUTE],
        ...[7 * HOUR],
      ),
      table: fc.constantFrom('functions', 'usage', 'sales'),
      rows: fc.array(ROW, { minLength: 4, maxLength: 16 }),
      change: fc.constantFrom(
        'load',
        'load',
        'load',
        'load and delete',
        'stream and flush',
        'none',
      ),
      isOff: fc.constantFrom(...Array<boolean>(9).fill(false), true),
    });

    async function perform(
      { bigquery, clock }: KeptRows,
      { table, rows, change }: { table: keyof typeof TABLES; rows: Row[]; change: string },
    ): Promise<void> {
      const nowMs = clock.nowMs();
      const name = TABLES[table];
      const encoded = rows.map((row) => rowOf(table, atOf(nowMs, row.ago), row));
      if (change === 'none') return;
      if (change === 'stream and flush') {
        await streamRows(bigquery, name, encoded);
        flush(bigquery, name);
      } else await bigquery.appendRows(name, encoded);
      if (change === 'load and delete')
        deleteRows(bigquery, name, (_, row) => Number(row) % 3 === 0);
    }

    type Row = typeof ROW extends fc.Arbitrary<infer T> ? T : never;

    function rowOf(table: string, at: string, row: Row): object {
      const { who, kind, f, amount, path } = row;
      if (table === 'sales') return { at, shop: who, kind, amount, text: `${path}"}],[{"\\` };
      if (table === 'usage') {
        return {
          id: 'e',
          timestamp: at,
          metadata: [{ request: [{ url: `http://${who}/`, path }] }],
        };
      }
      const response = amount === null ? [] : [{ status_code: amount }];
      const metadata = { project_ref: who, function_id: f, execution_time_ms: amount, response };
      return { id: 'f', timestamp: at, metadata: [metadata] };
    }

    let kept = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(STEP, { minLength: 5, maxLength: 8 }),
        // Before the end of a day, before that of an hour, and at any time.
        fc.oneof(
          fc.constantFrom(23 * 60 + 45, 10 * 60 + 49),
          fc.integer({ min: 0, max: 24 * 60 - 1 }),
        ),
        async (steps, minute) => {
          const from = new Date(Date.parse('2026-11-20') + minute * MINUTE).toISOString();
          const service = await startKeptRows(
            from,
            {},
            { partition, withShipped: true, warmFullSeconds: 86_400 },
          );
          const calls = Object.values(CALLS).flat();
          // Without a row, a table has no partitions, and nothing is kept.
          const first = { ago: { step: 1, ms: 2 * DAY }, ...PLAIN };
          for (const table of ['functions', 'usage', 'sales'] as const) {
            await perform(service, { table, rows: [first], change: 'load' });
          }
          await service.ask(calls);
          service.clock.advance(5 * MINUTE);
          await service.run();
          for (const step of steps) {
            await perform(service, step);
            await service.ask(calls);
            service.clock.advance(step.waitMs);
            // The read before may not have been recorded, which keeps a result warm only for runs every five minutes.
            await service.ask(calls);
            const report = await service.run({ warmIncremental: step.isOff ? 'off' : 'on' });
            kept += report.incremental;
            expect(report.failed).toEqual([]);
            expect(await service.differences()).toEqual([]);
          }
        },
      ),
      { numRuns: Number(LAW_RUNS ?? 1) },
    );
    expect(kept).toBeGreaterThan(0);
  },
  // Each run has ten minutes at most.
  600_000 * Number(LAW_RUNS ?? 1),
);
