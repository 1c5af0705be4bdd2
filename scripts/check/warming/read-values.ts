// Reads the expressions of a query as values that are known for a choice of parameters: constants, and exact times.
import { isDeepStrictEqual } from 'node:util';
import { lengthOf, partOf, tree } from '../../local-bigquery/index.ts';
import type { ResolvedNode } from '../../local-bigquery/index.ts';
import { type Bound, DAY, type Series, type Time } from './exact-times.ts';
import { boundsBy, isSeries, isTime, shifted, timeOf, truncated } from './exact-times.ts';
import type { FollowedColumns } from './follow-columns.ts';

/** `micros` are those of an INTERVAL, `elements` is any element of an ARRAY. Undefined is a value that is not known. */
export type Value =
  | (string | number | boolean | null | undefined)
  | (Time | Series | { micros: number } | { elements: Value })
  | { fields: readonly (() => Value)[] };

interface Query {
  columns: FollowedColumns;
  /** The ids of the partition column, in each scan of its table. */
  times: ReadonlyMap<string, unknown>;
  valueOfParameter: (name: string) => Value;
}

export const CLOCKS = /^current_(?:timestamp|date|datetime|time)$/i;
/** Functions and casts that change the type of a time alone. */
const CONVERSIONS = /^(?:date|datetime|timestamp|\$extract_date|\$extract_datetime)$/;
const TIME_TYPES = /^TYPE_(?:DATE|DATETIME|TIMESTAMP)$/;

export function createReader({ columns, times, valueOfParameter }: Query) {
  const { bodyOf } = columns;
  return { valueOf, boundsOf };

  /** The bounds that a condition is; undefined for another condition. */
  function boundsOf(node: ResolvedNode | undefined): Bound[] | undefined {
    if (valueOf(node) === true) return [];
    const name = tree.functionOf(node) ?? '';
    const parts = tree.argumentsOf(node);
    const [first, second, third] = parts;
    if (name === '$and') return allOf(parts.map(boundsOf));
    if (name === '$or') {
      const [only, ...others] = parts.filter((part) => valueOf(part) !== false);
      return others.length === 0 ? boundsOf(only) : undefined;
    }
    // IS NOT NULL: a row without a time passes no bound.
    const isNull = tree.functionOf(first) === '$is_null' && valueOf(tree.argumentsOf(first)[0]);
    if (name === '$not' && isTime(isNull)) return [];
    const [left, right] = [valueOf(first), valueOf(second)];
    if (name !== '$between') return boundsBy(name, left, right);
    const low = boundsBy('$greater_or_equal', left, right);
    return allOf([low, boundsBy('$less_or_equal', left, valueOf(third))]);
  }

  function columnValue(id: string): Value {
    if (times.has(id)) return timeOf('row');
    const { isOther, list, from } = columns.originsOf(id);
    if (isOther) return undefined;
    const array = list && valueOf(list);
    if (list && hasElements(array)) {
      return isSeries(array.elements) ? { ...array.elements, list } : array.elements;
    }
    const [first, ...others] = from.map((one) => valueOf(one));
    return others.every((other) => isDeepStrictEqual(first, other)) ? first : undefined;
  }

  /** `given` are the arguments of the function in whose body the node is. */
  function valueOf(node: ResolvedNode | undefined, given?: Map<string, () => Value>): Value {
    const { kind, message } = node ?? { kind: '', message: {} };
    const name = String(tree.fieldOf(message, 'name')).toLowerCase();
    const inner = tree.childOf(message, 'expr');
    const own = tree.messageOf(tree.fieldOf(message, 'function'));
    switch (kind) {
      case 'ColumnRef':
        return columnValue(tree.columnIdOf(node));
      case 'Literal':
        return literalValue(message);
      case 'Parameter':
        return valueOfParameter(name);
      case 'ArgumentRef':
        return given?.get(name)?.();
      case 'Cast': {
        const [to, from] = [node, inner].map((one) => tree.typeOf(one)?.typeKind ?? '');
        const isPlain = !['format', 'timeZone'].some((field) => tree.childOf(message, field));
        if (!isPlain || (from !== to && !TIME_TYPES.test(to ?? ''))) return undefined;
        return converted(valueOf(inner, given), to === 'TYPE_DATE');
      }
      case 'MakeStruct': {
        const fields = tree.listOf(message, 'fieldList').map(tree.nodeOf);
        return { fields: fields.map((field) => () => valueOf(field, given)) };
      }
      case 'GetStructField': {
        const value = valueOf(inner, given);
        const hasFields = typeof value === 'object' && value && 'fields' in value;
        return hasFields ? value.fields[Number(tree.fieldOf(message, 'fieldIdx'))]?.() : undefined;
      }
      case 'AggregateFunctionCall':
        if (own?.['name'] !== 'ZetaSQL:array_agg') return undefined;
        return { elements: valueOf(tree.argumentsOf(node)[0], given) };
      case 'FunctionCall':
        return node && callValue(node, given);
      default:
        return undefined;
    }
  }

  function callValue(node: ResolvedNode, given?: Map<string, () => Value>): Value {
    const nodes = tree.argumentsOf(node);
    const at = (index: number): Value => valueOf(nodes[index], given);
    const name = tree.functionOf(node);
    if (name === undefined) {
      const body = bodyOf(node)?.message;
      const names = tree.listOf(body, 'argumentNameList').map((one) => String(one).toLowerCase());
      const own = new Map(names.map((one, index) => [one, () => at(index)]));
      return valueOf(tree.childOf(body, 'functionExpression'), own);
    }
    if (['if', '$case_no_value', '$case_with_value'].includes(name)) {
      // Only what is chosen is read.
      const isOfValue = name === '$case_with_value';
      let index = isOfValue ? 1 : 0;
      for (; index + 1 < nodes.length; index += 2) {
        const isChosen = isOfValue ? isEqual(at(0), at(index)) : at(index);
        if (isChosen === undefined || isChosen === true) return isChosen && at(index + 1);
      }
      return index < nodes.length ? at(index) : null;
    }
    const all = nodes.map((_, index) => at(index));
    const calculate = CALCULATIONS[name];
    if (calculate && !isTime(all[0])) return calculate(...all);
    const part = nodes.map(partOf).find(Boolean);
    const isDate = tree.typeOf(nodes[0])?.typeKind === 'TYPE_DATE';
    return timeValue(name, all, part ? Number(lengthOf(part)) : isDate ? DAY : NaN);
  }
}

