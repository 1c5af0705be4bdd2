// Finds the column of a query that is the start of a time bucket, and how long a bucket is.
import type { BucketDefinition } from '../../functions/endpoints/endpoint.ts';
import { columnType } from '../../functions/bigquery/check-page.ts';
import { type Analysis, type ResolvedNode, partOf, tree } from '../local-bigquery/index.ts';
import bucketSteps from './bucket-steps.json' with { type: 'json' };
import type { ColumnOrigins } from './column-origins.ts';

/** Parts of a date that a bucket can last; those of weeks begin with WEEK or ISOWEEK. */
const STEPS: Readonly<Record<string, string>> = bucketSteps;

const COLUMN_TYPES = ['DATE', 'DATETIME', 'TIMESTAMP'];
/** Functions that turn an instant into a DATE. */
const TO_DATE = ['date', '$extract_date'];
/** Conversions that do not change the start of a bucket. */
const CONVERSIONS = [...TO_DATE, 'datetime', 'timestamp'];

/** The first column truncated to a part of a date, or that is a DATE in GROUP BY; or undefined. */
export function inferBucket(
  { columns }: Analysis,
  origins: ColumnOrigins,
): BucketDefinition | undefined {
  const stepOf = (node: ResolvedNode): string | undefined => {
    const expression = origins.expressionOf(node);
    if (expression.kind === 'Cast') {
      const inner = tree.childOf(expression.message, 'expr');
      return inner && stepOf(inner);
    }
    const name = tree.functionOf(expression) ?? '';
    const [first, ...others] = tree.argumentsOf(expression);
    if (first === undefined) return undefined;
    if (CONVERSIONS.includes(name)) return stepOf(first);
    if (/^(?:date|datetime|timestamp)_trunc$/.test(name)) {
      return STEPS[partOf(others[0])?.replace(/^(?:ISO)?WEEK.*/, 'WEEK') ?? ''];
    }
    return undefined;
  };
  const isDay = (index: number): boolean => {
    const { origin, expression } = origins.outputs[index] ?? {};
    const computed = expression && origins.expressionOf(expression);
    const isDate = computed?.kind === 'Cast' || TO_DATE.includes(tree.functionOf(computed) ?? '');
    return origin !== undefined || isDate;
  };
  for (const [index, { name: column, type, mode }] of columns.entries()) {
    const [expression, isDate] = [origins.outputs[index]?.expression, columnType(type) === 'DATE'];
    if (mode === 'REPEATED' || !COLUMN_TYPES.includes(columnType(type))) continue;
    const step = expression && stepOf(expression);
    // Not for hours that are converted to days.
    if (step !== undefined && !(isDate && step.startsWith('PT'))) {
      return { column, step };
    }
    if (step === undefined && isDate && origins.groups?.includes(column) && isDay(index)) {
      return { column, step: 'P1D' };
    }
  }
  return undefined;
}
