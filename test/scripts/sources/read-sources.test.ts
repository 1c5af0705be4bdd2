// Each fault of a table's folder, in the words that `npm run check`, `npm start` and the deployment print.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatFault } from '../../../scripts/faults/definition-fault.ts';
import { inspectSources, readSources } from '../../../scripts/sources/read-sources.ts';
import { testDirectory } from '../../support/temporary-directory.ts';

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

it.each(
  Object.entries<string | string[]>({
    '': '1:1: not valid JSON: value expected',
    '[\n  {"name": "a" "type": "STRING", "mode" "REQUIRED"},\n  {"name": "b", "type": "STRING",}\n]':
      ['2:16: not valid JSON: comma expected', '3:34: not valid JSON: property name expected'],
    '// columns\n[]': '1:1: not valid JSON: invalid comment token',
    '\n {"fields": []}': '2:2: expected a list of columns, as `bq show --schema` prints it',
    '[]': '1:1: expected a list of columns, as `bq show --schema` prints it',
    '["order_id"]': '1:2: expected a column, an object with name and type',
    '[\n {"type": "STRING"},\n {"name": "", "type": "STRING"},\n {"name": 1, "type": "STRING"}\n]':
      ['2:2: the column has no name', '3:2: the column has no name', '4:2: the column has no name'],
    '[{"name": "a", "type": "RECORD", "fields": [\n {"type": "STRING"}\n]}]':
      '2:2: the column has no name (in a)',
    '[\n{"name": "day", "type": "DATE"},\n{"name": "Day", "type": "RECORD", "fields": [{"name": "a", "type": "DATE"},\n {"name": "a", "type": "DATE"}]}\n]':
      [
        '3:2: Day: duplicate name (ignoring letter case)',
        '4:3: Day.a: duplicate name (ignoring letter case)',
      ],
    '[{"name": "a.b", "type": "STRING"}]':
      '1:3: a.b: BigQuery does not allow this name; use letters, digits and _',
    '[{"name": "_PartitionTime", "type": "TIMESTAMP"}]':
      '1:3: _PartitionTime: BigQuery reserves names that begin with _Partition',
    [`[{"name": "${'x'.repeat(301)}", "type": "STRING"}]`]: `1:3: ${'x'.repeat(301)}: a name has at most 300 characters`,
    '[\n {"name": "a"},\n {"name": "b", "type": "STRNG"},\n {"name": "c", "type": 7}\n]': [
      '2:2: a: the column has no type',
      '3:16: b: BigQuery has no type "STRNG"',
      '4:16: c: BigQuery has no type 7',
    ],
    '[{"name": "a", "type": "STRING",\n  "modes": "REQUIRED"}]':
      '2:3: a: a BigQuery column has no field modes',
    '[{"name": "a", "type": "STRING",\n  "mode": "OPTIONAL"}]':
      '2:3: a: mode is NULLABLE, REQUIRED, REPEATED or absent, not "OPTIONAL"',
    '[{"name": "a", "type": "RECORD"},\n {"name": "b", "type": "STRUCT", "fields": []}]': [
      '1:2: a: a RECORD needs fields',
      '2:34: b: a RECORD needs fields',
    ],
    '[{"name": "a", "type": "RANGE"}]':
      '1:2: a: a RANGE needs rangeElementType, such as {"type": "DATE"}',
  }),
)('reports for the schema.json %j', async (schema, faults) => {
  const expected = [faults].flat().map((fault) => `orders/schema.json:${fault}`);
  expect(await faultsOf(schema)).toEqual(expected);
});

