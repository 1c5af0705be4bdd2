// Reads expressions of one column in functions by which BigQuery can prune partitions.
import { TABLE_SUFFIX } from '../../values/table-definition.ts';
import {
  constantOf,
  PARSED_DAY,
  YEAR,
  added,
  difference,
  formatted,
  truncated,
} from './column-functions.ts';
import type { ColumnFunction } from './column-functions.ts';
import { type DatePart, lengthOf } from '../../values/date-parts.ts';
import dateParts from './date-parts.json' with { type: 'json' };
import * as tree from '../resolved-tree.ts';
import type { ResolvedNode } from '../resolved-tree.ts';

/** A column of an instant or a day, or the suffix of a shard, alone or in functions. */
interface ColumnExpression {
  columnId: string;
  /** From the outermost function to the one of the column itself. */
  functions: readonly ColumnFunction[];
}

/** `undefined` for anything by which BigQuery does not prune; `text` is the statement. */
export function columnExpression(
  node: ResolvedNode | undefined,
  text: Buffer,
): ColumnExpression | undefined {
  if (node?.kind === 'ColumnRef') {
    const column = tree.columnOf(tree.fieldOf(node.message, 'column'));
    return column && (isInstant(node) || column.name === TABLE_SUFFIX.name)
      ? { columnId: column.columnId, functions: [] }
      : undefined;
  }
  const found = outermost(node, text);
  const isTaken = found && (isInstant(found.of) || found.applied === PARSED_DAY);
  const inner = isTaken ? columnExpression(found.of, text) : undefined;
  return found && inner && { ...inner, functions: [found.applied, ...inner.functions] };
}

interface Applied {
  applied: ColumnFunction;
  of: ResolvedNode | undefined;
}

/** The outermost function of an expression, and the expression that it is applied to. */
function outermost(node: ResolvedNode | undefined, text: Buffer): Applied | undefined {
  if (node?.kind === 'Cast') {
    const isSafe = tree.fieldOf(node.message, 'returnNullOnError') === true;
    if (isSafe || tree.typeOf(node)?.typeKind !== 'TYPE_DATE') return undefined;
    return { applied: truncated('DAY'), of: tree.childOf(node.message, 'expr') };
  }
  // The functions of the types differ only in the type of the column: date_add, datetime_add, timestamp_add.
  const name = tree.functionOf(node)?.replace(/^(?:date|datetime|timestamp)_/, '');
  const all = tree.argumentsOf(node);
  const [first, second] = all;
  const part = partOf(all.at(-1));
  const separator = SEPARATORS[String(tree.literalOf(first, 'stringValue'))];
  switch (`${name} ${all.length}`) {
    case 'date 1':
    case '$extract_date 1':
      return { applied: truncated('DAY'), of: first };
    case '$extract 2':
      return part === 'YEAR' ? { applied: YEAR, of: first } : undefined;
    case 'format_timestamp 2':
      if (separator === undefined) return undefined;
      return { applied: formatted(separator), of: second };
    case 'parse_date 2':
      return separator === '' ? { applied: PARSED_DAY, of: second } : undefined;
    case 'trunc 2':
      return part && { applied: truncated(part), of: first };
    case 'add 3':
    case 'sub 3': {
      const count = constantOf(second, text);
      // Not by months, which differ in length: several days of one become the same day of another.
      if (!part || !count || lengthOf(part) === undefined) return undefined;
      return { applied: added(part, count, name === 'add' ? 1n : -1n), of: first };
    }
    case 'diff 3':
      return differenceOf(all, part, text);
    default:
      return undefined;
  }
}

function differenceOf(
  [first, second]: readonly (ResolvedNode | undefined)[],
  part: DatePart | undefined,
  text: Buffer,
): Applied | undefined {
  const counts = tree.typeOf(first)?.typeKind === 'TYPE_TIMESTAMP' ? 'lengths' : 'starts';
  if (!part || (counts === 'lengths' && lengthOf(part) === undefined)) return undefined;
  const [minuend, subtrahend] = [constantOf(first, text), constantOf(second, text)];
  if (subtrahend) return { applied: difference(part, counts, 'minuend', subtrahend), of: first };
  return minuend && { applied: difference(part, counts, 'subtrahend', minuend), of: second };
}

function isInstant(node: ResolvedNode | undefined): boolean {
  return ['TYPE_TIMESTAMP', 'TYPE_DATETIME', 'TYPE_DATE'].includes(
    tree.typeOf(node)?.typeKind ?? '',
  );
}

/** Formats in which text and days have the same order. */
const SEPARATORS = dateParts.separators as Readonly<Record<string, '-' | ''>>;

/** By the number in `zetasql.functions.DateTimestampPart`. */
const PARTS = dateParts.parts as Readonly<Record<string, DatePart>>;

/** The part that is the argument of a function, such as HOUR. */
export function partOf(node: ResolvedNode | undefined): DatePart | undefined {
  return PARTS[String(tree.literalOf(node, 'enumValue'))];
}
