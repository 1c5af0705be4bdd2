// Works out which values of a column fulfil a condition.
import type { ColumnCondition, Comparison } from './column-conditions.ts';
import type { ColumnFunction } from './column-expressions.ts';
import {
  AFTER_LAST_INSTANT,
  FIRST_INSTANT,
  lengthOf,
  nextStart,
  periodOf,
  startOf,
  within,
} from '../../values/date-parts.ts';
import { shardPart, shardSuffix } from '../../values/shard-format.ts';
import type { Shards } from '../../values/table-definition.ts';
import type { Constant, ConstantValue } from './constants.ts';

/** Values from `from` on and before `until`: microseconds since 1970 in UTC. */
export interface Range {
  from: bigint;
  until: bigint;
}

/** Values of a column of type TIMESTAMP, DATETIME or DATE. */
export interface ColumnValues {
  /** In order, without empty ones, and with a gap between one and the next. */
  ranges: readonly Range[];
  hasNull: boolean;
}

/** Every value that is not NULL: a comparison is never true of NULL. */
const EVERY: Range = { from: FIRST_INSTANT, until: AFTER_LAST_INSTANT };
export const ALL_VALUES: ColumnValues = { ranges: [EVERY], hasNull: true };

/** Beyond all values that a function of a column can have. */
const INFINITY = 1n << 80n;

/**
 * The values of a column for which a condition is true, or may be true where a constant has no known value.
 * `type` is the type of the column: a DATE has the values at which days start.
 */
