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
};

const COLUMN: Fields<ColumnDefinition, keyof ColumnDefinition> = {
  type: mayNotChange,
  mode: (before, now) =>
    before.mode === 'NULLABLE' && now.mode === 'REQUIRED' ? 'wider' : 'narrower',
  description: null,
};

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

function compareParameters(
  before: EndpointDefinition['parameters'],
  now: EndpointDefinition['parameters'],
): ContractChange[] {
  const kept = Object.entries(before).flatMap(([name, definition]) => {
    const [pointer, today] = [`/parameters/${name}`, now[name]];
    return today === undefined
      ? [{ pointer, message: `parameters.${name} is gone`, isBreaking: true }]
      : compareFields(PARAMETER, withRule(definition), withRule(today), pointer);
  });
  const added = Object.entries(now)
    .filter(([name]) => !Object.hasOwn(before, name))
    .map(([name, definition]) => {
      const isBreaking = isNeeded(withRule(definition));
      const message = `parameters.${name} is new${isBreaking ? ' and required' : ''}`;
      return { pointer: `/parameters/${name}`, message, isBreaking };
    });
  return [...kept, ...added];
}

/** Callers of CSV may find columns by their places. */
function compareRows(
  before: EndpointDefinition['row'],
  now: EndpointDefinition['row'],
): ContractChange[] {
  const [were, are] = [Object.keys(before), Object.keys(now)];
  const [was, is] = [placesOf(were), placesOf(are)];
  const changes: ContractChange[] = [];
  const report = (name: string, message: string, isBreaking = true): void => {
    changes.push({ pointer: `/row/${name}`, message: `row.${name} ${message}`, isBreaking });
  };
  for (const [index, name] of were.entries()) {
    if (is.has(name)) continue;
    const successor = are[index];
    const isReplaced = successor !== undefined && !was.has(successor);
    report(name, `is gone${isReplaced ? `; row.${successor} is in its place` : ''}`);
  }
  for (const [index, name] of are.entries()) {
    const next = are.slice(index + 1).find((other) => was.has(other)) ?? '';
    const [nextWas, nextIs] = [was.get(next) ?? Infinity, is.get(next) ?? 0];
    const place = was.get(name);
    if (place === undefined) {
      const isBreaking = nextWas < nextIs;
      const moved = ` and moves row.${next} from column ${nextWas} to ${nextIs}`;
      report(name, `is new${isBreaking ? moved : ''}`, isBreaking);
    } else if (place > nextWas) report(name, `comes before row.${next}, and came after it`);
  }
  const kept = are.flatMap((name) => {
    const [old, today] = [before[name], now[name]];
    return was.has(name) && old && today ? compareFields(COLUMN, old, today, `/row/${name}`) : [];
  });
  return [...changes, ...kept];
}

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name, index + 1]));
}
