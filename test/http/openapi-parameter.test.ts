// Tests of the parameters of the OpenAPI document: they have the values that the service takes, and no others.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import { describeEndpoints } from '../../functions/http/describe-endpoints.ts';
import { openApiParameter } from '../../functions/http/parameter-schema.ts';
import { authoriseParameters } from '../../functions/keys/access.ts';
import { endpointWith } from '../support/sql/fake-sql-tree.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

interface OpenApiParameter {
  required: boolean;
  style?: string;
  schema: { items?: object };
}

/** The text of the parameter in the document of a key that may use these values, or any. */
function textOf(endpoint: Endpoint, allowed?: string[]): string {
  const key = { endpoints: ['*'], ...(allowed && { parameters: { p: allowed } }) };
  const described = describeEndpoints([endpoint], key)[0]?.parameters[0];
  if (described === undefined) throw new Error('The key may not use the endpoint');
  return JSON.stringify(openApiParameter(described));
}

function documented(endpoint: Endpoint, allowed?: string[]): OpenApiParameter {
  return JSON.parse(textOf(endpoint, allowed)) as OpenApiParameter;
}

it.each(cases<[ParameterDefinition['type'], string, object]>('types'))(
  'a parameter in the OpenAPI document has the schema of %s, and of an ARRAY of it',
  (type = 'STRING', example, schema) => {
    const scalar = documented(endpointWith({ p: { type, required: true, example } }));
    expect(scalar.schema).toEqual(schema);
    const array = documented(
      endpointWith({ p: { type: `ARRAY<${type}>` as 'ARRAY<STRING>', required: true, example } }),
    );
    expect(array).toMatchObject({ style: 'form', explode: true });
    expect(array.schema).toEqual({ type: 'array', items: schema, minItems: 1, maxItems: 100 });
  },
);

it.each(cases<[Partial<ParameterDefinition>, object]>('keywords'))(
  'a parameter in the OpenAPI document has the keywords of %j',
  (fields, schema) => {
    expect(documented(endpointWith({ p: fields })).schema).toEqual(schema);
  },
);

it('a parameter in the OpenAPI document has values in the JSON representation of their type', () => {
  const integer = endpointWith({
    p: { type: 'INT64', enum: ['1', '02'], default: '1', example: '2' },
  });
  expect(documented(integer)).toMatchObject({
    schema: { type: 'integer', enum: [1, 2], default: 1 },
    example: 2,
  });
  const large = endpointWith({ p: { type: 'INT64', enum: ['9007199254740993'], example: '' } });
  expect(textOf(large)).toContain('"enum":[9007199254740993]');
  expect(documented(large)).not.toHaveProperty('example');
  const flag = endpointWith({ p: { type: 'BOOL', default: 'false', example: 'true' } });
  expect(documented(flag)).toMatchObject({ schema: { default: false }, example: true });
  const amount = endpointWith({ p: { type: 'NUMERIC', default: '1.50', example: '2' } });
  expect(documented(amount)).toMatchObject({ schema: { default: '1.50' }, example: '2' });
  const list = endpointWith({
    p: { type: 'ARRAY<FLOAT64>', default: ['1e3', '2'], example: '0.5' },
  });
  expect(documented(list)).toMatchObject({ schema: { default: [1000, 2] }, example: [0.5] });
});

// A generated client sends what the document allows; what it may not refuse is a value that works.
it.each(
  cases<Partial<ParameterDefinition>>('kinds').flatMap((kind) => {
    const type = `ARRAY<${kind.type ?? 'STRING'}>` as 'ARRAY<STRING>';
    return [kind, { ...kind, type, maxItems: 3 }];
  }),
)('the document refuses no value: %j', (kind) => {
  const TEXTS = cases<string[]>('texts').flat();
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);

  /** What the service takes, of texts that are given for the parameter. */
  function isTaken(endpoint: Endpoint, texts: readonly string[], allowed?: string[]): boolean {
    try {
      const query = texts.map((text) => `p=${encodeURIComponent(text)}`).join('&');
      const parameters = parseParameters(endpoint, query);
      const key = {
        name: 'key',
        endpoints: ['*'],
        ...(allowed && { parameters: { p: allowed } }),
      };
      authoriseParameters(key, endpoint, parameters);
      return true;
    } catch {
      return false;
    }
  }

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
  const endpoint = endpointWith({ p: { ...kind, example: kind.example ?? 'ab' } });
  const described = documented(endpoint);
  const values = described.style === undefined ? fc.tuple(text) : fc.array(text, { maxLength: 4 });
  fc.assert(
    fc.property(values, (texts) => {
      // An empty value is an absent one.
      if (texts.includes('') || !isTaken(endpoint, texts)) return;
      expect([texts, isDocumented(described, texts)]).toEqual([texts, true]);
    }),
    { numRuns: 130, examples: TEXTS.map((value) => [[value]]) },
  );
  expect(isDocumented(described, [])).toBe(isTaken(endpoint, []));
});

it.each(cases<[Partial<ParameterDefinition>, string[], boolean, string[]]>('allowed'))(
  'the document for a key with values: %j, allowed %j',
  (fields, allowed, required, values) => {
    const described = documented(endpointWith({ p: fields }), allowed);
    expect([described.required, described.schema]).toMatchObject([required, { enum: values }]);
  },
);