/** `length` is that of the part of a date that is an argument, in microseconds; DAY for a date without one. */
function timeValue(name: string, all: Value[], length: number): Value {
  const [first, second, third] = all;
  const isUtc = (count: number): boolean => all.length === count || all[count] === 'UTC';
  if (CLOCKS.test(name)) {
    return name === 'current_time' || !isUtc(0)
      ? undefined
      : converted(timeOf('now'), name === 'current_date');
  }
  if (name === '$interval' && typeof first === 'number') return { micros: first * length };
  if (!isTime(first)) return undefined;
  if (CONVERSIONS.test(name)) return isUtc(1) ? converted(first, /date$/.test(name)) : undefined;
  if (/^generate_(?:date|timestamp)_array$/.test(name)) {
    const isOfStep = isTime(second) && (all.length === 2 || third === 1);
    return isOfStep ? { elements: { first, last: second, step: length } } : undefined;
  }
  if (name === '$is_null') return first.of === 'now' ? false : undefined;
  const [, action] =
    /^(?:(?:date|datetime|timestamp)_|\$)(add|sub|trunc)(?:tract)?$/.exec(name) ?? [];
  if (action === 'trunc')
    return DAY % length === 0 && isUtc(2) ? truncated(first, length) : undefined;
  const micros =
    typeof second === 'number'
      ? second * length
      : typeof second === 'object' && second && 'micros' in second
        ? second.micros
        : NaN;
  if (action === undefined || !Number.isSafeInteger(micros)) return undefined;
  return shifted(first, action === 'add' ? micros : -micros);
}

function converted(value: Value, isDate: boolean): Value {
  return isDate && isTime(value) ? truncated(value, DAY) : value;
}

function literalValue(message: ResolvedNode['message']): Value {
  const value = tree.messageOf(tree.messageOf(message['value'])?.['value']) ?? {};
  const [[field, literal] = []] = Object.entries(value);
  if (field === 'int64Value') return integer(literal);
  const isKnown = field === 'stringValue' || field === 'boolValue';
  return field === undefined ? null : isKnown ? (literal as string | boolean) : undefined;
}

export function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

function hasElements(value: Value): value is { elements: Value } {
  return typeof value === 'object' && value !== null && 'elements' in value;
}

type Calculation = (...all: Value[]) => Value;

/** NULL if an argument is NULL. */
const strict =
  (use: Calculation): Calculation =>
  (...all) =>
    all.includes(undefined) ? undefined : all.includes(null) ? null : use(...all);

const ofNumbers = (use: (a: number, b: number) => number) =>
  strict((a, b) => integer(typeof a === 'number' && typeof b === 'number' ? use(a, b) : NaN));

const isEqual = strict((a, b) =>
  typeof a === typeof b && typeof a !== 'object' ? a === b : undefined,
);
const negated = strict((a) => (typeof a === 'boolean' ? !a : undefined));

/** AND or OR; `decisive` is what one argument decides, whatever the others are. */
const logical =
  (decisive: boolean): Calculation =>
  (...all) => {
    if (all.includes(decisive)) return decisive;
    return all.includes(undefined) ? undefined : all.includes(null) ? null : !decisive;
  };

const CALCULATIONS: Readonly<Record<string, Calculation | undefined>> = {
  $add: ofNumbers((a, b) => a + b),
  $subtract: ofNumbers((a, b) => a - b),
  $multiply: ofNumbers((a, b) => a * b),
  $equal: isEqual,
  $not_equal: (...all) => negated(isEqual(...all)),
  $not: negated,
  $and: logical(false),
  $or: logical(true),
  $in: (a, ...others) => logical(true)(...others.map((other) => isEqual(a, other))),
  // ARRAY_AGG of no rows is NULL.
  $is_null: (a) => (a === undefined || hasElements(a) ? undefined : a === null),
};

function allOf<Item>(lists: readonly (Item[] | undefined)[]): Item[] | undefined {
  const known = lists.filter((list) => list !== undefined);
  return known.length === lists.length ? known.flat() : undefined;
}
