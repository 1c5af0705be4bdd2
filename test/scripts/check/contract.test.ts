// Tests of what counts as a breaking change of an endpoint: one change at a time.
import fc from 'fast-check';
import type { ParameterType } from '../../../functions/core/parameter-type.ts';
import type { EndpointDefinition } from '../../../functions/endpoints/endpoint.ts';
import {
  type ParameterDefinition,
  createParameterRule,
} from '../../../functions/endpoints/parameter-rule.ts';
import { compareDefinitions } from '../../../scripts/check/contract/compare-definitions.ts';
import { linearPattern } from '../../../scripts/compile/linear-pattern.ts';
import { reportParameterFaults } from '../../../scripts/compile/parameter-faults.ts';
import schema from '../../../sql/endpoint.schema.json' with { type: 'json' };
import { endpointDefinition, parameter } from '../../support/fake-sql-tree.ts';

const column = (type: string, mode: string) => ({ type, mode, description: 'A column.' });
const ROW: Record<string, object> = {
  at: column('TIMESTAMP', 'REQUIRED'),
  total: column('INT64', 'REQUIRED'),
  note: column('STRING', 'NULLABLE'),
  tags: column('STRING', 'REPEATED'),
};
const BASE = {
  ...endpointDefinition(),
  warming: { batchOver: ['tenant'], maxKeys: 100 },
  parameters: {
    tenant: parameter({ required: true, minLength: 2, maxLength: 9, pattern: '^[a-z]+$' }),
    free: parameter(),
    site: parameter({ format: 'uri' }),
    mode: parameter({ enum: ['hour', 'day'], aliases: { h: 'hour' }, default: 'hour' }),
    span: parameter({ enum: ['hour', 'day'], aliases: { d: 'day' }, otherwise: 'day' }),
    unit: parameter({ type: 'INT64', enum: ['1', '2'] }),
    weeks: parameter({ type: 'INT64', minimum: 1, maximum: 9, default: '4', required: true }),
    page: parameter({ type: 'INT64' }),
    ids: parameter({ type: 'ARRAY<INT64>', minItems: 2, maxItems: 9, enum: ['1', '2', '3'] }),
    names: parameter({ type: 'ARRAY<STRING>', default: 'a' }),
    words: parameter({ type: 'ARRAY<STRING>', default: 'a', required: true }),
  },
  row: ROW,
} as EndpointDefinition;