export function valuesOf(
  condition: ColumnCondition,
  type: string,
  valueOf: (constant: Constant) => ConstantValue,
): ColumnValues {
  switch (condition.kind) {
    case 'null':
      return { ranges: [], hasNull: true };
    case 'comparison': {
      const ofColumn: ColumnFunction[] =
        type.toUpperCase() === 'DATE' ? [{ name: 'truncate', part: 'DAY' }] : [];
      const functions = [...condition.functions, ...ofColumn];
      return { ranges: comparisonRanges({ ...condition, functions }, valueOf), hasNull: false };
    }
    case 'all':
    case 'any': {
      const [first = ALL_VALUES, ...others] = condition.conditions.map((part) =>
        valuesOf(part, type, valueOf),
      );
      return others.reduce(condition.kind === 'all' ? intersection : union, first);
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

function union(a: ColumnValues, b: ColumnValues): ColumnValues {
  return { ranges: joined([...a.ranges, ...b.ranges]), hasNull: a.hasNull || b.hasNull };
}

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
  valueOf: (constant: Constant) => ConstantValue,
): readonly Range[] {
  const value = valueOf(constant);
  if (value === undefined) return [EVERY];
  if (value === null) return [];
  const [outermost, ...inner] = functions;
  let range = typeof value === 'bigint' ? compared(operator, value, 1n) : undefined;
  let rest = functions;
  if (typeof value === 'string' && outermost !== undefined) {
    range = textRange(operator, value, outermost);
    rest = inner;
  }
  for (const applied of rest) {
    const found: Range | null | undefined = range && preimage(applied, range, valueOf);
    if (found === null) return [];
    range = found;
  }
  if (range === undefined) return [EVERY];
  return joined([{ from: within(range.from), until: within(range.until) }]);
}

/** The results of an expression that compare so with a value; `step` is added to the value for the next one. */
function compared(operator: Comparison, value: bigint, step: bigint): Range {
  const after = value + step;
  const ranges: Readonly<Record<Comparison, Range>> = {
    '<': { from: -INFINITY, until: value },
    '<=': { from: -INFINITY, until: after },
    '=': { from: value, until: after },
    '>=': { from: value, until: INFINITY },
    '>': { from: after, until: INFINITY },
  };
  return ranges[operator];
}

/**
 * The arguments for which a function has a result in a range. `null` for none, because a constant of the
 * function is NULL; `undefined` if such a constant is not known.
 */
function preimage(
  applied: ColumnFunction,
  { from, until }: Range,
  valueOf: (constant: Constant) => ConstantValue,
): Range | null | undefined {
  switch (applied.name) {
    case 'truncate':
      return { from: nextStart(applied.part, from), until: nextStart(applied.part, until) };
    case 'year':
      return { from: startOf('YEAR', from - 1970n), until: startOf('YEAR', until - 1970n) };
    case 'format':
      return undefined;
    case 'parse':
      return { from, until };
    case 'shard':
      // Of a text that is a day the engine knows the day; of others it knows nothing.
      if (applied.prefix !== '' || applied.format !== 'YYYYMMDD') return undefined;
      return { from: nextStart('DAY', from), until: nextStart('DAY', until) };
    case 'add':
    case 'subtract': {
      const count = valueOf(applied.count);
      if (typeof count !== 'bigint') return count === null ? null : undefined;
      const sign = applied.name === 'add' ? 1n : -1n;
      const added = sign * count * (lengthOf(applied.part) ?? 0n);
      return { from: from - added, until: until - added };
    }
    case 'difference': {
      const other = valueOf(applied.other);
      if (typeof other !== 'bigint') return other === null ? null : undefined;
      const start = firstOf(applied, other);
      return applied.column === 'minuend'
        ? { from: start(from), until: start(until) }
        : { from: start(1n - until), until: start(1n - from) };
    }
  }
}

/**
 * The first instant x whose difference from `other` is at least a number: of `x - other`, and, because the
 * differences are symmetric, with the sign changed also of `other - x`.
 */
function firstOf(
  { part, counts }: Extract<ColumnFunction, { name: 'difference' }>,
  other: bigint,
): (difference: bigint) => bigint {
  if (counts === 'starts') return (difference) => startOf(part, periodOf(part, other) + difference);
  const length = lengthOf(part) ?? 1n;
  // Rounded towards zero: the differences of less than one length on both sides are 0.
  return (difference) =>
    other + (difference > 0n ? difference * length : (difference - 1n) * length + 1n);
}

/** The instants of which the text compares so with a text; undefined for a function that gives none. */
function textRange(operator: Comparison, text: string, applied: ColumnFunction): Range | undefined {
  if (applied.name === 'format') {
    return rangeOfTexts(operator, text, writtenPeriods('YYYYMMDD', applied.separator));
  }
  if (applied.name !== 'shard') return undefined;
  return rangeOfTexts(operator, applied.prefix + text, writtenPeriods(applied.format));
}

/** The time that the shards hold whose suffixes begin with a text. */
export function shardsRange(format: Shards['format'], suffix: string): Range {
  const periods = writtenPeriods(format);
  return {
    from: firstPeriod((text) => text >= suffix, periods),
    until: firstPeriod((text) => text.slice(0, suffix.length) > suffix, periods),
  };
}

type WrittenPeriods = ReturnType<typeof writtenPeriods>;

/** Periods with texts in the same order: the names of shards, or their parts with a separator. */
function writtenPeriods(format: Shards['format'], separator = '') {
  const separated = `$1${separator}$2${separator}`;
  return {
    part: shardPart(format),
    textOf: (start: bigint) => shardSuffix(format, start).replace(/(.{4})(..)/, separated),
  };
}

function rangeOfTexts(operator: Comparison, text: string, periods: WrittenPeriods): Range {
  const first = firstPeriod((one) => one >= text, periods);
  const after = firstPeriod((one) => one > text, periods);
  return compared(operator, first, after - first);
}

/** The start of the first period whose text has a property that all later ones share. */
function firstPeriod(has: (text: string) => boolean, { part, textOf }: WrittenPeriods): bigint {
  let low = periodOf(part, FIRST_INSTANT);
  let high = periodOf(part, AFTER_LAST_INSTANT - 1n) + 1n;
  while (low < high) {
    const middle = (low + high) >> 1n;
    if (has(textOf(startOf(part, middle)))) high = middle;
    else low = middle + 1n;
  }
  return startOf(part, low);
}
