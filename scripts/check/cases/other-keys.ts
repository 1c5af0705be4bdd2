// Picks the other keys of a batch: parameter sets that differ from one in what warm.sql may mix up.
import { isDeepStrictEqual } from 'node:util';
import {
  isAbsent,
  isScalarType,
  scalarTypeOf,
  textsOf,
} from '../../../functions/core/parameter-type.ts';
import type { ParameterValue, ScalarType } from '../../../functions/core/parameter-type.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';

/** A batch of one key would run query.sql. */
const OTHERS_MIN = 2;

/** Values of each type that most definitions allow. */
const MADE_UP: Readonly<Record<ScalarType, readonly string[]>> = {
  STRING: ['x', 'other'],
  INT64: ['1', '2', '0'],
  FLOAT64: ['1', '2.5', '0'],
  NUMERIC: ['1', '2.5', '0'],
  BOOL: ['true', 'false'],
  DATE: ['2026-01-01', '2026-01-02'],
  DATETIME: ['2026-01-01T00:00:00', '2026-01-02T00:00:00'],
  TIMESTAMP: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
};

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
  const values = names.map((name) => otherValues(endpoint, name, parameters[name] ?? null, seen));
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
    add(name, ofTwo(endpoint, name, [parameters[name] ?? null, other, another]));
    const isOptional = endpoint.parameters[name]?.required === false;
    const absent = isOptional ? endpoint.rules.get(name)?.read(undefined).value : undefined;
    add(name, absent);
    if (absent !== undefined) withoutAny[name] = absent;
  }
  // As a caller without any filter asks.
  addSet(withoutAny);
  for (const [index, name] of names.entries()) {
    if (others.length < OTHERS_MIN) add(name, values[index]?.[1]);
  }
  return others;
}

/** An array with the elements of the first two values that are not absent; undefined if the definition allows none. */
function ofTwo(
  { rules }: Endpoint,
  name: string,
  values: readonly (ParameterValue | undefined)[],
): ParameterValue | undefined {
  const rule = rules.get(name);
  if (rule === undefined || isScalarType(rule.type)) return undefined;
  const present = values.filter((value) => value !== undefined && !isAbsent(value));
  const read = rule.read(present.slice(0, 2).flatMap((value) => textsOf(value ?? null)));
  if (read.fault !== undefined || isAbsent(read.value)) return undefined;
  return rule.check(read.value) === undefined ? read.value : undefined;
}

/** Valid values that are not the given one and not absent, the best first. */
function otherValues(
  { parameters, rules }: Endpoint,
  name: string,
  value: ParameterValue,
  seen: readonly CanonicalParameters[],
): ParameterValue[] {
  const rule = rules.get(name);
  const definition = parameters[name];
  if (rule === undefined || definition === undefined) return [];
  const [own = ''] = textsOf(value);
  const texts = [
    ...seen.map((set) => textsOf(set[name] ?? null)),
    // A pattern that matches as well as the other one does.
    ...(definition.format === 're2' ? [['.']] : []),
    [definition.example].flat(),
    ...(definition.enum ?? []).map((text) => [text]),
    ...[...MADE_UP[scalarTypeOf(rule.type)], `${own}x`, own.slice(0, -1)].map((text) => [text]),
  ];
  const values = texts.flatMap((supplied) => {
    const read = rule.read(supplied.length === 0 ? undefined : supplied);
    if (read.fault !== undefined || isAbsent(read.value)) return [];
    return rule.check(read.value) === undefined ? [read.value] : [];
  });
  return values.filter(
    (other, index) =>
      !isDeepStrictEqual(other, value) &&
      values.findIndex((earlier) => isDeepStrictEqual(earlier, other)) === index,
  );
}
