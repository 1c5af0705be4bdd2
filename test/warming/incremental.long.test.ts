// Tests the law of incremental warming: rows that are kept and rows that are read anew are those of the whole query.
import fc from 'fast-check';
import { CALLS, type KeptRows, startKeptRows } from '../support/bigquery/kept-rows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TABLES = { functions: 'function_relay_logs', usage: 'edge_logs', sales: 'sales' };

/** How long before now: at the edges of buckets and windows, at any time, or recently. */
const AGO = fc.oneof(
  fc
    .tuple(fc.constantFrom(MINUTE, HOUR, DAY), fc.integer({ min: -1, max: 61 }), OFF())
    .map(([step, count, offMs]) => ({ step, count, offMs })),
  fc
    .tuple(fc.constantFrom(5 * MINUTE, 15 * MINUTE, HOUR, DAY, 7 * DAY, 8 * DAY, 30 * DAY), OFF())
    .map(([ms, offMs]) => ({ step: 1, count: ms, offMs })),
  fc.integer({ min: -MINUTE, max: 32 * DAY }).map((ms) => ({ step: 1, count: ms, offMs: 0 })),
  fc.integer({ min: 0, max: 10 * MINUTE }).map((ms) => ({ step: 1, count: ms, offMs: 0 })),
);
type Ago = { step: number; count: number; offMs: number };

function OFF() {
  return fc.constantFrom(-1, 0, 1);
}

const atOf = (nowMs: number, { step, count, offMs }: Ago): string =>
  new Date(Math.floor(nowMs / step) * step - step * count + offMs).toISOString();

const ROW = fc.record({
  ago: AGO,
  who: fc.constantFrom('a', 'b', 'bxc'),
  kind: fc.constantFrom('x', 'y', null),
  f: fc.constantFrom('f', '', null),
  amount: fc.option(fc.integer({ min: -5, max: 900 })),
  path: fc.constantFrom('/rest', '/auth/rest', '/', null),
});

const STEP = fc.record({
  waitMs: fc.constantFrom(
    ...[5 * MINUTE, 5 * MINUTE, 5 * MINUTE, 10 * MINUTE, 14 * MINUTE],
    ...[HOUR + MINUTE, 7 * HOUR, DAY],
  ),
  table: fc.constantFrom('functions', 'usage', 'sales'),
  rows: fc.array(ROW, { maxLength: 12 }),
  change: fc.constantFrom('load', 'load', 'load', 'load and delete', 'stream and flush', 'none'),
  isOff: fc.constantFrom(false, false, false, false, true),
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
    await bigquery.streamRows(name, encoded);
    bigquery.flush(name);
  } else await bigquery.appendRows(name, encoded);
  if (change === 'load and delete') bigquery.deleteRows(name, (_, row) => Number(row) % 3 === 0);
}

type Row = typeof ROW extends fc.Arbitrary<infer T> ? T : never;

function rowOf(table: string, at: string, row: Row): object {
  const { who, kind, f, amount, path } = row;
  if (table === 'sales') return { at, shop: who, kind, amount, text: `${path}"}],[{"\\` };
  if (table === 'usage') {
    return { id: 'e', timestamp: at, metadata: [{ request: [{ url: `http://${who}/`, path }] }] };
  }
  const response = amount === null ? [] : [{ status_code: amount }];
  const metadata = { project_ref: who, function_id: f, execution_time_ms: amount, response };
  return { id: 'f', timestamp: at, metadata: [metadata] };
}

it.each(['DAY', 'HOUR'] as const)(
  'law: after each run, all results are those of their queries, byte for byte: partitions by %s',
  async (partition) => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(STEP, { minLength: 5, maxLength: 8 }),
        fc.integer({ min: 0, max: 24 * 60 - 1 }),
        async (steps, minute) => {
          const from = new Date(Date.parse('2026-11-20') + minute * MINUTE).toISOString();
          const service = await startKeptRows(from, partition, { warmFullSeconds: 86_400 });
          const calls = Object.values(CALLS).flat();
          await service.ask(calls);
          service.clock.advance(5 * MINUTE);
          await service.run();
          for (const step of steps) {
            await perform(service, step);
            await service.ask(calls);
            service.clock.advance(step.waitMs);
            const report = await service.run({ warmIncremental: step.isOff ? 'off' : 'on' });
            kept += report.incremental;
            expect(report.failed).toEqual([]);
            expect(await service.differences()).toEqual([]);
          }
        },
      ),
      { numRuns: 6 },
    );
    expect(kept).toBeGreaterThan(20);
  },
  600_000,
);