/** Of each line: one change or more, and what is said of it. `row` names the columns; those that `BASE` lacks are INT64. */
const BREAKING = `
id = "b" -> id is "b" and was "11111111-2222-4333-8444-555555555555"
name = "group.b" -> name is "group.b" and was "group.example"
maxRows = 999 -> maxRows is 999 and was 1000
cachingSeconds = 901 -> cachingSeconds is 901 and was 900
parameters.free = absent -> parameters.free is gone
parameters.new = {"required":true} -> parameters.new is new and required
parameters.new = {"required":true,"type":"ARRAY<DATE>"} -> parameters.new is new and required
parameters.free.required = true -> parameters.free.required is true and was false
parameters.ids.required = true -> parameters.ids.required is true and was false
parameters.names.required = true -> parameters.names.required is true and was false
parameters.free.type = "INT64" -> parameters.free.type is "INT64" and was absent
parameters.free.type = "ARRAY<STRING>" -> parameters.free.type is "ARRAY<STRING>" and was absent
parameters.page.type = "STRING" -> parameters.page.type is "STRING" and was "INT64"
parameters.page.type = "NUMERIC" -> parameters.page.type is "NUMERIC" and was "INT64"
parameters.page.type = absent -> parameters.page.type is absent and was "INT64"
parameters.ids.type = "ARRAY<FLOAT64>" -> parameters.ids.type is "ARRAY<FLOAT64>" and was "ARRAY<INT64>"
parameters.tenant.minLength = 3 -> parameters.tenant.minLength is 3 and was 2
parameters.free.minLength = 2 -> parameters.free.minLength is 2 and was absent
parameters.tenant.maxLength = 8 -> parameters.tenant.maxLength is 8 and was 9
parameters.free.maxLength = 1000 -> parameters.free.maxLength is 1000 and was absent
parameters.tenant.pattern = "^[a-z0-9]+$" -> parameters.tenant.pattern is "^[a-z0-9]+$" and was "^[a-z]+$"
parameters.free.pattern = "." -> parameters.free.pattern is "." and was absent
parameters.site.format = "email" -> parameters.site.format is "email" and was "uri"
parameters.free.format = "re2" -> parameters.free.format is "re2" and was absent
parameters.weeks.minimum = 2 -> parameters.weeks.minimum is 2 and was 1
parameters.page.minimum = -5 -> parameters.page.minimum is -5 and was absent
parameters.weeks.maximum = 8 -> parameters.weeks.maximum is 8 and was 9
parameters.page.maximum = 100 -> parameters.page.maximum is 100 and was absent
parameters.ids.minItems = 3 -> parameters.ids.minItems is 3 and was 2
parameters.names.minItems = 2 -> parameters.names.minItems is 2 and was absent
parameters.ids.maxItems = 8 -> parameters.ids.maxItems is 8 and was 9
parameters.names.maxItems = 99 -> parameters.names.maxItems is 99 and was absent
parameters.unit.enum = ["1"] -> parameters.unit.enum is ["1"] and was ["1","2"]
parameters.unit.enum = ["1","3"] -> parameters.unit.enum is ["1","3"] and was ["1","2"]
parameters.ids.enum = ["1","2"] -> parameters.ids.enum is ["1","2"] and was ["1","2","3"]
parameters.free.enum = ["a"] -> parameters.free.enum is ["a"] and was absent
parameters.mode.aliases = absent -> parameters.mode.aliases is absent and was {"h":"hour"}
parameters.mode.aliases = {"h":"day"} -> parameters.mode.aliases is {"h":"day"} and was {"h":"hour"}
parameters.mode.aliases = {"H":"hour"} -> parameters.mode.aliases is {"H":"hour"} and was {"h":"hour"}
parameters.span.otherwise = absent -> parameters.span.otherwise is absent and was "day"
parameters.span.otherwise = "hour" -> parameters.span.otherwise is "hour" and was "day"
parameters.mode.default = "day" -> parameters.mode.default is "day" and was "hour"
parameters.mode.default = absent -> parameters.mode.default is absent and was "hour"
parameters.weeks.default = absent -> parameters.weeks.default is absent and was "4"
parameters.free.default = "a" -> parameters.free.default is "a" and was absent
parameters.names.default = ["a","b"] -> parameters.names.default is ["a","b"] and was "a"
row = "at total note" -> row.tags is gone
row = "total note tags" -> row.at is gone
row = "at note total tags" -> row.note comes before row.total, and came after it
row = "total note tags at" -> row.tags comes before row.at, and came after it
row = "first at total note tags" -> row.first is new and moves row.at from column 1 to 2
row = "at total note middle tags" -> row.middle is new and moves row.tags from column 4 to 5
row.total.type = "FLOAT64" -> row.total.type is "FLOAT64" and was "INT64"
row.at.type = "DATETIME" -> row.at.type is "DATETIME" and was "TIMESTAMP"
row.total.mode = "NULLABLE" -> row.total.mode is "NULLABLE" and was "REQUIRED"
row.total.mode = "REPEATED" -> row.total.mode is "REPEATED" and was "REQUIRED"
row.note.mode = "REPEATED" -> row.note.mode is "REPEATED" and was "NULLABLE"
row.tags.mode = "NULLABLE" -> row.tags.mode is "NULLABLE" and was "REPEATED"
row.tags.mode = "REQUIRED" -> row.tags.mode is "REQUIRED" and was "REPEATED"
`;

