// Compares two definitions of an endpoint as its callers see them: each field by its own rule.
import { isAbsent } from '../../../functions/core/parameter-type.ts';
import type {
  ColumnDefinition,
  EndpointDefinition,
} from '../../../functions/endpoints/endpoint.ts';
import { ITEMS_MAX, createParameterRule } from '../../../functions/endpoints/parameter-rule.ts';
import type {
  ParameterDefinition,
  ParameterRule,
} from '../../../functions/endpoints/parameter-rule.ts';

interface ContractChange {
  /** Where it is in endpoint.json, or was, as a JSON pointer (RFC 6901). */
  pointer: string;
  /** A sentence without its full stop, which names the field. */
  message: string;
  /** Whether a call that worked may be refused, or answered in another way. */
  isBreaking: boolean;
}

/** What a change does to callers: `wider` breaks none of them. */
type Verdict = 'same' | 'wider' | 'narrower';

/** A rule for every field, asked where the field differs; null for one that callers do not depend on. */
type Fields<Side, Name extends keyof Side> = Readonly<
  Record<Name, ((before: Side, now: Side) => Verdict) | null>
>;

type Field<Name extends string, Value> = { readonly [name in Name]?: Value };

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
  // As long as the longest that the schema allows. A query that took longer than the new time fails.
  jobTimeoutSeconds: mayGrow('jobTimeoutSeconds', 21_600),
  // A key with * loses the endpoint.
  mustBeNamed: ({ mustBeNamed: was = false }, { mustBeNamed: is = false }) =>
    was === is ? 'same' : is ? 'narrower' : 'wider',
  // A query that reads more than the new bound fails.
  maxBytesBilled: mayGrow('maxBytesBilled', Number.MAX_SAFE_INTEGER),
  sandboxed: null,
  warming: null,
  bucket: null,
};

const COLUMN: Fields<ColumnDefinition, keyof ColumnDefinition> = {
  type: mayNotChange,
  mode: (before, now) =>
    before.mode === 'NULLABLE' && now.mode === 'REQUIRED' ? 'wider' : 'narrower',
  description: null,
  // From ms to s, no type changes but every number does.
  unit: (before, now) => (before.unit && now.unit ? 'narrower' : 'wider'),
};

type Parameters = EndpointDefinition['parameters'];
type Row = EndpointDefinition['row'];

interface Parameter extends ParameterDefinition {
  rule: ParameterRule;
}

/** A call without the parameter, and one with an empty value. */
const ABSENT = [undefined, ''];

/** A bound that every value keeps counts as no bound: no value is empty, and no list is longer than `ITEMS_MAX`. */
const PARAMETER: Fields<Parameter, keyof ParameterDefinition> = {
  description: null,
  example: null,
  // Of any two types, one accepts a text that the other refuses, or distinguishes texts that are equal in the other.
  type: (before, now) => (before.rule.type === now.rule.type ? 'same' : 'narrower'),
  required(before, now) {
    const isTaken = (side: Parameter, text?: string): boolean => reading(side, text) !== undefined;
    const texts = ABSENT.filter((text) => isTaken(before, text) !== isTaken(now, text));
    return compareReadings(before, now, texts);
  },
  default: (before, now) => compareReadings(before, now, ABSENT),
  minLength: mayShrink('minLength', 1),
  maxLength: mayGrow('maxLength', Infinity),
  pattern: mayBeDropped('pattern'),
  format: mayBeDropped('format'),
  minimum: mayShrink('minimum', -Infinity),
  maximum: mayGrow('maximum', Infinity),
  minItems: mayShrink('minItems', 1),
  maxItems: mayGrow('maxItems', ITEMS_MAX),
  enum(before, now) {
    if (before.enum === undefined) return 'narrower';
    const verdict = compareListed(before, now, (parameter) => parameter.enum);
    return verdict === 'same' && now.enum === undefined ? 'wider' : verdict;
  },
  aliases: (before, now) => compareListed(before, now, ({ aliases = {} }) => Object.keys(aliases)),
  otherwise(before, now) {
    if (before.otherwise === undefined) return before.enum === undefined ? 'same' : 'wider';
    if (now.otherwise === undefined) return 'narrower';
    const isKept = reading(before, before.otherwise) === reading(now, now.otherwise);
    return isKept ? 'same' : 'narrower';
  },
};

/** The definitions must match endpoint.schema.json. */
export function compareDefinitions(before: EndpointDefinition, now: EndpointDefinition) {
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
      ? [{ pointer, message: `parameters.${name} was removed`, isBreaking: true }]
      : compareFields(PARAMETER, withRule(definition), withRule(today), pointer);
  });
  const added = Object.entries(now).flatMap(([name, definition]) => {
    if (Object.hasOwn(before, name)) return [];
    // A new parameter breaks callers if a call without it is refused.
    const isBreaking = reading(withRule(definition), undefined) === undefined;
    const message = `parameters.${name} is new${isBreaking ? ' and required' : ''}`;
    return [{ pointer: `/parameters/${name}`, message, isBreaking }];
  });
  return [...kept, ...added];
}

