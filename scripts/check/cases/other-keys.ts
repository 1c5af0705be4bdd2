// Picks the other keys of a batch: parameter sets that differ from one in what warm.sql may mix up.
import { isDeepStrictEqual } from 'node:util';
import {
  SCALAR_TYPES,
  isAbsent,
  isScalarType,
  scalarTypeOf,
  textsOf,
} from '../../../functions/core/parameter-type.ts';
import type { ParameterValue, ScalarType } from '../../../functions/core/parameter-type.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import {
  decodeScalar,
  encodeScalar,
  isNull,
  isRepeated,
  kindOf,
} from '../../local-bigquery/index.ts';
import type { EncodedRow, EngineValue, TableField } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import keyValues from './key-values.json' with { type: 'json' };
import type { EndpointCase } from './read-cases.ts';

/** A batch of one key would run query.sql. */
const OTHERS_MIN = 2;

/** Values of each type that most definitions allow. */
const MADE_UP: Readonly<Record<ScalarType, readonly string[]>> = keyValues;

/**
 * For each parameter of `warming.batchOver` the same set with another value, if it is an array also with two, and
 * if it is optional, without one; a set without any of those; at least two sets where the definition allows so many
 * values. `seen` are the sets of other cases, whose values come first, because the rows of the tests have them.
 */
export function otherKeys(
  endpoint: Endpoint,
  parameters: CanonicalParameters,
  seen: readonly CanonicalParameters[],
): CanonicalParameters[] {
  const names = endpoint.warming?.batchOver ?? [];
  const values = names.map((name) => otherValues(name, parameters[name] ?? null));
  const others: CanonicalParameters[] = [];
  const addSet = (changed: CanonicalParameters): void => {
    const set = { ...parameters, ...changed };
    if (![parameters, ...others].some((other) => isDeepStrictEqual(other, set))) others.push(set);
  };
  const add = (name: string, value: ParameterValue | undefined): void => {
    if (value !== undefined) addSet({ [name]: value });
  };
  const withoutAny: Record<string, ParameterValue> = {};
  for (const [index, name] of names.entries()) {
    const [other, another] = values[index] ?? [];
    add(name, other);
    add(name, ofTwo(name, [parameters[name] ?? null, other, another]));
    const isOptional = endpoint.parameters[name]?.required === false;
    const absent = isOptional ? endpoint.rules.get(name)?.read(undefined).value : undefined;
    add(name, absent);
    if (absent !== undefined) withoutAny[name] = absent;
  }
  // As in a call without any filter.
  addSet(withoutAny);
  for (const [index, name] of names.entries()) {
    if (others.length < OTHERS_MIN) add(name, values[index]?.[1]);
  }
  return others;

  /** A value that the definition allows and that is not absent. */
  function valid(name: string, texts: readonly string[]): ParameterValue | undefined {
    const rule = endpoint.rules.get(name);
    const read = rule?.read(texts.length === 0 ? undefined : texts);
    if (!rule || !read || read.fault !== undefined || isAbsent(read.value)) return undefined;
    return rule.check(read.value) === undefined ? read.value : undefined;
  }

  /** An array with the elements of the first two values that are not absent; undefined if the definition allows none. */
  function ofTwo(name: string, given: readonly (ParameterValue | undefined)[]) {
    const rule = endpoint.rules.get(name);
    if (rule === undefined || isScalarType(rule.type)) return undefined;
    const present = given.filter((value) => value !== undefined && !isAbsent(value));
    const texts = present.slice(0, 2).flatMap((value) => textsOf(value ?? null));
    return texts.length === 0 ? undefined : valid(name, texts);
  }

  /** Valid values that are not the given one and not absent, the best first. */
  function otherValues(name: string, value: ParameterValue): ParameterValue[] {
    const rule = endpoint.rules.get(name);
    const definition = endpoint.parameters[name];
    if (rule === undefined || definition === undefined) return [];
    const [own = ''] = textsOf(value);
    const texts = [
      ...seen.map((set) => textsOf(set[name] ?? null)),
      // A pattern that also matches all that the other one matches.
      ...(definition.format === 're2' ? [['.']] : []),
      [definition.example].flat(),
      ...(definition.enum ?? []).map((text) => [text]),
      ...[...MADE_UP[scalarTypeOf(rule.type)], `${own}x`, own.slice(0, -1)].map((text) => [text]),
    ];
    const found = texts
      .map((supplied) => valid(name, supplied))
      .filter((read) => read !== undefined);
    return found.filter(
      (other, index) =>
        !isDeepStrictEqual(other, value) &&
        found.findIndex((earlier) => isDeepStrictEqual(earlier, other)) === index,
    );
  }
}

