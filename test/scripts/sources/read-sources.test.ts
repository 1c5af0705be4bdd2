// Each fault of a table's folder, in the words that `npm run check`, `npm start` and the deployment print.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatFault } from '../../../scripts/faults/definition-fault.ts';
import { inspectSources, readSources } from '../../../scripts/sources/read-sources.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { testDirectory } from '../../support/temporary-directory.ts';

const {
  schemas = [],
  tables = [],
  folders = [],
} = readExpectations('test/scripts/sources/wrong-sources.txt');

let directory: string;

beforeEach(() => void (directory = testDirectory('sources-')));

function writeTable(name: string, files: Record<string, string>): void {
  mkdirSync(join(directory, name));
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(directory, name, file), text);
  }
}

/** The faults of a folder, by default `orders`, with these two files. */
async function faultsOf(schema: string, table?: string, name = 'orders'): Promise<string[]> {
  writeTable(name, {
    'schema.json': schema,
    ...(table === undefined ? {} : { 'table.json': table }),
  });
  const { faults } = await inspectSources(directory);
  return faults.map((fault) => formatFault(fault).replaceAll(`${directory}/`, ''));
}

/** The lines of `faults` with the file before each; none if there is no fault. */
const within = (file: string, faults: string): string[] =>
  faults === '' ? [] : faults.split('\n').map((fault) => `${file}:${fault}`);

const COLUMNS = [
  { name: 'order_id', type: 'STRING', mode: 'REQUIRED' },
  { name: 'order_day', type: 'DATE', mode: 'REQUIRED', description: 'Day of the order.' },
  { name: 'ordered_at', type: 'DATETIME' },
  { name: 'paid_at', type: 'TIMESTAMP' },
  { name: 'amount', type: 'FLOAT' },
  { name: 'tags', type: 'STRING', mode: 'REPEATED' },
  { name: 'items', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'sku', type: 'STRING' }] },
];
const SCHEMA = JSON.stringify(COLUMNS);

it('reads the tables in the order of their names', async () => {
  const table = {
    partitioning: { type: 'MONTH', field: 'order_day' },
    clustering: ['order_id'],
    requirePartitionFilter: true,
  };
  writeTable('orders', {
    'schema.json': SCHEMA,
    'table.json': JSON.stringify({ $schema: 'x', ...table }),
    'notes.txt': 'is ignored',
  });
  writeTable('customers', { 'schema.json': '[{"name": "id", "type": "STRING"}]' });
  writeFileSync(join(directory, 'README.md'), 'is ignored');
  const plain = { partitioning: null, clustering: [], requirePartitionFilter: false };
  expect(await readSources(directory)).toEqual([
    { name: 'customers', fields: [{ name: 'id', type: 'STRING' }], definition: plain },
    { name: 'orders', fields: COLUMNS, definition: table },
  ]);
});

it('accepts the types of BigQuery in all spellings', async () => {
  const types =
    'STRING BYTES INTEGER INT64 INT SMALLINT BIGINT TINYINT BYTEINT FLOAT FLOAT64 NUMERIC DECIMAL BIGNUMERIC BIGDECIMAL BOOLEAN BOOL TIMESTAMP DATETIME DATE TIME JSON INTERVAL GEOGRAPHY string';
  const columns = types.split(' ').map((type, index) => ({ name: `column_${index}`, type }));
  const nested = [
    { name: 'record', type: 'RECORD', mode: 'nullable', fields: columns },
    { name: 'struct', type: 'STRUCT', fields: columns },
    { name: 'range', type: 'RANGE', rangeElementType: { type: 'DATE' } },
  ];
  expect(await faultsOf(JSON.stringify([...columns, ...nested]))).toEqual([]);
});

it('accepts names with other letters than those of a programming language', async () => {
  const names = ['_id', '2024', 'prix unitaire', 'Größe', '名前', 'a-b', 'a&b%c=d+e:f'];
  const schema = [...names, 'x'.repeat(300)].map((name) => ({ name, type: 'STRING' }));
  expect(await faultsOf(JSON.stringify(schema))).toEqual([]);
});

