// Sample rows for the tables of `test/sql`.
import { createRandom, pickOf } from '../random.ts';

/** A project with rows in both tables: the example of its parameter. */
const PROJECT = 'kfqzwmxhvtrnjdbyplca';
const ROWS_PER_TABLE = 2000;
const SPAN_MS = 8 * 24 * 3_600_000;

/** Rows of the eight days before `nowMs`, by table; more of them per hour towards the end. */
export function sampleRows(nowMs: number): Record<string, object[]> {
  const random = createRandom(1);
  const timestamp = (): string => new Date(nowMs - random() ** 2 * SPAN_MS).toISOString();
  const rows = (row: () => object): object[] => Array.from({ length: ROWS_PER_TABLE }, row);
  return {
    task_runs: rows(() => ({
      timestamp: timestamp(),
      project: PROJECT,
      function_id: pickOf(['checkout', 'receipt'], random),
      duration_ms: 50 + 1000 * random(),
    })),
    web_visits: rows(() => {
      const page = pickOf(['orders', 'products', 'account'], random);
      return {
        timestamp: timestamp(),
        requests: [{ url: `https://${PROJECT}.example.co/${page}` }],
      };
    }),
  };
}