/** Callers of CSV may find columns by their places. */
function compareRows(before: Row, now: Row): ContractChange[] {
  const [were, are] = [Object.keys(before), Object.keys(now)];
  const placesOf = (names: readonly string[]) => new Map(names.map((name, at) => [name, at + 1]));
  const [was, is] = [placesOf(were), placesOf(are)];
  const changes: ContractChange[] = [];
  const report = (name: string, message: string, isBreaking = true): void => {
    changes.push({ pointer: `/row/${name}`, message: `row.${name} ${message}`, isBreaking });
  };
  for (const [index, [name, column]] of Object.entries(before).entries()) {
    const [today, successor = name] = [now[name], are[index]];
    if (!today || !is.has(name)) {
      const isReplaced = !was.has(successor);
      report(name, `was removed${isReplaced ? `; row.${successor} takes its place` : ''}`);
    } else changes.push(...compareFields(COLUMN, column, today, `/row/${name}`));
  }
  for (const [index, name] of are.entries()) {
    const next = are.slice(index + 1).find((other) => was.has(other)) ?? '';
    const [place, nextWas, nextIs] = [was.get(name), was.get(next) ?? Infinity, is.get(next) ?? 0];
    if (place === undefined) {
      const moved = ` and moves row.${next} from column ${nextWas} to ${nextIs}`;
      report(name, `is new${nextWas < nextIs ? moved : ''}`, nextWas < nextIs);
    } else if (place > nextWas) report(name, `is before row.${next}, and was after it`);
  }
  return changes;
}

function compareFields<Side extends object, Name extends keyof Side & string>(
  fields: Fields<Side, Name>,
  before: Side,
  now: Side,
  around: string,
): ContractChange[] {
  return (Object.keys(fields) as Name[]).flatMap((name) => {
    const [was, is] = [before[name], now[name]].map((value) => JSON.stringify(value) ?? 'absent');
    const verdict = was === is ? 'same' : (fields[name]?.(before, now) ?? 'same');
    if (verdict === 'same') return [];
    const pointer = `${around}/${name}`;
    const message = `${pointer.slice(1).replaceAll('/', '.')} is ${is} and was ${was}`;
    return [{ pointer, message, isBreaking: verdict === 'narrower' }];
  });
}

function mayNotChange(): Verdict {
  return 'narrower';
}

function mayBeDropped<Name extends string>(name: Name) {
  return (_: Field<Name, string>, now: Field<Name, string>): Verdict =>
    now[name] === undefined ? 'wider' : 'narrower';
}

/** An upper bound; `absent` is the bound that its absence means. */
function mayGrow<Name extends string>(name: Name, absent = 0) {
  return (before: Field<Name, number>, now: Field<Name, number>): Verdict => {
    const [was, is] = [before[name] ?? absent, now[name] ?? absent];
    if (was === is) return 'same';
    return was < is ? 'wider' : 'narrower';
  };
}

function mayShrink<Name extends string>(name: Name, absent = 0) {
  return (before: Field<Name, number>, now: Field<Name, number>): Verdict =>
    mayGrow(name, absent)(now, before);
}

/** The rule takes one value of an ARRAY, and has no pattern: these fields are compared separately. */
function withRule(definition: ParameterDefinition): Parameter {
  return { ...definition, rule: createParameterRule({ ...definition, minItems: 1 }, undefined) };
}

/** The value as which the service reads a text; undefined if it refuses it. */
function reading({ rule }: Parameter, text: string | undefined): string | undefined {
  const { value, fault } = rule.read(text === undefined ? undefined : [text]);
  if ((fault ?? rule.check(value)) !== undefined) return undefined;
  return isAbsent(value) ? '' : JSON.stringify([value].flat());
}

function compareReadings(
  before: Parameter,
  now: Parameter,
  texts: readonly (string | undefined)[] = [],
): Verdict {
  const changed = texts.filter((text) => reading(before, text) !== reading(now, text));
  if (changed.length === 0) return 'same';
  return changed.every((text) => reading(before, text) === undefined) ? 'wider' : 'narrower';
}

/** A new listed value breaks no caller: it was refused, or was replaced by a value that the caller did not name. */
function compareListed(
  before: Parameter,
  now: Parameter,
  textsOf: (parameter: Parameter) => readonly string[] | undefined,
): Verdict {
  const verdict = compareReadings(before, now, textsOf(before));
  if (verdict !== 'same') return verdict;
  return compareReadings(before, now, textsOf(now)) === 'same' ? 'same' : 'wider';
}
