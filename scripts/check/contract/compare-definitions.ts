// Compares two definitions of an endpoint as its callers see them. A change that perhaps breaks none of them counts as breaking.
import type { EndpointDefinition } from '../../../functions/endpoints/endpoint.ts';
import type { ColumnDefinition } from '../../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';

interface ContractChange {
  /** Where it is in endpoint.json, or was, as a JSON pointer (RFC 6901). */
  pointer: string;
  /** A sentence without its full stop, which names the field. */
  message: string;
  /** Whether a call that worked may be refused, or answered in another way. */
  isBreaking: boolean;
}

/** Whether a change of a field may break callers; undefined is an absent field. */
type Rule<Value> = (before: Value | undefined, now: Value | undefined) => boolean;

/** A rule for every field; null for one that callers do not depend on. */
type Rules<Side, Name extends keyof Side = keyof Side> = {
  readonly [name in Name]-?: Rule<NonNullable<Side[name]>> | null;
};

const always = (): boolean => true;
const isThere = (_: unknown, now: unknown): boolean => now !== undefined;
const wasThere = (before: unknown): boolean => before !== undefined;
/** Of an upper and a lower bound; an absent one allows everything. */
const isLower: Rule<number> = (before = Infinity, now = Infinity) => now < before;
const isHigher: Rule<number> = (before = -Infinity, now = -Infinity) => now > before;

const ENDPOINT: Rules<
  EndpointDefinition,
  Exclude<keyof EndpointDefinition, 'parameters' | 'row'>
> = {
  id: always,
  name: always,
  description: null,
  queryLanguage: null,
  maxRows: isLower,
  cachingSeconds: isHigher,
  cacheWarmingSeconds: null,
  // A query that took longer, or read more, than the new bound fails.
  jobTimeoutSeconds: isLower,
  maxBytesBilled: isLower,
  // A key with * loses the endpoint.
  mustBeNamed: (_, now) => now === true,
  sandboxed: null,
  warming: null,
  bucket: null,
};

const COLUMN: Rules<ColumnDefinition> = {
  type: always,
  mode: (before, now) => before !== 'NULLABLE' || now !== 'REQUIRED',
  description: null,
  // From ms to s, no type changes but every number does.
  unit: (before, now) => before !== undefined && now !== undefined,
};

const PARAMETER: Rules<ParameterDefinition> = {
  description: null,
  example: null,
  type: (before = 'STRING', now = 'STRING') => before !== now,
  required: (_, now) => now === true,
  default: always,
  minLength: isHigher,
  maxLength: isLower,
  pattern: isThere,
  format: isThere,
  minimum: isHigher,
  maximum: isLower,
  minItems: isHigher,
  maxItems: isLower,
  enum: (before, now) => !before || (now && before.some((value) => !now.includes(value))) === true,
  aliases: (before = {}, now = {}) =>
    Object.entries(before).some(([alias, value]) => now[alias] !== value),
  otherwise: wasThere,
};

/** The definitions must match endpoint.schema.json. */
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
  const kept = compareNamed(PARAMETER, before, now, 'parameters');
  const added = Object.entries(now).flatMap(([name, definition]) => {
    if (Object.hasOwn(before, name)) return [];
    const isBreaking = definition.required && definition.default === undefined;
    const message = `parameters.${name} is new${isBreaking ? ' and required' : ''}`;
    return [{ pointer: `/parameters/${name}`, message, isBreaking }];
  });
  return [...kept, ...added];
}

/** Callers of CSV may find columns by their places. */
function compareRows(
  before: EndpointDefinition['row'],
  now: EndpointDefinition['row'],
): ContractChange[] {
  const changes = compareNamed(COLUMN, before, now, 'row');
  const were = Object.keys(before).filter((name) => Object.hasOwn(now, name));
  const names = Object.keys(now);
  for (const [index, name] of names.entries()) {
    const next = names.slice(index + 1).find((other) => were.includes(other));
    const report = (what: string, isBreaking: boolean): void => {
      changes.push({ pointer: `/row/${name}`, message: `row.${name} ${what}`, isBreaking });
    };
    if (!Object.hasOwn(before, name)) {
      report(next ? `is new, before row.${next}` : 'is new', next !== undefined);
    } else if (next && were.indexOf(next) < were.indexOf(name)) {
      report(`is before row.${next}, and was after it`, true);
    }
  }
  return changes;
}

/** The changes of those that were there before; what is new is not compared. */
function compareNamed<Side extends object, Name extends keyof Side & string>(
  rules: Rules<Side, Name>,
  before: Readonly<Record<string, Side>>,
  now: Readonly<Record<string, Side>>,
  around: 'parameters' | 'row',
): ContractChange[] {
  return Object.entries(before).flatMap(([name, side]) => {
    const [pointer, today] = [`/${around}/${name}`, now[name]];
    return today === undefined
      ? [{ pointer, message: `${around}.${name} was removed`, isBreaking: true }]
      : compareFields(rules, side, today, pointer);
  });
}

function compareFields<Side extends object, Name extends keyof Side & string>(
  rules: Rules<Side, Name>,
  before: Side,
  now: Side,
  around: string,
): ContractChange[] {
  return (Object.keys(rules) as Name[]).flatMap((name) => {
    const [was, is] = [before[name], now[name]].map((value) => JSON.stringify(value) ?? 'absent');
    const rule = rules[name];
    if (rule === null || was === is) return [];
    const pointer = `${around}/${name}`;
    const message = `${pointer.slice(1).replaceAll('/', '.')} is ${is} and was ${was}`;
    const isBreaking = rule(before[name] ?? undefined, now[name] ?? undefined);
    return [{ pointer, message, isBreaking }];
  });
}
