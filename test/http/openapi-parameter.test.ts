// Tests of the parameters of the OpenAPI document: they have the values that the service takes, and no others.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import { describeEndpoints } from '../../functions/http/describe-endpoints.ts';
import { openApiParameter } from '../../functions/http/parameter-schema.ts';
import { authoriseParameters } from '../../functions/keys/access.ts';
import { FakeSqlTree, parameter } from '../support/sql/fake-sql-tree.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

interface OpenApiParameter {
  required: boolean;
  style?: string;
  schema: { type?: string; anyOf?: object[]; items?: object };
  example?: unknown;
}

function endpointWith(fields: Partial<ParameterDefinition>): Endpoint {
  return new FakeSqlTree().endpoint({ parameters: { p: parameter(fields) } }).load();
}

/** The text of the parameter in the document of a key that may use these values, or any. */
function textOf(endpoint: Endpoint, allowed?: string[]): string {
  const key = {
    endpoints: ['*'],
    ...(allowed === undefined ? {} : { parameters: { p: allowed } }),
  };
  const described = describeEndpoints([endpoint], key)[0]?.parameters[0];
  if (described === undefined) throw new Error('The key may not use the endpoint');
  return JSON.stringify(openApiParameter(described));
}

function documented(endpoint: Endpoint, allowed?: string[]): OpenApiParameter {
  return JSON.parse(textOf(endpoint, allowed)) as OpenApiParameter;
}

function schemaOf(fields: Partial<ParameterDefinition>): unknown {
  return documented(endpointWith(fields)).schema;
}

describe('a parameter in the OpenAPI document', () => {
  it.each(cases<[ParameterDefinition['type'], string, object]>('types'))(
    'has the schema of %s, and of an ARRAY of it',
    (type = 'STRING', example, schema) => {
      expect(schemaOf({ type, required: true, example })).toEqual(schema);
      const array = documented(
        endpointWith({ type: `ARRAY<${type}>` as 'ARRAY<STRING>', required: true, example }),
      );
      expect(array).toMatchObject({ style: 'form', explode: true });
      expect(array.schema).toEqual({ type: 'array', items: schema, minItems: 1, maxItems: 100 });
    },
  );

  it.each(cases<[Partial<ParameterDefinition>, object]>('keywords'))(
    'has the keywords of %j',
    (fields, schema) => {
      expect(schemaOf(fields)).toEqual(schema);
    },
  );

  it('has values in the JSON representation of their type', () => {
    const integer = endpointWith({ type: 'INT64', enum: ['1', '02'], default: '1', example: '2' });
    expect(documented(integer)).toMatchObject({
      schema: { type: 'integer', enum: [1, 2], default: 1 },
      example: 2,
    });
    const large = endpointWith({ type: 'INT64', enum: ['9007199254740993'], example: '' });
    expect(textOf(large)).toContain('"enum":[9007199254740993]');
    expect(documented(large)).not.toHaveProperty('example');
    const flag = endpointWith({ type: 'BOOL', default: 'false', example: 'true' });
    expect(documented(flag)).toMatchObject({ schema: { default: false }, example: true });
    const amount = endpointWith({ type: 'NUMERIC', default: '1.50', example: '2' });
    expect(documented(amount)).toMatchObject({ schema: { default: '1.50' }, example: '2' });
    const list = endpointWith({ type: 'ARRAY<FLOAT64>', default: ['1e3', '2'], example: '0.5' });
    expect(documented(list)).toMatchObject({ schema: { default: [1000, 2] }, example: [0.5] });
  });
});

/** What the service takes, of texts that are given for the parameter. */
function isTaken(endpoint: Endpoint, texts: readonly string[], allowed?: string[]): boolean {
  try {
    const query = texts.map((text) => `p=${encodeURIComponent(text)}`).join('&');
    const parameters = parseParameters(endpoint, query);
    const key = { name: 'key', endpoints: ['*'], ...(allowed && { parameters: { p: allowed } }) };
    authoriseParameters(key, endpoint, parameters);
    return true;
  } catch {
    return false;
  }
}

const ajv = new Ajv2020({ strict: false, logger: false });
addFormats.default(ajv);

/** What a validator of the document takes: a text counts as each JSON value that is written like it. */
function isDocumented(
  { required, style, schema }: OpenApiParameter,
  texts: readonly string[],
): boolean {
  if (texts.length === 0) return !required;
  const read = (element: object, text: string): unknown => {
    const literal = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text);
    const value: unknown = literal ? JSON.parse(text) : text;
    return ajv.validate(element, value) ? value : text;
  };
  if (style === undefined) {
    return texts.length === 1 && ajv.validate(schema, read(schema, texts[0] ?? ''));
  }
  // In this style an empty text is how an empty array is written too.
  const values = texts.length === 1 && texts[0] === '' ? [] : texts;
  return ajv.validate(
    schema,
    values.map((text) => read(schema.items ?? {}, text)),
  );
}

