// Finds the uses of parameters in a resolved query: what they are compared with, and which may be absent.
import { type EngineType, type ResolvedNode, tree, typeText } from '../local-bigquery/index.ts';
import type { OriginOf } from './column-origins.ts';
import type { ComparedColumn } from './frequent-values.ts';

export interface ParameterUses {
  comparisons: ComparedColumn[];
  /** Texts that a parameter is compared with, in the order of the query. */
  literals: { parameter: string; text: string }[];
  /** The parameters whose absence the query provides for. */
  optional: ReadonlySet<string>;
  /** The parameters of `optional` that are only tested for NULL. */
  testedForNull: ReadonlySet<string>;
  patterns: ReadonlySet<string>;
  /** The parameters that are a number of rows, in LIMIT. */
  limits: ReadonlySet<string>;
}

/** Functions that take a value of any type. */
const ANY_TYPE = ['$is_null', 'to_json_string', 'to_json', 'format', 'typeof'];

/** The uses of undeclared parameters, by name in lower case, in the order of the tree. The type is undefined if any type fits. */
export function typedUses(statement: unknown) {
  const uses: { name: string; type: string | undefined }[] = [];
  const visit = (value: unknown, parent: ResolvedNode | undefined): void => {
    for (const node of tree.nodesIn(value)) {
      const name = parameterOf(node);
      if (name !== undefined) {
        // The analyzer assumes INT64 where it knows no type; LIMIT and `IFNULL(@n, 10)` need it.
        const called = tree.functionOf(parent) ?? 'typeof';
        const takesAny = parent?.kind !== 'LimitOffsetScan' && ANY_TYPE.includes(called);
        const isOpen = node.message['isUntyped'] === true && takesAny;
        const type = isOpen ? undefined : tree.messageOf(tree.fieldOf(node.message, 'type'));
        uses.push({ name, type: type && typeText(type as unknown as EngineType) });
      }
      visit(node.message, node);
    }
  };
  visit(statement, undefined);
  return uses;
}

/** Comparisons with columns, in the order of the tree; `statement` is that with declared parameters. */
export function parameterUses(statement: unknown, originOf: OriginOf): ParameterUses {
  const comparisons: ComparedColumn[] = [];
  const literals: ParameterUses['literals'] = [];
  const tests = { null: new Set<string>(), empty: new Set<string>() };
  const patterns = new Set<string>();
  const limits = new Set<string>();
  const visit = (node: ResolvedNode): void => {
    const limit = node.kind === 'LimitOffsetScan' ? tree.childOf(node.message, 'limit') : undefined;
    const rowCount = limit && parameterOf(uncast(limit));
    if (rowCount !== undefined) limits.add(rowCount);
    const name = tree.functionOf(node);
    if (name !== undefined) {
      const given = tree.listOf(node.message, 'argumentList').map(tree.nodeOf);
      comparisons.push(...comparisonsOf(name, given, originOf));
      literals.push(...literalsOf(name, given));
      collectAbsence(name, given, tests);
      const pattern = name.startsWith('regexp_') && given[1] && parameterOf(core(given[1]));
      if (pattern) patterns.add(pattern);
    }
    tree.nodesIn(node.message).forEach(visit);
  };
  tree.nodesIn(statement).forEach(visit);
  const optional = new Set([...tests.null, ...tests.empty]);
  const testedForNull = new Set([...tests.null].filter((name) => !tests.empty.has(name)));
  return { comparisons, literals, optional, testedForNull, patterns, limits };
}

/** The functions of GoogleSQL that compare a column, first argument, with others. */
const COMPARISONS: Readonly<Record<ComparedColumn['kind'], readonly string[]>> = {
  equal: ['$equal', '$in', '$in_array', '$is_not_distinct_from'],
  from: ['$greater', '$greater_or_equal', '$between'],
  until: ['$less', '$less_or_equal', '$between'],
  part: '$like strpos contains_substr starts_with ends_with regexp_contains regexp_extract'.split(
    ' ',
  ),
};
const KINDS = ['equal', 'from', 'until', 'part'] as const;
const REVERSED = { equal: 'equal', from: 'until', until: 'from', part: 'part' } as const;

type Given = readonly (ResolvedNode | undefined)[];

function comparisonsOf(name: string, given: Given, originOf: OriginOf): ComparedColumn[] {
  const kinds = KINDS.filter((kind) => COMPARISONS[kind].includes(name));
  if (kinds.length === 0) return [];
  const [first, ...others] = given.map((node) => node && core(node));
  const pairs = others.flatMap((other, index) => {
    const kind = kinds[index] ?? kinds[0] ?? 'equal';
    return [
      { column: first, value: other, kind },
      { column: other, value: first, kind: REVERSED[kind] },
    ];
  });
  return pairs.flatMap(({ column, value, kind }) => {
    const parameter = value && parameterOf(value);
    const origin = column && originOf(column);
    return parameter === undefined || origin === undefined ? [] : [{ parameter, ...origin, kind }];
  });
}

const WITH_LITERALS = ['$equal', '$in', '$case_with_value'];

function literalsOf(name: string, given: Given): ParameterUses['literals'] {
  if (!WITH_LITERALS.includes(name)) return [];
  // The arguments of `CASE @p WHEN 'a' THEN 1 WHEN 'b' THEN 2 END`: @p, 'a', 1, 'b', 2.
  const compared = name === '$case_with_value' ? given.filter((_, at) => at % 2 === 1) : given;
  const [parameter] = given.slice(0, 2).flatMap((node) => (node && parameterOf(core(node))) ?? []);
  if (parameter === undefined) return [];
  return compared.flatMap((node) => {
    const text = textOf(node);
    return text ? [{ parameter, text }] : [];
  });
}

function collectAbsence(
  name: string,
  given: Given,
  tests: { null: Set<string>; empty: Set<string> },
): void {
  const parameters = given.flatMap((node) => (node && parameterOf(uncast(node))) ?? []);
  const add = (to: Set<string>): void => parameters.forEach((parameter) => to.add(parameter));
  const isCompared = ['$equal', '$not_equal', 'nullif'].includes(name);
  if (['$is_null', 'ifnull', 'coalesce'].includes(name)) add(tests.null);
  else if (name === 'array_length') add(tests.empty);
  else if (isCompared && given.some((node) => textOf(node) === '')) add(tests.empty);
}

/** The argument of casts and of functions of one value: for `DATE(orders.at)`, the column. */
function core(node: ResolvedNode): ResolvedNode {
  const bare = uncast(node);
  if (tree.functionOf(bare) === undefined) return bare;
  const values = tree.argumentsOf(bare).filter(({ kind }) => kind !== 'Literal');
  const [only, second] = values;
  return only && second === undefined ? core(only) : bare;
}

function uncast(node: ResolvedNode): ResolvedNode {
  const inner = node.kind === 'Cast' ? tree.childOf(node.message, 'expr') : undefined;
  return inner ? uncast(inner) : node;
}

/** The name of a parameter in lower case; undefined for any other expression. */
function parameterOf(node: ResolvedNode): string | undefined {
  if (node.kind !== 'Parameter') return undefined;
  const name = tree.fieldOf(node.message, 'name');
  return typeof name === 'string' ? name.toLowerCase() : undefined;
}

function textOf(node: ResolvedNode | undefined): string | undefined {
  const value = tree.literalOf(node, 'stringValue');
  return typeof value === 'string' ? value : undefined;
}