const HARMLESS = `
$schema = "../a.json" ->
description = "Another question." ->
cacheWarmingSeconds = 0 ->
warming = absent ->
warming.batchOver = ["tenant","free"] ->
warming.maxKeys = 1 ->
parameters.free.description = "Other words." ->
parameters.free.example = "b" ->
row.total.description = "Other words." ->
maxRows = 1001 -> maxRows is 1001 and was 1000
cachingSeconds = 300 -> cachingSeconds is 300 and was 900
parameters.new = {} -> parameters.new is new
parameters.new = {"type":"ARRAY<DATE>","minItems":2} -> parameters.new is new
parameters.new = {"required":true,"default":"a"} -> parameters.new is new
parameters.tenant.required = false -> parameters.tenant.required is false and was true
parameters.tenant.default = "abc" -> parameters.tenant.default is "abc" and was absent
parameters.mode.required = true ->
parameters.weeks.required = false ->
parameters.weeks.default = "04" ->
parameters.mode.default = "h" ->
parameters.names.default = ["a"] ->
parameters.free.type = "STRING" ->
parameters.tenant.minLength = 1 -> parameters.tenant.minLength is 1 and was 2
parameters.tenant.minLength = absent -> parameters.tenant.minLength is absent and was 2
parameters.free.minLength = 1 ->
parameters.tenant.maxLength = 10 -> parameters.tenant.maxLength is 10 and was 9
parameters.tenant.maxLength = absent -> parameters.tenant.maxLength is absent and was 9
parameters.tenant.pattern = absent -> parameters.tenant.pattern is absent and was "^[a-z]+$"
parameters.site.format = absent -> parameters.site.format is absent and was "uri"
parameters.weeks.minimum = 0.5 -> parameters.weeks.minimum is 0.5 and was 1
parameters.weeks.minimum = absent -> parameters.weeks.minimum is absent and was 1
parameters.weeks.maximum = 10 -> parameters.weeks.maximum is 10 and was 9
parameters.weeks.maximum = absent -> parameters.weeks.maximum is absent and was 9
parameters.ids.minItems = 1 -> parameters.ids.minItems is 1 and was 2
parameters.ids.minItems = absent -> parameters.ids.minItems is absent and was 2
parameters.names.minItems = 1 ->
parameters.ids.maxItems = 10 -> parameters.ids.maxItems is 10 and was 9
parameters.ids.maxItems = absent -> parameters.ids.maxItems is absent and was 9
parameters.names.maxItems = 100 ->
parameters.unit.enum = ["1","2","3"] -> parameters.unit.enum is ["1","2","3"] and was ["1","2"]
parameters.unit.enum = absent -> parameters.unit.enum is absent and was ["1","2"]
parameters.unit.enum = ["2","01"] ->
parameters.span.enum = ["day","hour","week"] -> parameters.span.enum is ["day","hour","week"] and was ["hour","day"]
parameters.mode.aliases = {"h":"hour","d":"day"} -> parameters.mode.aliases is {"h":"hour","d":"day"} and was {"h":"hour"}
parameters.span.aliases = absent ->
parameters.mode.otherwise = "day" -> parameters.mode.otherwise is "day" and was absent
parameters.span.otherwise = "d" ->
row.note.mode = "REQUIRED" -> row.note.mode is "REQUIRED" and was "NULLABLE"
row = "at total note tags last" -> row.last is new
`;

/** Several changes at once; a "!" marks what breaks callers. */
const TOGETHER = `
parameters.free = absent & parameters.text = {} -> !parameters.free is gone | parameters.text is new
parameters.unit.enum = ["1"] & parameters.unit.aliases = {"2":"1"} -> !parameters.unit.enum is ["1"] and was ["1","2"] | parameters.unit.aliases is {"2":"1"} and was absent
parameters.mode.enum = absent & parameters.mode.aliases = absent -> parameters.mode.enum is absent and was ["hour","day"] | !parameters.mode.aliases is absent and was {"h":"hour"}
parameters.mode.enum = ["hour","day","h"] & parameters.mode.aliases = absent -> parameters.mode.enum is ["hour","day","h"] and was ["hour","day"] | !parameters.mode.aliases is absent and was {"h":"hour"}
parameters.span.enum = absent & parameters.span.otherwise = absent & parameters.span.aliases = absent -> parameters.span.enum is absent and was ["hour","day"] | !parameters.span.aliases is absent and was {"d":"day"} | !parameters.span.otherwise is absent and was "day"
parameters.free.enum = ["a"] & parameters.free.otherwise = "a" -> !parameters.free.enum is ["a"] and was absent
parameters.tenant.required = false & parameters.tenant.default = "abc" -> parameters.tenant.required is false and was true | parameters.tenant.default is "abc" and was absent
parameters.free.required = true & parameters.free.default = "a" -> !parameters.free.default is "a" and was absent
parameters.words.required = false & parameters.words.default = "b" -> parameters.words.required is false and was true | !parameters.words.default is "b" and was "a"
parameters.span.default = "day" & parameters.span.otherwise = absent -> !parameters.span.default is "day" and was absent | !parameters.span.otherwise is absent and was "day"
row = "at sum note tags" -> !row.total is gone; row.sum is in its place | row.sum is new
row = "total at tags note" -> !row.total comes before row.at, and came after it | !row.tags comes before row.note, and came after it
row = "at total note tags one two" -> row.one is new | row.two is new
row = "total new note tags" -> !row.at is gone | row.new is new
`;

