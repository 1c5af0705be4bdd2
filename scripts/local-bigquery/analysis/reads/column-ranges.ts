// Computes the values of a column that fulfil a condition.
import type { ColumnCondition } from './column-conditions.ts';
import { type Range, type ValueOf, compared, truncated } from './column-functions.ts';
import { AFTER_LAST_INSTANT, FIRST_INSTANT, within } from '../../values/date-parts.ts';

/** Values of a column of type TIMESTAMP, DATETIME or DATE. */
export interface ColumnValues {
  /** In order, without empty ones, and with a gap between one and the next. */
  ranges: readonly Range[];
  hasNull: boolean;
}

/** Every value that is not NULL: a comparison is never true of NULL. */
const EVERY: Range = { from: FIRST_INSTANT, until: AFTER_LAST_INSTANT };
export const ALL_VALUES: ColumnValues = { ranges: [EVERY], hasNull: true };

/** The values for which a condition is, or with an unknown constant may be, true. A DATE has the values at which days start. */
export function valuesOf(condition: ColumnCondition, type: string, valueOf: ValueOf): ColumnValues {
  switch (condition.kind) {
    case 'null':
      return { ranges: [], hasNull: true };
    case 'comparison': {
      const ofColumn = type.toUpperCase() === 'DATE' ? [truncated('DAY')] : [];
      const functions = [...condition.functions, ...ofColumn];
      return { ranges: comparisonRanges({ ...condition, functions }, valueOf), hasNull: false };
    }
    case 'all':
    case 'any': {
      const parts = condition.conditions.map((part) => valuesOf(part, type, valueOf));
      if (condition.kind === 'all') return parts.reduce(intersection, ALL_VALUES);
      return union(parts);
    }
  }
}

export function includesInstant({ ranges }: ColumnValues, instant: bigint): boolean {
  return ranges.some(({ from, until }) => from <= instant && instant < until);
}

export function intersection(a: ColumnValues, b: ColumnValues): ColumnValues {
  const ranges = a.ranges.flatMap((one) =>
    b.ranges.map((other) => ({
      from: one.from > other.from ? one.from : other.from,
      until: one.until < other.until ? one.until : other.until,
    })),
  );
  return { ranges: joined(ranges), hasNull: a.hasNull && b.hasNull };
}

export function union(all: readonly ColumnValues[]): ColumnValues {
  const ranges = joined(all.flatMap((part) => part.ranges));
  return { ranges, hasNull: all.some(({ hasNull }) => hasNull) };
}

/** In order, and none touches the next. */
function joined(ranges: readonly Range[]): Range[] {
  const ordered = ranges
    .filter(({ from, until }) => from < until)
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const found: Range[] = [];
  for (const range of ordered) {
    const last = found.at(-1);
    if (last === undefined || range.from > last.until) found.push({ ...range });
    else if (range.until > last.until) last.until = range.until;
  }
  return found;
}

function comparisonRanges(
  { functions, operator, constant }: Extract<ColumnCondition, { kind: 'comparison' }>,
  valueOf: ValueOf,
): readonly Range[] {
  const value = valueOf(constant);
  if (value === undefined) return [EVERY];
  if (value === null) return [];
  const [outermost, ...inner] = functions;
  let range =
    typeof value === 'bigint'
      ? compared(operator, value, 1n)
      : outermost?.textRange?.(operator, value);
  for (const applied of typeof value === 'bigint' ? functions : inner) {
    const found: Range | null | undefined = range && applied.preimage(range, valueOf);
    if (found === null) return [];
    range = found;
  }
  if (range === undefined) return [EVERY];
  return joined([{ from: within(range.from), until: within(range.until) }]);
}