it.each([
  ['', '1:1: not valid JSON: value expected'],
  ['\n {"fields": []}', '2:2: schema.json must be a list'],
  [
    `[{"name": "${'x'.repeat(301)}", "type": "STRING"}]`,
    `1:3: ${'x'.repeat(301)}.name must have at most 300 characters`,
  ],
  ...schemas,
])('reports for the schema.json %j', async (schema, faults) => {
  expect(await faultsOf(schema)).toEqual(within('orders/schema.json', faults));
});

it.each(tables)('reports for the table.json %j', async (table, faults) => {
  expect(await faultsOf(SCHEMA, table)).toEqual(within('orders/table.json', faults));
});

const CLUSTERED = 'BIGNUMERIC BOOL DATE DATETIME GEOGRAPHY INT64 NUMERIC RANGE STRING TIMESTAMP';
const NOT_CLUSTERED = 'BYTES FLOAT64 INTERVAL JSON TIME';

it.each(`${CLUSTERED} ${NOT_CLUSTERED}`.split(' '))('checks a clustering by %s', async (type) => {
  const schema = JSON.stringify([{ name: 'a', type, rangeElementType: { type: 'DATE' } }]);
  const fault = `orders/table.json:1:17: clustering: a is ${type}, a type that BigQuery cannot cluster by`;
  expect(await faultsOf(schema, '{"clustering": ["a"]}')).toEqual(
    CLUSTERED.split(' ').includes(type) ? [] : [fault],
  );
});

it.each(folders)('reports for a folder with this table.json: %s', async (content, faults) => {
  const [, name = '', table = ''] = /^(\S+) (.*)$/s.exec(content) ?? [];
  expect(await faultsOf(SCHEMA, table, name)).toEqual(within(`${name}/table.json`, faults));
});

it.each([
  ['a.b.c', 'name the folder table or dataset.table; the project belongs in table of table.json'],
  [
    'my-crm.customers',
    'BigQuery does not allow the dataset name "my-crm"; use letters, digits and _',
  ],
  ['crm.events_*', 'BigQuery does not allow the table name "events_*"; use letters, digits and _'],
  ['crm.', 'BigQuery does not allow the table name ""; use letters, digits and _'],
])('rejects the folder name %s', async (name, message) => {
  expect(await faultsOf(SCHEMA, undefined, name)).toEqual([`${name}: ${message}`]);
});

it('finds columns with an invalid type, and reports the type only once', async () => {
  const table = '{"partitioning": {"type": "DAY", "field": "day"}, "clustering": ["day"]}';
  expect(await faultsOf('[{"name": "day", "type": "DAT"}]', table)).toEqual([
    'orders/schema.json:1:18: day: BigQuery has no type "DAT"',
  ]);
});

it('requires schema.json in every folder, and checks table.json even without it', async () => {
  writeTable('customers', {});
  writeTable('orders', { 'table.json': '{"clustering": []}' });
  const { sources, faults } = await inspectSources(directory);
  expect(sources).toEqual([]);
  expect(faults.map((fault) => formatFault(fault).replaceAll(`${directory}/`, ''))).toEqual([
    'customers/schema.json: there is no such file; every table needs its columns',
    'orders/schema.json: there is no such file; every table needs its columns',
    'orders/table.json:1:2: clustering must not be empty',
  ]);
});

it('uses no table with a fault', async () => {
  const fields = [{ name: 'day', type: 'DATE' }];
  const clustering = ['day'];
  writeTable('customers', { 'schema.json': '[{"name": "id", "type": "STRNG"}]' });
  for (const name of ['orders', 'visits']) {
    const table = { clustering: name === 'orders' ? 'day' : clustering, $schema: 'a' };
    writeTable(name, {
      'schema.json': JSON.stringify(fields),
      'table.json': JSON.stringify(table),
    });
  }
  expect((await inspectSources(directory)).sources).toEqual([
    {
      name: 'visits',
      fields,
      definition: { partitioning: null, clustering, requirePartitionFilter: false },
    },
  ]);
});
