// Reads expressions of one column in functions by which BigQuery can prune partitions.
import { TABLE_SUFFIX } from '../../values/table-definition.ts';
import { PARSED_DAY, truncated } from './column-functions.ts';
import type { ColumnFunction } from './column-functions.ts';
import type { DatePart } from '../../values/date-parts.ts';
import dateParts from './date-parts.json' with { type: 'json' };
import * as tree from '../resolved-tree.ts';
import type { ResolvedNode } from '../resolved-tree.ts';

/** A column of an instant or a day, or the suffix of a shard, alone or in functions. */
interface ColumnExpression {
  columnId: string;
  /** From the outermost function to the one of the column itself. */
  functions: readonly ColumnFunction[];
}

/** `undefined` for anything that is not known to prune. */
export function columnExpression(node: ResolvedNode | undefined): ColumnExpression | undefined {
  if (node?.kind === 'ColumnRef') {
    const column = tree.columnOf(tree.fieldOf(node.message, 'column'));
    return column && (isInstant(node) || column.name === TABLE_SUFFIX.name)
      ? { columnId: column.columnId, functions: [] }
      : undefined;
  }
  const found = outermost(node);
  const isTaken = found && (isInstant(found.of) || found.applied === PARSED_DAY);
  const inner = isTaken ? columnExpression(found.of) : undefined;
  return found && inner && { ...inner, functions: [found.applied, ...inner.functions] };
}

interface Applied {
  applied: ColumnFunction;
  of: ResolvedNode | undefined;
}

/** The outermost function of an expression, and the expression that it is applied to. */
function outermost(node: ResolvedNode | undefined): Applied | undefined {
  if (node?.kind === 'Cast') {
    const isSafe = tree.fieldOf(node.message, 'returnNullOnError') === true;
    if (isSafe || tree.typeOf(node)?.typeKind !== 'TYPE_DATE') return undefined;
    return { applied: truncated('DAY'), of: tree.childOf(node.message, 'expr') };
  }
  // The functions of the types differ only in the type of the column: date_trunc, datetime_trunc, timestamp_trunc.
  const name = tree.functionOf(node)?.replace(/^(?:date|datetime|timestamp)_/, '');
  const all = tree.argumentsOf(node);
  const [first, second] = all;
  const part = partOf(second);
  switch (`${name} ${all.length}`) {
    case 'date 1':
    case '$extract_date 1':
      return { applied: truncated('DAY'), of: first };
    case 'parse_date 2':
      return tree.literalOf(first, 'stringValue') === '%Y%m%d'
        ? { applied: PARSED_DAY, of: second }
        : undefined;
    case 'trunc 2':
      return part && { applied: truncated(part), of: first };
    default:
      return undefined;
  }
}

function isInstant(node: ResolvedNode | undefined): boolean {
  return ['TYPE_TIMESTAMP', 'TYPE_DATETIME', 'TYPE_DATE'].includes(
    tree.typeOf(node)?.typeKind ?? '',
  );
}

/** By the number in `zetasql.functions.DateTimestampPart`. */
const PARTS = dateParts as Readonly<Record<string, DatePart>>;

/** The part that is the argument of a function, such as HOUR. */
export function partOf(node: ResolvedNode | undefined): DatePart | undefined {
  return PARTS[String(tree.literalOf(node, 'enumValue'))];
}
