// Finds what may break callers between two definitions of an endpoint; each field is compared by itself.
import type { EndpointDefinition } from '../../../functions/endpoints/endpoint.ts';
import type { ColumnDefinition } from '../../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';

/** After it, a call that worked may be refused, or answered in another way. */
interface BreakingChange {
  /** Where it is in endpoint.json, or was, as a JSON pointer (RFC 6901). */
  pointer: string;
  /** A sentence without its full stop, which names the field. */
  message: string;
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
export function breakingChanges(
  before: EndpointDefinition,
  now: EndpointDefinition,
): BreakingChange[] {
  const required = Object.entries(now.parameters).filter(
    ([name, { required, default: stated }]) =>
      required && stated === undefined && !Object.hasOwn(before.parameters, name),
  );
  // Callers of CSV may find columns by their places: what is new comes last.
  const kept = Object.keys(before.row).filter((name) => Object.hasOwn(now.row, name));
  const names = Object.keys(now.row);
  const moved = kept.findIndex((name, at) => name !== names[at]);
  return [
    ...compareFields(ENDPOINT, before, now, ''),
    ...compareNamed(PARAMETER, before.parameters, now.parameters, 'parameters'),
    ...required.map(([name]) => {
      return { pointer: `/parameters/${name}`, message: `parameters.${name} is new and required` };
    }),
    ...compareNamed(COLUMN, before.row, now.row, 'row'),
    ...(moved < 0
      ? []
      : [{ pointer: '/row', message: `row has ${names[moved]} where it had ${kept[moved]}` }]),
  ];
}

/** What is new is not compared. */
function compareNamed<Side extends object, Name extends keyof Side & string>(
  rules: Rules<Side, Name>,
  before: Readonly<Record<string, Side>>,
  now: Readonly<Record<string, Side>>,
  around: 'parameters' | 'row',
): BreakingChange[] {
  return Object.entries(before).flatMap(([name, side]) => {
    const [pointer, today] = [`/${around}/${name}`, now[name]];
    return today === undefined
      ? [{ pointer, message: `${around}.${name} was removed` }]
      : compareFields(rules, side, today, pointer);
  });
}

function compareFields<Side extends object, Name extends keyof Side & string>(
  rules: Rules<Side, Name>,
  before: Side,
  now: Side,
  around: string,
): BreakingChange[] {
  return (Object.keys(rules) as Name[]).flatMap((name) => {
    const [was, is] = [before[name], now[name]].map((value) => JSON.stringify(value) ?? 'absent');
    const isBreaking = rules[name]?.(before[name] ?? undefined, now[name] ?? undefined);
    if (was === is || !isBreaking) return [];
    const pointer = `${around}/${name}`;
    return [
      { pointer, message: `${pointer.slice(1).replaceAll('/', '.')} is ${is} and was ${was}` },
    ];
  });
}
