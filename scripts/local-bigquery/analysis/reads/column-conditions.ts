// Extracts the conditions of a filter on a column by constants, by which BigQuery prunes partitions.
import { columnExpression } from './column-expressions.ts';
import { constantOf } from './column-functions.ts';
import type { ColumnFunction, Comparison, Constant } from './column-functions.ts';
import * as tree from '../resolved-tree.ts';
import type { ResolvedNode } from '../resolved-tree.ts';

export type ColumnCondition =
  | {
      kind: 'comparison';
      functions: readonly ColumnFunction[];
      operator: Comparison;
      constant: Constant;
    }
  | { kind: 'null' }
  | { kind: 'all' | 'any'; conditions: readonly ColumnCondition[] };

/** One of the conditions of a filter that all hold. */
export interface Conjunct {
  columnId: string;
  condition: ColumnCondition;
}

/** The conditions of a filter on single columns; conditions by which BigQuery does not prune are omitted. */
export function conjunctsOf(filter: ResolvedNode | undefined, text: Buffer): Conjunct[] {
  const name = tree.functionOf(filter) ?? '';
  const parts = tree.argumentsOf(filter);
  const [first, ...others] = parts;
  switch (name) {
    case '$and':
      return parts.flatMap((part) => conjunctsOf(part, text));
    case '$or':
      return alternatives(parts.map((part) => conjunctsOf(part, text)));
    case '$in':
      return alternatives(others.map((value) => comparison(first, '=', value, text)));
    case '$between': {
      const [low, high] = others;
      const bounds = [comparison(first, '>=', low, text), comparison(first, '<=', high, text)];
      return bounds.every(({ length }) => length > 0) ? bounds.flat() : [];
    }
    case '$is_null': {
      const column = columnExpression(first);
      // BigQuery refuses `DATE(x) IS NULL` where it requires a filter, and takes `x IS NULL`.
      if (column === undefined || column.functions.length > 0) return [];
      return [{ columnId: column.columnId, condition: { kind: 'null' } }];
    }
    default: {
      const [operator, reversed] = OPERATORS[name] ?? [];
      if (operator === undefined || reversed === undefined) return [];
      const found = comparison(first, operator, others[0], text);
      return found.length > 0 ? found : comparison(others[0], reversed, first, text);
    }
  }
}

/** The condition of all conjuncts on a column; undefined if there is none. */
export function conditionOn(
  columnId: string,
  conjuncts: readonly Conjunct[],
): ColumnCondition | undefined {
  const own = conjuncts.filter((conjunct) => conjunct.columnId === columnId);
  const conditions = own.map(({ condition }) => condition);
  return conditions.length > 1 ? { kind: 'all', conditions } : conditions[0];
}

/** A condition on the result of functions, as a condition on the column that they are applied to. */
export function inFunctions(
  condition: ColumnCondition,
  functions: readonly ColumnFunction[],
): ColumnCondition | undefined {
  switch (condition.kind) {
    case 'comparison':
      return { ...condition, functions: [...condition.functions, ...functions] };
    case 'null':
      return functions.length === 0 ? condition : undefined;
    case 'all':
    case 'any': {
      const { kind, conditions } = condition;
      const found = conditions.flatMap((part) => inFunctions(part, functions) ?? []);
      return found.length === conditions.length ? { kind, conditions: found } : undefined;
    }
  }
}

export function constantsIn(condition: ColumnCondition): Constant[] {
  if (condition.kind === 'null') return [];
  if (condition.kind === 'comparison') return [condition.constant];
  return condition.conditions.flatMap(constantsIn);
}

/** The comparison of a column with a constant, and of a constant with a column. */
const OPERATORS: Readonly<Record<string, readonly [Comparison, Comparison]>> = {
  $less: ['<', '>'],
  $less_or_equal: ['<=', '>='],
  $equal: ['=', '='],
  $greater_or_equal: ['>=', '<='],
  $greater: ['>', '<'],
};

function comparison(
  column: ResolvedNode | undefined,
  operator: Comparison,
  value: ResolvedNode | undefined,
  text: Buffer,
): Conjunct[] {
  const expression = columnExpression(column);
  const constant = constantOf(value, text);
  if (expression === undefined || constant === undefined) return [];
  const { columnId, functions } = expression;
  return [{ columnId, condition: { kind: 'comparison', functions, operator, constant } }];
}

/** Conditions on the columns that every branch has a condition on. */
function alternatives(branches: readonly (readonly Conjunct[])[]): Conjunct[] {
  const columnIds = new Set(branches[0]?.map(({ columnId }) => columnId));
  return [...columnIds].flatMap((columnId) => {
    const conditions = branches.flatMap((branch) => conditionOn(columnId, branch) ?? []);
    if (conditions.length < branches.length) return [];
    return [{ columnId, condition: { kind: 'any', conditions } as const }];
  });
}