const TEXTS = [
  ['', 'a', 'b', 'ab', 'abcdef', '*', 'a\n', '\0', 'é', 'many', 'true', 'false', 'null', 'TRUE'],
  ['0', '1', '2', '-1', '100', '101', '1.5', '-0.25', '1e+21', '0x1', '1,2'],
  ['0.123456789', '0.1234567891', '12345678901234567890123456789', '1'.repeat(30), 'NaN'],
  ['12345678901234567890', '2026-11-20', '2026-02-29', '2024-02-29', '1900-02-29'],
  ['0000-01-01', '2026-13-01', '0001-01-01'],
  ['2026-11-20T10:00:00', '2026-04-31T10:00:00', '2024-02-29T23:59:59.5', '1900-02-29T00:00:00'],
  ['2026-11-20T24:00:00', '0000-01-01T00:00:00', '2026-11-20T10:00:00.1234567'],
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:60Z', '2026-12-31T23:59:60Z', '0000-01-01T00:00:00Z'],
  ['2026-11-20T10:00:00+01:00', '2026-11-20T10:00:00.123456Z', '2026-11-20T10:00:00.1234567Z'],
].flat();

const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }).map(String),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => String(value === 0 ? 0 : value)),
  fc
    .date({ noInvalidDate: true, min: new Date('0001-01-02'), max: new Date('9999-12-30') })
    .map((date) => date.toISOString()),
  fc
    .tuple(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
    )
    .map((parts) =>
      parts.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-'),
    )
    .chain((day) => fc.constantFrom(day, `${day}T00:00:00`, `${day}T00:00:00Z`)),
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '*', ' ', '\n'), maxLength: 8 }),
);

/** Types with the keywords that they go with. */
const KINDS: Partial<ParameterDefinition>[] = [
  {},
  { pattern: '^[ab]', minLength: 2, maxLength: 4 },
  { format: 'date', example: '2026-11-20' },
  { enum: ['a', 'ab'], aliases: { many: 'ab' } },
  { enum: ['a', 'ab'], aliases: { many: 'ab' }, otherwise: 'ab' },
  { type: 'INT64', example: '1' },
  { type: 'INT64', example: '1', minimum: 1, maximum: 100 },
  { type: 'INT64', example: '1', enum: ['1', '100'], aliases: { many: '100' } },
  { type: 'INT64', example: '1', enum: ['1', '100'], otherwise: '1' },
  { type: 'FLOAT64', example: '1' },
  { type: 'FLOAT64', example: '1', minimum: -0.25, maximum: 1.5 },
  { type: 'NUMERIC', example: '1' },
  { type: 'BOOL', example: 'true' },
  { type: 'BOOL', example: 'true', enum: ['true'], aliases: { many: 'true' } },
  { type: 'DATE', example: '2026-11-20' },
  { type: 'DATETIME', example: '2026-11-20T10:00:00' },
  { type: 'TIMESTAMP', example: '2026-11-20T10:00:00Z' },
];

// A generated client sends what the document allows; what it may not refuse is a value that works.
it.each(KINDS.flatMap((kind) => [kind, arrayOf(kind)]))(
  'the document refuses no value: %j',
  (kind) => {
    const endpoint = endpointWith({ ...kind, example: kind.example ?? 'ab' });
    const described = documented(endpoint);
    const values =
      described.style === undefined ? fc.tuple(text) : fc.array(text, { maxLength: 4 });
    fc.assert(
      fc.property(values, (texts) => {
        // An empty value is an absent one.
        if (texts.includes('') || !isTaken(endpoint, texts)) return;
        expect([texts, isDocumented(described, texts)]).toEqual([texts, true]);
      }),
      { numRuns: 130, examples: TEXTS.map((value) => [[value]]) },
    );
    expect(isDocumented(described, [])).toBe(isTaken(endpoint, []));
  },
);

function arrayOf(kind: Partial<ParameterDefinition>): Partial<ParameterDefinition> {
  const type = `ARRAY<${kind.type ?? 'STRING'}>` as 'ARRAY<STRING>';
  return { ...kind, type, maxItems: 3 };
}

it.each([
  [{}, ['a'], true, ['a']],
  [{}, ['a', ''], false, ['a']],
  [{ default: 'a' }, ['a'], false, ['a']],
  [{ default: 'a' }, ['b'], true, ['b']],
  [{ enum: ['a', 'b'], aliases: { many: 'b' } }, ['a'], true, ['a']],
  [{ enum: ['a', 'b'], aliases: { many: 'b' } }, ['b'], true, ['b', 'many']],
] satisfies [Partial<ParameterDefinition>, string[], boolean, string[]][])(
  'the document for a key with values: %j, allowed %j',
  (fields, allowed, required, values) => {
    const described = documented(endpointWith(fields), allowed);
    expect([described.required, described.schema]).toMatchObject([required, { enum: values }]);
  },
);
