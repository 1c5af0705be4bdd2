// Leaves out of the chart the rows that a filter has left out of the table.
import type { ChartInput } from '../../chart/plan/chart-plan.ts';
import type { Filter } from './filter-rows.ts';

/** A bucket whose rows are all left out is empty only if the filter chooses by a name, and not by a value or a time. */
export function filterInput(
  input: ChartInput,
  { column }: Filter,
  kept: readonly number[],
): ChartInput {
  const type = input.columns.find(({ name }) => name === column)?.type;
  const isName = type === 'STRING' || type === 'BOOL';
  const rows = kept.map((index) => input.rows[index] ?? {});
  const bucket = input.bucket && { ...input.bucket, ...(isName ? {} : { missing: undefined }) };
  return { ...input, rows, bucket };
}