type Case = { change: string; expected: string };

function casesOf(table: string): Case[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [change = '', expected = ''] = line.split(' ->');
      return { change, expected: expected.trim() };
    });
}

/** `BASE` after a change as the tables write it. */
function changed(change: string): EndpointDefinition {
  const definition = structuredClone(BASE) as unknown as Record<string, unknown>;
  for (const edit of change.split(' & ')) {
    const [path = '', json = ''] = edit.split(' = ');
    const steps = path.split('.');
    const name = steps.pop() ?? '';
    const around = steps.reduce((at, step) => at[step] as typeof definition, definition);
    if (json === 'absent') delete around[name];
    else around[name] = valueOf(path, JSON.parse(json));
  }
  return definition as unknown as EndpointDefinition;
}

function valueOf(path: string, value: unknown): unknown {
  if (/^parameters\.\w+$/.test(path)) return parameter(value as object);
  if (path !== 'row') return value;
  const names = String(value).split(' ');
  return Object.fromEntries(
    names.map((name) => [name, ROW[name] ?? column('INT64', 'REQUIRED')] as const),
  );
}

function told(before: EndpointDefinition, now: EndpointDefinition): string {
  return compareDefinitions(before, now)
    .map(({ pointer, message, isBreaking }) => {
      expect(message.split(' ')[0]).toBe(pointer.slice(1).replaceAll('/', '.'));
      return `${isBreaking ? '!' : ''}${message}`;
    })
    .join(' | ');
}

it.each(casesOf(BREAKING))('names as breaking: $change', ({ change, expected }) => {
  expect(told(BASE, changed(change))).toBe(`!${expected}`);
});

it.each(casesOf(HARMLESS))('breaks nobody: $change', ({ change, expected }) => {
  expect(told(BASE, changed(change))).toBe(expected);
});

it.each(casesOf(TOGETHER))('tells together: $change', ({ change, expected }) => {
  expect(told(BASE, changed(change))).toBe(expected);
});

/** Of parameters: few values, so that many changes matter to one of the calls. */
const WORDS = ['a', 'b', 'ab', 'abc', '1', '01', '12'];
const word = fc.constantFrom(...WORDS);
const few = fc.integer({ min: 1, max: 3 });
const KEYWORDS = {
  required: fc.boolean(),
  type: fc.constantFrom<ParameterType>('STRING', 'INT64', 'ARRAY<STRING>'),
  enum: fc.subarray(WORDS, { minLength: 1 }),
  aliases: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2 }),
  ...{ otherwise: word, default: word, minLength: few, maxLength: few, minItems: few },
  ...{ maxItems: few, minimum: few, maximum: few, pattern: fc.constantFrom('a', '^a') },
};
const drawing = fc.record(KEYWORDS, { requiredKeys: [] });
const names = fc.subarray(Object.keys(KEYWORDS), { minLength: 1, maxLength: 2 });
const CALLS = [
  undefined,
  [''],
  ...[...WORDS, 'z'].map((text) => [text]),
  ['a', 'a'],
  ['1', '1', '1'],
];