/** The value of a parameter that occurs in the rows, and that of another key. */
export interface KeySwap {
  type: ScalarType;
  own: string;
  other: string;
}

type Change = (value: EngineValue, kind: string) => EngineValue;

/** In larger tables only the first rows are varied. */
const VARIED_ROWS_MAX = 100;

/** Every row as it is, with each swap, and each of these with other numbers and earlier times. */
export function rowsOfKeys(
  rows: EndpointCase['rows'],
  sources: readonly Source[],
  swaps: readonly KeySwap[],
): Map<string, EncodedRow[]> {
  const keys = new Set<string | null>(swaps.flatMap(({ own, other }) => [own, other]));
  const shifts = [1, 2].map(
    (steps): Change =>
      (value, kind) =>
        keys.has(decodeScalar(value, kind)) ? value : shifted(value, steps),
  );
  const made = new Map<string, EncodedRow[]>();
  for (const { name, fields } of sources) {
    const own = rows.get(name) ?? [];
    const varied = own.slice(0, VARIED_ROWS_MAX);
    const swapped = swaps.flatMap(({ type, own: from, other }) => {
      const swap: Change = (value, kind) =>
        TYPES_IN_ROWS.get(kind) === type && decodeScalar(value, kind) === from
          ? encodeScalar(other, kind)
          : value;
      return varied.map((row) => changed(row, fields, swap));
    });
    const later = shifts.flatMap((shift) =>
      [...varied, ...swapped].map((row) => changed(row, fields, shift)),
    );
    made.set(name, [...own, ...swapped, ...later]);
  }
  return made;
}

function changed(values: EncodedRow, fields: readonly TableField[], change: Change): EncodedRow {
  return values.map((value, index) => {
    const field = fields[index];
    if (field === undefined || isNull(value)) return value;
    if (!isRepeated(field)) return changedValue(value, field, change);
    const elements = value.arrayValue?.element ?? [];
    const element = elements.map((each) => changedValue(each, field, change));
    return { arrayValue: { element } };
  });
}

function changedValue(value: EngineValue, field: TableField, change: Change): EngineValue {
  const inner = value.structValue?.field;
  if (inner !== undefined) {
    return { structValue: { field: changed(inner, field.fields ?? [], change) } };
  }
  const kind = kindOf(field.type);
  return kind === undefined || !TYPES_IN_ROWS.has(kind) ? value : change(value, kind);
}

function shifted(value: EngineValue, steps: number): EngineValue {
  const { int64Value, doubleValue, dateValue, timestampValue } = value;
  if (int64Value !== undefined) return { int64Value: String(BigInt(int64Value) + BigInt(steps)) };
  if (doubleValue !== undefined) return { doubleValue: doubleValue + steps };
  if (dateValue !== undefined) return { dateValue: dateValue - steps };
  if (timestampValue?.seconds === undefined) return value;
  const seconds = String(BigInt(timestampValue.seconds) - BigInt(steps * 3600));
  return { timestampValue: { ...timestampValue, seconds } };
}

const TYPES_IN_ROWS = new Map(SCALAR_TYPES.map((type) => [kindOf(type), type]));
