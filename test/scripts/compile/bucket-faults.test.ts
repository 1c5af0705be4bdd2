// Tests of `bucket` and `unit` in endpoint.json: what is taken, and each fault at its place.
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { locateFaults } from '../../../scripts/faults/json-document.ts';
import {
  FakeSqlTree,
  endpointDefinition,
  parameter,
  rowOf,
} from '../../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';

const DEFINITION = {
  ...endpointDefinition(),
  parameters: {
    span: parameter({ required: true, example: 'hour', enum: ['hour', 'day'] }),
    tenant: parameter(),
    zoom: parameter({ example: '1', enum: ['1'] }),
    spans: parameter({ type: 'ARRAY<STRING>', example: 'a', enum: ['a'] }),
  },
  row: rowOf('at TIMESTAMP, day DATE, days DATE REPEATED, total INT64'),
};

/** The faults of the definition with other fields, each as `line:column: message`. */
function faultsOf(fields: object): string[] {
  const tree = new FakeSqlTree().endpoint({ ...DEFINITION, ...fields });
  const file = 'endpoints/group.example/endpoint.json';
  tree.write(file, JSON.stringify(JSON.parse(tree.read(file)), null, 1));
  const lines = tree.read(file).split('\n');
  const [inspected] = inspectCatalogue(tree.directory).endpoints;
  expect(inspected?.endpoint === undefined).toBe(inspected?.faults.length !== 0);
  return locateFaults(inspected?.faults ?? []).map(({ line, column: at, message }) => {
    // Of pretty-printed JSON the line names the field.
    const field = /"(\w+)"/.exec(lines[(line ?? 0) - 1] ?? '')?.[1];
    return `${field}, column ${at}: ${message}`;
  });
}

const values = { hour: 'PT1H', day: 'P1D' };

it.each([
  { column: 'at', step: 'PT15M' },
  { column: 'day', step: 'P3M', missing: 'zero' },
  { column: 'at', step: { parameter: 'span', values } },
  { column: 'at', step: 'PT1H', window: 'P7D', zone: 'Europe/Berlin' },
  { column: 'at', step: 'PT1H', window: { parameter: 'span', values } },
  ...['PT1S', 'P1W', 'P1M', 'P1Y', 'P10D'].map((step) => ({ column: 'at', step })),
])('accepts %j', (bucket) => {
  expect(faultsOf({ bucket })).toEqual([]);
});

it.each(readExpectations('test/scripts/compile/wrong-buckets.txt').buckets ?? [])(
  'rejects %s: %s',
  (bucket, fault) => {
    expect(faultsOf({ bucket: JSON.parse(bucket) as unknown })).toEqual([fault]);
  },
);

it('rejects an alias as a value, because aliases are resolved before', () => {
  const ofSpan = (spans: object) => ({ column: 'at', step: { parameter: 'span', values: spans } });
  const { span, ...others } = DEFINITION.parameters;
  const parameters = { ...others, span: { ...span, aliases: { '1hr': 'hour' } } };
  expect(faultsOf({ parameters, bucket: ofSpan(values) })).toEqual([]);
  expect(faultsOf({ parameters, bucket: ofSpan({ ...values, '1hr': 'PT1H' }) })).toEqual([
    '1hr, column 5: bucket.step.values has 1hr, which is not in the enum of span (hour, day)',
  ]);
});

it('accepts a unit of a column that is not empty', () => {
  const { total, ...others } = DEFINITION.row;
  const withUnit = (unit: string) => ({ row: { ...others, total: { ...total, unit } } });
  expect(faultsOf(withUnit('ms'))).toEqual([]);
  expect(faultsOf(withUnit(''))).toEqual(['unit, column 4: row.total.unit must not be empty']);
});