it.each(
  Object.entries<string | string[]>({
    '{"partitioning": {"type": "DAY", "field": "order_day"}\n "clustering": ["order_id"]}':
      '2:2: not valid JSON: comma expected',
    '[]': '1:1: table.json must be an object',
    [`{
  "partitioning": { "type": "WEEK", "expirationDays": 90 },
  "clustering": ["order_id", "order_id"],
  "requirePartitionFilter": "yes",
  "partitionBy": "order_day"
}`]: [
      '2:21: partitioning.type must be one of HOUR, DAY, MONTH, YEAR',
      '2:37: partitioning has the unknown field expirationDays',
      '3:3: clustering contains the same value twice',
      '4:3: requirePartitionFilter must be true or false',
      '5:3: table.json has the unknown field partitionBy',
    ],
    '{"clustering": ["a", "b", "c", "d", "e"]}': '1:2: clustering must have at most 4 values',
    '{"partition": "order_day",\n "clustering": ["customer"]}': [
      '1:2: table.json has the unknown field partition',
      '2:17: clustering: schema.json has no column customer',
    ],
    '{"partitioning": {"type": "DAY",\n  "field": "day"}}':
      '2:3: partitioning.field: schema.json has no column day',
    '{"partitioning": {"type": "DAY", "field": "Order_Day"}}':
      '1:34: partitioning.field: schema.json has no column Order_Day; did you mean order_day?',
    '{"partitioning": {"type": "DAY", "field": "items.sku"}}':
      '1:34: partitioning.field: items.sku is nested in items; name a column at the top',
    '{"partitioning": {"type": "DAY", "field": "tags"}}':
      '1:34: partitioning.field: tags is REPEATED',
    '{"partitioning": {"type": "DAY", "field": "order_id"}}':
      '1:34: partitioning.field: order_id is STRING, not TIMESTAMP, DATETIME or DATE',
    '{"partitioning": {"type": "HOUR", "field": "order_day"}}':
      '1:19: partitioning.type: order_day is DATE, which has no hours',
    '{"clustering": ["customer",\n "tags",\n "items.sku",\n "amount"]}': [
      '1:17: clustering: schema.json has no column customer',
      '2:2: clustering: tags is REPEATED',
      '3:2: clustering: items.sku is nested in items; name a column at the top',
      '4:2: clustering: amount is FLOAT, a type that BigQuery cannot cluster by',
    ],
    '{"partitioning": "DAY", "requirePartitionFilter": true}':
      '1:2: partitioning must be an object or null',
    '{"partitioning": null,\n "requirePartitionFilter": true}':
      '2:2: requirePartitionFilter needs partitioning or shards',
  }),
)('reports for the table.json %j', async (table, faults) => {
  const expected = [faults].flat().map((fault) => `orders/table.json:${fault}`);
  expect(await faultsOf(SCHEMA, table)).toEqual(expected);
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

it.each(
  Object.entries<string | string[]>({
    'orders {"table": "orders"}':
      '1:2: table must be the full name of an existing table: project.dataset.table, or dataset.table in the project in which queries run; for shards the wildcard, such as analytics_1.events_*',
    'crm.customers {"table": "acme-crm.sales.customers"}':
      '1:2: table: queries of crm.customers read crm.customers, with or without a project',
    'crm.customers {"table": "crm.people"}':
      '1:2: table: queries of crm.customers read crm.customers, with or without a project',
    'events {"table": "analytics_1.events_*"}': '1:2: table: a wildcard needs shards',
    'events {"shards": {"prefix": "events_", "format": "YYYYMMDD"}}':
      '1:2: shards: name the folder as queries name them, such as analytics.events',
    'analytics_1.visits {"shards": {"prefix": "events_", "format": "YYYYMMDD"}}':
      '1:13: shards.prefix: the folder of these tables is analytics_1.events',
    'analytics_1.events {"shards": {"prefix": "events_*", "format": "YYYY-MM-DD"}}': [
      '1:13: shards.prefix must be the prefix of the table names, such as events_',
      '1:35: shards.format must be one of YYYY, YYYYMM, YYYYMMDD, YYYYMMDDHH',
    ],
    'analytics_1.events {"shards": {"prefix": "events_", "format": "YYYYMMDD"},\n"table": "analytics_1.events_20261120"}':
      '2:1: table: queries of analytics_1.events read analytics_1.events_*, with or without a project',
    'analytics_1.events {"shards": {"prefix": "events_", "format": "YYYYMMDD"}, "partitioning": {"type": "DAY"}}':
      '1:2: shards: a source has shards or partitions',
    'orders {"table": "shop.orders", "partitioning": {"type": "DAY"}}':
      '1:26: partitioning: a view hides _PARTITIONTIME: name the folder shop.orders',
    'shop.orders {"partitioning": {"type": "DAY", "expires": true}}':
      '1:34: partitioning.expires: no deployment creates this table',
    // Accepted.
    'orders {}': [],
    'orders {"partitioning": null}': [],
    'orders {"partitioning": {"type": "HOUR", "field": "paid_at"}}': [],
    'orders {"partitioning": {"type": "HOUR", "field": "ordered_at"}, "requirePartitionFilter": true}':
      [],
    'orders {"partitioning": {"type": "YEAR", "field": "order_day"}}': [],
    'orders {"clustering": ["order_id", "order_day", "ordered_at", "paid_at"]}': [],
    'orders {"table": "acme-shop.shop.orders"}': [],
    'orders {"table": "example.com:acme.shop.Old orders"}': [],
    'orders {"partitioning": {"type": "HOUR"}, "requirePartitionFilter": true}': [],
    'crm.customers {}': [],
    'crm.customers {"table": "crm.customers"}': [],
    'crm.customers {"table": "acme-crm.crm.customers", "partitioning": {"type": "DAY"}}': [],
    'analytics_1.events {"table": "acme-web.analytics_1.events_*", "shards": {"prefix": "events_", "format": "YYYYMMDD"}, "requirePartitionFilter": true}':
      [],
    'noaa.gsod {"shards": {"prefix": "gsod", "format": "YYYY"}}': [],
  }),
)('reports for a folder with this table.json: %s', async (content, faults) => {
  const [, name = '', table = ''] = /^(\S+) (.*)$/s.exec(content) ?? [];
  const expected = [faults].flat().map((fault) => `${name}/table.json:${fault}`);
  expect(await faultsOf(SCHEMA, table, name)).toEqual(expected);
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

it('reports every fault of every folder', async () => {
  writeTable('customers', { 'schema.json': '[{"name": "id"}]' });
  writeTable('orders', {
    'schema.json': '[\n{"name": "a", "type": "STRNG"},\n{"type": "DATE"}]',
    'table.json': '{"shards": 3}',
  });
  const lines = [
    'customers/schema.json:1:2: id: the column has no type',
    'orders/schema.json:2:15: a: BigQuery has no type "STRNG"',
    'orders/schema.json:3:1: the column has no name',
    'orders/table.json:1:2: shards must be an object',
  ];
  const message = lines.map((line) => `${directory}/${line}`).join('\n');
  await expect(readSources(directory)).rejects.toMatchObject({ message });
});

it('uses a table whose columns are valid, even if its table.json has a fault, and no other', async () => {
  const fields = [{ name: 'day', type: 'DATE' }];
  const partitioning = { type: 'DAY', field: 'day' };
  writeTable('customers', { 'schema.json': '[{"name": "id", "type": "STRNG"}]' });
  writeTable('orders', {
    'schema.json': JSON.stringify(fields),
    'table.json': JSON.stringify({ partitioning, clustering: 'day' }),
  });
  expect((await inspectSources(directory)).sources).toEqual([
    {
      name: 'orders',
      fields,
      definition: { partitioning, clustering: [], requirePartitionFilter: false },
    },
  ]);
});

it('reports a missing directory of sources', async () => {
  await expect(readSources('/no/such/sources')).rejects.toThrow(
    /^There is no directory \/no\/such\/sources\.$/,
  );
});
