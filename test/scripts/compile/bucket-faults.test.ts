// Tests of `bucket` and `unit` in endpoint.json: what is taken, and each fault at its place.
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { locateFaults } from '../../../scripts/faults/json-document.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../../support/sql/fake-sql-tree.ts';

const column = (type: string, mode = 'REQUIRED') => ({ type, mode, description: 'A column.' });
const DEFINITION = {
  ...endpointDefinition(),
  parameters: {
    span: parameter({ required: true, example: 'hour', enum: ['hour', 'day'] }),
    tenant: parameter(),
    zoom: parameter({ example: '1', enum: ['1'] }),
    spans: parameter({ type: 'ARRAY<STRING>', example: 'a', enum: ['a'] }),
  },
  row: {
    at: column('TIMESTAMP'),
    day: column('DATE'),
    days: column('DATE', 'REPEATED'),
    total: { ...column('INT64'), unit: 'ms' },
  },
};

/** The faults of the definition with other fields, each as `line:column: message`. */
function faultsOf(fields: object): string[] {
  const tree = new FakeSqlTree().endpoint({ ...DEFINITION, ...fields });
  try {
    const file = 'endpoints/group.example/endpoint.json';
    tree.write(file, JSON.stringify(JSON.parse(tree.read(file)), null, 1));
    const [inspected] = inspectCatalogue(tree.directory).endpoints;
    expect(inspected?.endpoint === undefined).toBe(inspected?.faults.length !== 0);
    return locateFaults(inspected?.faults ?? []).map(({ line, column: at, message }) => {
      // Of pretty-printed JSON the line names the field.
      const field = /"(\w+)"/.exec(tree.read(file).split('\n')[(line ?? 0) - 1] ?? '')?.[1];
      return `${field}, column ${at}: ${message}`;
    });
  } finally {
    tree.remove();
  }
}

const values = { hour: 'PT1H', day: 'P1D' };

it.each([
  { column: 'at', step: 'PT15M' },
  { column: 'day', step: 'P3M', missing: 'zero' },
  { column: 'at', step: { parameter: 'span', values } },
  { column: 'at', step: 'PT1H', window: 'P7D' },
  { column: 'at', step: 'PT1H', window: { parameter: 'span', values } },
  ...['PT1S', 'P1W', 'P1M', 'P1Y', 'P10D'].map((step) => ({ column: 'at', step })),
])('accepts %j', (bucket) => {
  expect(faultsOf({ bucket })).toEqual([]);
});

const DURATION =
  'must be a positive ISO 8601 duration with one unit, such as PT1S, PT15M, PT1H, P1D, P1W, P1M, P3M or P1Y';

it.each<[object, string]>([
  [{ column: 'at' }, 'bucket, column 2: bucket lacks the field step'],
  [{ step: 'PT1H' }, 'bucket, column 2: bucket lacks the field column'],
  [{ column: 'at', step: 60 }, 'step, column 3: bucket.step must be a string or an object'],
  ...['PT0S', 'P', 'PT', 'P1DT1H', '1h', 'PT1.5S', 'P1H', 'PT1D', '-P1D'].map(
    (step): [object, string] => [
      { column: 'at', step },
      `step, column 3: bucket.step ${DURATION}; or an object with a parameter and a duration for each of its values`,
    ],
  ),
  [
    { column: 'at', step: { parameter: 'span', values: { ...values, day: '1d' } } },
    `day, column 5: bucket.step.values.day ${DURATION}`,
  ],
  [
    { column: 'at', step: 'PT1H', window: '60M' },
    'window, column 3: bucket.window must be an ISO 8601 duration with one unit, such as PT60M or P7D, or an object as in step: how far back from the time of the query the rows reach',
  ],
  [
    { column: 'at', step: 'P1D', missing: 'null' },
    'missing, column 3: bucket.missing must be one of zero',
  ],
  [
    { column: 'hour', step: 'PT1H' },
    'column, column 3: bucket.column is hour, which is not in row',
  ],
  [
    { column: 'total', step: 'PT1H' },
    'column, column 3: bucket.column is total, which is INT64: a bucket starts at a DATE, DATETIME or TIMESTAMP',
  ],
  [
    { column: 'days', step: 'P1D' },
    'column, column 3: bucket.column is days, which is REPEATED DATE: a bucket starts at a DATE, DATETIME or TIMESTAMP',
  ],
  [
    { column: 'day', step: 'PT1H' },
    'step, column 3: bucket.step is PT1H, which is not a number of days, and day is a DATE',
  ],
  [
    { column: 'day', step: { parameter: 'span', values } },
    'hour, column 5: bucket.step.values.hour is PT1H, which is not a number of days, and day is a DATE',
  ],
  ...Object.entries({
    nix: 'is not a parameter',
    tenant: 'has no enum',
    spans: 'is an ARRAY',
    zoom: 'is optional: set required, or add a default',
  }).map(([name, fault]): [object, string] => [
    { column: 'at', step: { parameter: name, values: { 1: 'P1D' } } },
    `parameter, column 4: bucket.step.parameter is ${name}, which ${fault}`,
  ]),
  [
    { column: 'at', step: { parameter: 'span', values: { ...values, week: 'P1W' } } },
    'week, column 5: bucket.step.values has week, which is not in the enum of span (hour, day)',
  ],
  [
    { column: 'at', step: { parameter: 'span', values: { hour: 'PT1H' } } },
    'values, column 4: bucket.step.values has no duration for day, in the enum of span',
  ],
])('rejects %j', (bucket, fault) => {
  expect(faultsOf({ bucket })).toEqual([fault]);
});

it('rejects an alias as a value, because aliases are resolved before', () => {
  const { span, ...others } = DEFINITION.parameters;
  const parameters = { ...others, span: { ...span, aliases: { '1hr': 'hour' } } };
  const step = { parameter: 'span', values };
  expect(faultsOf({ parameters, bucket: { column: 'at', step } })).toEqual([]);
  const aliased = { ...step, values: { ...values, '1hr': 'PT1H' } };
  expect(faultsOf({ parameters, bucket: { column: 'at', step: aliased } })).toEqual([
    '1hr, column 5: bucket.step.values has 1hr, which is not in the enum of span (hour, day)',
  ]);
});

it('ignores a column or parameter that has a fault itself', () => {
  const row = { ...DEFINITION.row, at: column('TIME_STAMP') };
  const parameters = { ...DEFINITION.parameters, span: { ...DEFINITION.parameters.span, unit: 1 } };
  const bucket = { column: 'at', step: { parameter: 'span', values } };
  expect(faultsOf({ row, parameters, bucket })).toEqual([
    expect.stringContaining('parameters.span has the unknown field unit'),
    expect.stringContaining('row.at.type must be one of '),
  ]);
});

it('rejects an empty unit', () => {
  const row = { total: { ...column('INT64'), unit: '' } };
  expect(faultsOf({ row })).toEqual(['unit, column 4: row.total.unit must not be empty']);
});
