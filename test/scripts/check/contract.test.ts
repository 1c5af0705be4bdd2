// Tests of what counts as a breaking change of an endpoint: one change at a time.
import { readFileSync } from 'node:fs';
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
import { endpointDefinition, parameter } from '../../support/sql/fake-sql-tree.ts';

const column = (type: string, mode: string) => ({ type, mode, description: 'A column.' });
const ROW: Record<string, object> = {
  at: column('TIMESTAMP', 'REQUIRED'),
  total: { ...column('INT64', 'REQUIRED'), unit: 'ms' },
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

const changes = readFileSync('test/scripts/check/contract-changes.txt', 'utf8');
const [, BREAKING = [], HARMLESS = [], TOGETHER = []] = changes
  .split(/^# .*$/m)
  .map((part) => part.trim().split('\n'))
  .map((lines) => lines.map((line) => line.split(/ -> ?/) as [change: string, expected: string]));

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

it.each(BREAKING)('reports as breaking: %s', (change, expected) => {
  expect(told(BASE, changed(change))).toBe(`!${expected}`);
});

it.each([...HARMLESS, ...TOGETHER])('reports: %s', (change, expected) => {
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
  ...['', ...WORDS, 'z'].map((text) => [text]),
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

it('gives the same answer to every call if no change is breaking', () => {
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
  const reversed = JSON.parse(JSON.stringify(BASE), (name, value: unknown) =>
    name === 'row' || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value ?? {}).toReversed()),
  ) as EndpointDefinition;
  expect(Object.keys(reversed)[0]).toBe('warming');
  expect(told(BASE, reversed)).toBe('');
});

/** Callers see them in no answer. Every other field of the schema breaks callers in one of the lines above. */
const NO_CONTRACT = [
  ...['$schema', 'description', 'queryLanguage', 'cacheWarmingSeconds', 'sandboxed', 'warming'],
  ...['bucket', 'parameters.description', 'parameters.example', 'row.description'],
];

it('assigns every field of the schema to the contract or not', () => {
  expect(Math.min(BREAKING.length, HARMLESS.length)).toBeGreaterThanOrEqual(40);
  const inContract = BREAKING.map(([change]) =>
    change.replace(/ = .*/, '').replace(/^(parameters|row)\.\w+/, '$1'),
  );
  const { parameter: ofParameter, column: ofColumn } = schema.definitions;
  const inSchema = [
    ...Object.keys(schema.properties),
    ...Object.keys(ofParameter.properties).map((name) => `parameters.${name}`),
    ...Object.keys(ofColumn.properties).map((name) => `row.${name}`),
  ];
  expect(new Set([...inContract, ...NO_CONTRACT])).toEqual(new Set(inSchema));
});
