// Saved queries with a parameter of every type, scalar and ARRAY, for tests.
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import {
  type ParameterType,
  SCALAR_TYPES,
  isScalarType,
  scalarTypeOf,
} from '../../../functions/core/parameter-type.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';
import { FakeSqlTree, parameter, rowOf } from './fake-sql-tree.ts';

const EXAMPLES = {
  STRING: 'a',
  INT64: '1',
  FLOAT64: '1.5',
  NUMERIC: '1.5',
  BOOL: 'true',
  DATE: '2026-11-20',
  DATETIME: '2026-11-20T10:00:00',
  TIMESTAMP: '2026-11-20T10:00:00Z',
};

export const PARAMETER_TYPES: readonly ParameterType[] = SCALAR_TYPES.flatMap(
  (type): ParameterType[] => [type, `ARRAY<${type}>`],
);

/** The parameter, and column, of a type: `int64`, and `int64_list` of an ARRAY. */
export function nameOf(type: ParameterType): string {
  const name = scalarTypeOf(type).toLowerCase();
  return isScalarType(type) ? name : `${name}_list`;
}

/** The table `samples`: an `id`, and a column of every type. */
export const SAMPLES_FIELDS = [
  { name: 'id', type: 'INTEGER' },
  ...PARAMETER_TYPES.map((type) => ({
    name: nameOf(type),
    type: scalarTypeOf(type),
    mode: isScalarType(type) ? 'NULLABLE' : 'REPEATED',
  })),
];

function typed(
  type: ParameterType,
  keywords: Partial<ParameterDefinition> = {},
): ParameterDefinition {
  return parameter({ type, example: EXAMPLES[scalarTypeOf(type)], ...keywords });
}

const ofEveryType = Object.fromEntries(PARAMETER_TYPES.map((type) => [nameOf(type), typed(type)]));

/** One id for each endpoint of a tree. */
function id(number: number): string {
  return `11111111-2222-4333-8444-${String(number).padStart(12, '0')}`;
}

/** The definition and the query of an endpoint that answers its parameters. */
function echo(
  number: number,
  name: string,
  parameters: Record<string, ParameterDefinition>,
): [Record<string, unknown>, string] {
  const row = Object.entries(parameters).map(([column, { type = 'STRING' }]) => {
    const mode = isScalarType(type) ? 'NULLABLE' : 'REPEATED';
    return [column, { type: scalarTypeOf(type), mode, description: 'A column.' }];
  });
  const values = Object.keys(parameters).map((column) => `@${column} AS ${column}`);
  return [
    { id: id(number), name, parameters, row: Object.fromEntries(row) as object },
    `SELECT ${values.join(', ')}`,
  ];
}

/** Not batched, so that a warming run has several jobs. */
const SHARED = { first_id: typed('INT64'), ids: typed('ARRAY<INT64>') };

/** A row for each row of `samples` and each type whose value it has; arrays are equal by their elements. */
function matches(valueOf: (name: string) => string, source: string, columns: string): string {
  return PARAMETER_TYPES.map((type) => {
    const [name, value] = [nameOf(type), valueOf(nameOf(type))];
    const isEqual = isScalarType(type)
      ? `r.${name} IS NOT DISTINCT FROM ${value}`
      : `TO_JSON_STRING(r.${name}) = TO_JSON_STRING(${value})`;
    return `SELECT ${columns} '${name}' AS matched, r.id FROM ${source} ${isEqual}
      AND r.id >= IFNULL(@first_id, 0) AND (ARRAY_LENGTH(@ids) = 0 OR r.id IN UNNEST(@ids))`;
  }).join('\nUNION ALL\n');
}

export const loadTypedEndpoints = (): Catalogue => writeTypedEndpoints().catalogue();

/**
 * `types.echo` answers its parameters, `types.matches` the rows of `samples` with their values, and
 * `types.keywords` is for the keywords of endpoint.json.
 */
export function writeTypedEndpoints(): FakeSqlTree {
  return new FakeSqlTree()
    .endpoint(...echo(1, 'types.echo', ofEveryType))
    .endpoint(
      {
        id: id(2),
        name: 'types.matches',
        parameters: { ...ofEveryType, ...SHARED },
        row: rowOf('matched STRING, id INT64'),
        warming: { batchOver: Object.keys(ofEveryType), maxKeys: 1000 },
      },
      `${matches((name) => `@${name}`, 'samples AS r WHERE', '')}\nORDER BY matched, id`,
      `${matches((name) => `keys.${name}`, 'samples AS r INNER JOIN UNNEST(@keys) AS keys ON', 'keys.key,')}\nORDER BY key, matched, id`,
    )
    .endpoint(...echo(3, 'types.keywords', KEYWORDS))
    .endpoint(
      {
        id: id(4),
        name: 'types.filters',
        parameters: {
          n: typed('INT64', { minimum: 0, default: '10' }),
          ids: typed('ARRAY<INT64>'),
          from: typed('DATE', { default: '0001-01-01' }),
          to: typed('DATE', { default: '9999-12-31' }),
        },
        row: rowOf('id INT64'),
      },
      `SELECT id FROM samples
      WHERE (ARRAY_LENGTH(@ids) = 0 OR id IN UNNEST(@ids)) AND date BETWEEN @from AND @to
      ORDER BY id LIMIT @n`,
    )
    .endpoint(
      {
        id: id(5),
        name: 'types.page',
        parameters: { n: typed('INT64'), skipped: typed('INT64', { default: '0' }) },
        row: rowOf('id INT64'),
      },
      'SELECT id FROM samples ORDER BY id LIMIT @n OFFSET @skipped',
    );
}

const KEYWORDS: Record<string, ParameterDefinition> = {
  listed: typed('INT64', { enum: ['1', '02', '3'], aliases: { one: '1', two: '2' } }),
  replaced: typed('DATE', { enum: ['2026-11-20', '2026-11-21'], otherwise: '2026-11-20' }),
  rounded: typed('INT64', { example: '5', enum: ['5', '10'], otherwise: '10' }),
  listed_list: typed('ARRAY<NUMERIC>', {
    ...{ example: '1', enum: ['1', '2.50'], aliases: { half: '2.5' } },
  }),
  replaced_list: typed('ARRAY<STRING>', { enum: ['a', 'b'], otherwise: 'b' }),
  given: typed('TIMESTAMP', { default: '2026-11-20T11:00:00+01:00' }),
  given_list: typed('ARRAY<INT64>', { default: ['07', '8'] }),
  bounded: typed('NUMERIC', { minimum: -1.5, maximum: 2 }),
  bounded_list: typed('ARRAY<FLOAT64>', { minimum: 0, maximum: 1e300 }),
  two_or_three: typed('ARRAY<BOOL>', { example: ['true', 'false'], minItems: 2, maxItems: 3 }),
  short: typed('ARRAY<STRING>', { minLength: 2, maxLength: 3, pattern: '^[a-z]+$', example: 'ab' }),
};
