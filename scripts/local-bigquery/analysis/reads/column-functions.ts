// The functions of a column by which BigQuery can prune partitions, which arguments have which results, and the constants in them.
import {
  AFTER_LAST_INSTANT,
  FIRST_INSTANT,
  nextStart,
  periodOf,
  startOf,
} from '../../values/date-parts.ts';
import type { DatePart } from '../../values/date-parts.ts';
import { shardPart, shardSuffix, type Shards } from '../../values/table-definition.ts';
import { typeSql } from '../../values/engine-values.ts';
import * as tree from '../resolved-tree.ts';
import type { ResolvedNode } from '../resolved-tree.ts';

export type Comparison = '<' | '<=' | '=' | '>=' | '>';

/** Values from `from` on and before `until`: microseconds since 1970 in UTC. */
export interface Range {
  from: bigint;
  until: bigint;
}

export type ValueOf = (constant: Constant) => ConstantValue;

/** A function that keeps the order of its values. */
export interface ColumnFunction {
  /** The arguments with a result in a range; absent if that is not known. */
  preimage?: (range: Range) => Range;
  /** For a function that returns texts: the instants whose text has this comparison with another. */
  textRange?: (operator: Comparison, text: string) => Range;
}

const INFINITY = 1n << 80n;

/** The results of an expression that have this comparison with a value; `step` is added to the value for the next one. */
export function compared(operator: Comparison, value: bigint, step: bigint): Range {
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

/** The start of the period; also DATE(x), CAST(x AS DATE) and EXTRACT(DATE FROM x). */
export const truncated = (part: DatePart) => ({
  preimage: ({ from, until }: Range) => ({
    from: nextStart(part, from),
    until: nextStart(part, until),
  }),
});

/** The day of a text such as 20261120. */
export const PARSED_DAY: ColumnFunction = { preimage: (range) => range };

/** The name of the shard that contains an instant, after a prefix: 2026*. */
export const shardName = (prefix: string, format: Shards['format']): ColumnFunction => ({
  // For a text that is a day, the engine knows the day; for others it knows nothing.
  ...(prefix === '' && format === 'YYYYMMDD' ? truncated('DAY') : {}),
  textRange: (operator, text) => rangeOfTexts(operator, prefix + text, writtenPeriods(format)),
});

/** The time range of the shards whose suffixes begin with a text. */
export function shardsRange(format: Shards['format'], suffix: string): Range {
  const periods = writtenPeriods(format);
  return {
    from: firstPeriod((text) => text >= suffix, periods),
    until: firstPeriod((text) => text.slice(0, suffix.length) > suffix, periods),
  };
}

type WrittenPeriods = ReturnType<typeof writtenPeriods>;

/** Periods with texts in the same order: the names of shards. */
const writtenPeriods = (format: Shards['format']) => ({
  part: shardPart(format),
  textOf: (start: bigint) => shardSuffix(format, start),
});

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

/** An expression as it is written, and the SQL type in which it is used. */
export interface Constant {
  sql: string;
  type: string;
}

/**
 * Microseconds since 1970 of a TIMESTAMP, DATETIME or DATE, a number of an INT64, the text of a STRING.
 * `undefined` for what has no value, because of an error or of a parameter that was not given.
 */
export type ConstantValue = bigint | string | null | undefined;

/** Nodes of which a constant may consist: no column, no subquery, no aggregate. */
const KINDS = new Set('Cast FunctionCall GetStructField Literal MakeStruct Parameter'.split(' '));
const NOT_DETERMINISTIC = new Set(['generate_uuid', 'rand']);

/** Literals, parameters, and functions of GoogleSQL over them; `text` is the statement. */
export function constantOf(node: ResolvedNode | undefined, text: Buffer): Constant | undefined {
  const type = tree.typeOf(node);
  if (node === undefined || type === undefined || !isConstant(node)) return undefined;
  // An implicit conversion has no place in the text; what it converts has one.
  const place = tree.placeOf(node) ?? tree.placeOf(tree.childOf(node.message, 'expr') ?? node);
  if (place === undefined) return undefined;
  return { sql: text.subarray(place.start, place.end).toString(), type: typeSql(type) };
}

function isConstant(node: ResolvedNode): boolean {
  if (!KINDS.has(node.kind)) return false;
  if (node.kind === 'FunctionCall') {
    const name = tree.functionOf(node);
    if (name === undefined || NOT_DETERMINISTIC.has(name)) return false;
  }
  return tree.nodesIn(node.message).every(isConstant);
}