/** Without the keywords that do not go with the others. */
function sound(drawn: ParameterDefinition): ParameterDefinition {
  const faulty: string[] = drawn.enum
    ? []
    : ['aliases', 'otherwise'].filter((name) => name in drawn);
  if (faulty.length === 0) {
    reportParameterFaults({ ...drawn, required: false }, (name) => faulty.push(name));
  }
  const kept = Object.entries(drawn).filter(
    ([name]) => name === 'example' || !faulty.includes(name),
  );
  const isSound = kept.length === Object.keys(drawn).length;
  return isSound ? drawn : sound(Object.fromEntries(kept) as unknown as ParameterDefinition);
}

/** What the service binds; undefined if it refuses the call. */
function bound(definition: ParameterDefinition, call: string[] | undefined): string | undefined {
  const { pattern, maxLength } = definition;
  const rule = createParameterRule(definition, pattern && linearPattern(pattern, maxLength));
  const { value, fault } = rule.read(call);
  return (fault ?? rule.check(value)) === undefined ? JSON.stringify(value) : undefined;
}

it('answers every call as before where no change breaks callers', () => {
  const ofParameter = (definition: ParameterDefinition): EndpointDefinition => ({
    ...endpointDefinition(),
    parameters: { definition },
  });
  const outcomes = { kept: 0, changed: 0 };
  fc.assert(
    fc.property(drawing, drawing, names, (first, second, edited) => {
      const before = sound(parameter(first));
      const others = Object.entries(before).filter(([name]) => !edited.includes(name));
      const edits = Object.entries(second).filter(([name]) => edited.includes(name));
      const now = sound({ ...parameter(), ...Object.fromEntries([...others, ...edits]) });
      const isBroken = told(ofParameter(before), ofParameter(now)).includes('!');
      const listed = [...(before.enum ?? WORDS), ...Object.keys(before.aliases ?? {}), 'z', ''];
      const calls = CALLS.filter((call = []) => call.every((text) => listed.includes(text)));
      const differing = calls.filter((call) => {
        const was = bound(before, call);
        return was !== undefined && was !== bound(now, call);
      });
      if (!isBroken) expect(differing).toEqual([]);
      outcomes[isBroken ? 'changed' : 'kept'] += 1;
    }),
    { numRuns: 2000 },
  );
  expect(Math.min(outcomes.kept, outcomes.changed)).toBeGreaterThan(200);
});

it('does not depend on the order of fields outside row', () => {
  const reversed = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([name, member]) => [name, name === 'row' ? member : reversed(member)]),
        )
      : value;
  expect(told(BASE, reversed(BASE) as EndpointDefinition)).toBe('');
});

/** Callers see them in no answer. Every other field of the schema breaks callers in one of the lines above. */
const NO_CONTRACT = {
  endpoint: [
    '$schema',
    'description',
    'queryLanguage',
    'cacheWarmingSeconds',
    'sandboxed',
    'warming',
  ],
  parameter: ['description', 'example'],
  column: ['description'],
};

it('knows of every field of the schema whether it is part of the contract', () => {
  const paths = casesOf(BREAKING).map(({ change }) => change.split(' = ')[0]?.split('.') ?? []);
  const inContract = {
    endpoint: paths.map(([field]) => field),
    parameter: paths.flatMap(([field, , name]) => (field === 'parameters' && name ? name : [])),
    column: paths.flatMap(([field, , name]) => (field === 'row' && name ? name : [])),
  };
  const { parameter: ofParameter, column: ofColumn } = schema.definitions;
  const sorted = (names: Iterable<string | undefined>) => [...new Set(names)].sort();
  expect({
    endpoint: sorted([...inContract.endpoint, ...NO_CONTRACT.endpoint]),
    parameter: sorted([...inContract.parameter, ...NO_CONTRACT.parameter]),
    column: sorted([...inContract.column, ...NO_CONTRACT.column]),
  }).toEqual({
    endpoint: sorted(Object.keys(schema.properties)),
    parameter: sorted(Object.keys(ofParameter.properties)),
    column: sorted(Object.keys(ofColumn.properties)),
  });
});
