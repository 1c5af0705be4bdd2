// Each fault of a table's folder, in the words that `npm run check`, `npm start` and the deployment print.
import { join } from 'node:path';
import { formatFault } from '../../../scripts/faults/definition-fault.ts';
import { inspectSources } from '../../../scripts/sources/read-sources.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';
import { runTranscript, transcriptsOf } from '../../support/sql/transcripts.ts';

const wrong = readExpectations('test/scripts/sources/wrong-sources.txt');

const inspect = ({ directory }: FakeSqlTree) => inspectSources(join(directory, 'sources'));

it.each(transcriptsOf('test/scripts/sources/read-sources.txt'))('%s', (_, transcript) =>
  runTranscript(transcript, new FakeSqlTree(), {
    faults: async (tree) =>
      (await inspect(tree)).faults.map((fault) => `${formatFault(fault)}\n`).join(''),
    sources: async (tree) =>
      (await inspect(tree)).sources.map((source) => `${JSON.stringify(source)}\n`).join(''),
  }),
);

/** The faults of a folder, by default `orders`, with these two files. */
async function faultsOf(schema: string, table?: string, name = 'orders'): Promise<string[]> {
  const tree = new FakeSqlTree().write(`sources/${name}/schema.json`, schema);
  if (table !== undefined) tree.write(`sources/${name}/table.json`, table);
  const { faults } = await inspect(tree);
  const place = `${tree.directory}/sources/`;
  return faults.map((fault) => formatFault(fault).replaceAll(place, ''));
}

/** The lines of `faults` with the file before each; none if there is no fault. */
const within = (file: string, faults: string): string[] =>
  faults === '' ? [] : faults.split('\n').map((fault) => `${file}:${fault}`);

const SCHEMA = JSON.stringify([
  { name: 'order_id', type: 'STRING', mode: 'REQUIRED' },
  { name: 'order_day', type: 'DATE', mode: 'REQUIRED', description: 'Day of the order.' },
  { name: 'ordered_at', type: 'DATETIME' },
  { name: 'paid_at', type: 'TIMESTAMP' },
  { name: 'amount', type: 'FLOAT' },
  { name: 'tags', type: 'STRING', mode: 'REPEATED' },
  { name: 'items', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'sku', type: 'STRING' }] },
]);

it.each([
  ['', '1:1: not valid JSON: value expected'],
  ['\n {"fields": []}', '2:2: schema.json must be a list'],
  [
    `[{"name": "${'x'.repeat(301)}", "type": "STRING"}]`,
    `1:3: ${'x'.repeat(301)}.name must have at most 300 characters`,
  ],
  ...(wrong.schemas ?? []),
])('reports for the schema.json %j', async (schema, faults) => {
  expect(await faultsOf(schema)).toEqual(within('orders/schema.json', faults));
});

it.each(wrong.tables ?? [])('reports for the table.json %j', async (table, faults) => {
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

it.each(wrong.folders ?? [])(
  'reports for a folder with this table.json: %s',
  async (content, faults) => {
    const [, name = '', table = ''] = /^(\S+) (.*)$/s.exec(content) ?? [];
    expect(await faultsOf(SCHEMA, table, name)).toEqual(within(`${name}/table.json`, faults));
  },
);
