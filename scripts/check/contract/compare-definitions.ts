// Compares two definitions of an endpoint as its callers see them.
import type {
  ColumnDefinition,
  EndpointDefinition,
} from '../../../functions/endpoints/endpoint.ts';
import {
  type ContractChange,
  type Fields,
  compareFields,
  mayGrow,
  mayNotChange,
  mayShrink,
} from './fields.ts';
import { PARAMETER, isNeeded, withRule } from './parameter-fields.ts';

const ENDPOINT: Fields<
  EndpointDefinition,
  Exclude<keyof EndpointDefinition, 'parameters' | 'row'>
> = {
  id: mayNotChange,
  name: mayNotChange,
  description: null,
  queryLanguage: null,
  maxRows: mayGrow('maxRows'),
  cachingSeconds: mayShrink('cachingSeconds'),
  cacheWarmingSeconds: null,
  sandboxed: null,
  warming: null,
  bucket: null,
};

const COLUMN: Fields<ColumnDefinition, keyof ColumnDefinition> = {
  type: mayNotChange,
  mode: (before, now) =>
    before.mode === 'NULLABLE' && now.mode === 'REQUIRED' ? 'wider' : 'narrower',
  description: null,
  // From ms to s no type differs, and every number does.
  unit: (before, now) => (before.unit && now.unit ? 'narrower' : 'wider'),
};

type Parameters = EndpointDefinition['parameters'];
type Row = EndpointDefinition['row'];

/** The definitions fit endpoint.schema.json. */
export function compareDefinitions(
  before: EndpointDefinition,
  now: EndpointDefinition,
): ContractChange[] {
  return [
    ...compareFields(ENDPOINT, before, now, ''),
    ...compareParameters(before.parameters, now.parameters),
    ...compareRows(before.row, now.row),
  ];
}

function compareParameters(before: Parameters, now: Parameters): ContractChange[] {
  const kept = Object.entries(before).flatMap(([name, definition]) => {
    const [pointer, today] = [`/parameters/${name}`, now[name]];
    return today === undefined
      ? [{ pointer, message: `parameters.${name} is gone`, isBreaking: true }]
      : compareFields(PARAMETER, withRule(definition), withRule(today), pointer);
  });
  const added = Object.entries(now).flatMap(([name, definition]) => {
    if (Object.hasOwn(before, name)) return [];
    const isBreaking = isNeeded(withRule(definition));
    const message = `parameters.${name} is new${isBreaking ? ' and required' : ''}`;
    return [{ pointer: `/parameters/${name}`, message, isBreaking }];
  });
  return [...kept, ...added];
}

/** Callers of CSV may find columns by their places. */
function compareRows(before: Row, now: Row): ContractChange[] {
  const [were, are] = [Object.keys(before), Object.keys(now)];
  const [was, is] = [placesOf(were), placesOf(are)];
  const changes: ContractChange[] = [];
  const report = (name: string, message: string, isBreaking = true): void => {
    changes.push({ pointer: `/row/${name}`, message: `row.${name} ${message}`, isBreaking });
  };
  for (const [index, [name, column]] of Object.entries(before).entries()) {
    const [today, successor = name] = [now[name], are[index]];
    if (!today || !is.has(name)) {
      const isReplaced = !was.has(successor);
      report(name, `is gone${isReplaced ? `; row.${successor} is in its place` : ''}`);
    } else changes.push(...compareFields(COLUMN, column, today, `/row/${name}`));
  }
  for (const [index, name] of are.entries()) {
    const next = are.slice(index + 1).find((other) => was.has(other)) ?? '';
    const [place, nextWas, nextIs] = [was.get(name), was.get(next) ?? Infinity, is.get(next) ?? 0];
    if (place === undefined) {
      const moved = ` and moves row.${next} from column ${nextWas} to ${nextIs}`;
      report(name, `is new${nextWas < nextIs ? moved : ''}`, nextWas < nextIs);
    } else if (place > nextWas) report(name, `comes before row.${next}, and came after it`);
  }
  return changes;
}

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name, index + 1]));
}
