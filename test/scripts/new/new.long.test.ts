// Tests of `npm run new`: it creates an endpoint or a source that passes the check, or changes nothing.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { EndpointDefinition } from '../../../functions/endpoints/endpoint.ts';
import { main as checkMain } from '../../../scripts/check.ts';
import { main } from '../../../scripts/new.ts';
import { writeFolder } from '../../../scripts/new/write-folder.ts';
import { runCommand } from '../../support/command.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';
import {
  type Command,
  ofMain,
  runTranscript,
  transcriptsOf,
} from '../../support/sql/transcripts.ts';

const NOW = '2026-11-20T10:15:00Z';

const copy = (): FakeSqlTree => new FakeSqlTree(TEST_SQL);
const withTables = (): FakeSqlTree =>
  copy()
    .source(
      'orders',
      'order_id STRING REQUIRED, customer_id STRING REQUIRED, amount NUMERIC REQUIRED, order_day DATE REQUIRED',
      {
        partitioning: { type: 'DAY', field: 'order_day' },
        requirePartitionFilter: true,
      },
    )
    .replace(
      'sources/orders/schema.json',
      '"order_day"',
      '"order_day","description":"Day of the order."',
    )
    .write(
      'sources/orders/sample.ndjson',
      `{"order_id": "o-1", "customer_id": "c-1", "order_day": "2020-02-29", "amount": "80.00"}
{"order_id": "o-2", "customer_id": "c-1", "order_day": "2026-11-20", "amount": "120.50"}
{"order_id": "o-3", "customer_id": "c-2", "order_day": "2026-11-20", "amount": "19.90"}
{"order_id": "o-4", "customer_id": "c-3", "order_day": "2026-11-20", "amount": "45.00"}
`,
    )
    .source('customers', 'customer_id STRING, country STRING, segment STRING')
    .write(
      'sources/customers/sample.ndjson',
      `{"customer_id": "c-1", "country": "DE", "segment": "business"}
{"customer_id": "c-2", "country": "DE", "segment": "private"}
{"customer_id": "c-3", "country": "FR", "segment": "private"}
`,
    );

const filesOf = ({ directory }: FakeSqlTree): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();

const definition = (tree: FakeSqlTree, name: string) =>
  JSON.parse(tree.read(`endpoints/${name}/endpoint.json`)) as EndpointDefinition;

it.each([
  ...transcriptsOf('test/scripts/new/new-endpoint.txt').map((one) => [...one, withTables] as const),
  ...transcriptsOf('test/scripts/new/new-source.txt').map((one) => [...one, copy] as const),
])('%s', (_, transcript, newTree) => {
  const command = ofMain(main, { option: '--directory', now: NOW });
  /** What it refuses, it does not begin. */
  const create: Command = async (tree, ...given) => {
    const before = filesOf(tree);
    const said = (await command(tree, ...given)) ?? '';
    if (said.endsWith(']\n')) expect(filesOf(tree)).toEqual(before);
    return said;
  };
  const lines = (fields: object): string =>
    Object.entries(fields)
      .map(([name, one]) => `${name} ${JSON.stringify(one)}\n`)
      .join('');

  return runTranscript(transcript, newTree(), {
    new: create,
    newline: (tree, args, ...rest) => create(tree, args.replace('|', '\n'), ...rest),
    check: ofMain(checkMain, { now: NOW }),
    parameters: (tree, name) => lines(definition(tree, name).parameters),
    row: (tree, name) => lines(definition(tree, name).row),
    gzip: (tree, file) =>
      void writeFileSync(join(tree.directory, `${file}.gz`), gzipSync(tree.read(file))),
  });
});

const run = ({ directory }: FakeSqlTree, ...args: string[]) =>
  runCommand(main, ['--directory', directory, ...args], {}, () => Date.parse(NOW));

it.each(readExpectations('test/scripts/new/refused-queries.sql').refused ?? [])(
  'creates nothing for %j',
  async (sql, fault) => {
    const tree = withTables();
    const before = filesOf(tree.write('wrong.sql', sql));
    const file = join(tree.directory, 'wrong.sql');
    // Without a place, a fault is one of the definition.
    const stderr = `Error: ${fault.startsWith(':') ? file : ''}${fault}\n`;
    expect(await run(tree, 'wrong.query', '--sql', file)).toEqual({ code: 1, stdout: '', stderr });
    expect(filesOf(tree)).toEqual(before);
  },
);

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('creates nothing after %s', async (signal) => {
  const tree = withTables();
  const before = filesOf(tree.write('query.sql', 'SELECT country FROM customers'));
  let stderr = '';
  const query = join(tree.directory, 'query.sql');
  const args = ['--directory', tree.directory, 'killed.early', '--sql', query];
  const code = await main(args, {
    env: {},
    print: () => undefined,
    note: (line) => void (stderr += line),
    nowMs: () => {
      process.emit(signal);
      return Date.parse(NOW);
    },
  });
  expect([code, stderr]).toEqual([1, 'Error: Interrupted; nothing was created.']);
  expect(filesOf(tree)).toEqual(before);
});

it('creates nothing if the folder cannot be written', () => {
  const tree = withTables();
  const draft = join(tree.directory, 'draft');
  mkdirSync(draft);
  writeFileSync(join(draft, 'a'), 'a');
  const before = filesOf(tree);
  // The copy is complete when its last name is refused.
  const folder = join(tree.directory, 'sources', 't'.repeat(300));
  expect(() => writeFolder(draft, folder)).toThrow(
    `${folder}: cannot be written, so nothing was: `,
  );
  expect(filesOf(tree)).toEqual(before);
});

it('the batches in sql/README.md pass the check', async () => {
  const [, text = ''] = readFileSync('sql/README.md', 'utf8').split('## Many results in one job');
  const [query = '', warm = ''] = [...text.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql);
  const tree = withTables();
  for (const [name, ofName] of [
    ['sales.segments', query],
    ['sales.largest', `${query}LIMIT 3\n`],
  ] as const) {
    tree.write('query.sql', ofName);
    await run(tree, name, '--sql', join(tree.directory, 'query.sql'));
    const warming = { batchOver: ['country'] };
    tree.write(`endpoints/${name}/endpoint.json`, { ...definition(tree, name), warming });
  }
  tree.write('endpoints/sales.largest/warm.sql', warm);
  const { stdout } = await runCommand(checkMain, ['--sql', tree.directory, 'sales']);
  expect(stdout).toMatch(
    /^ok {2}sales.largest \(2 columns, 1 test\)\n.*\nok {2}sales.segments .*\n.*\n {4}batch: one job for many values of country, derived from query.sql; /,
  );
});

it('uses the first of many rows as the sample, and reports it', async () => {
  const rows = Array.from({ length: 5002 }, (_, n) => `{"n": ${n === 5001 ? 0.5 : n}}\n`);
  const tree = copy().write('rows', rows.join(''));
  const { stderr } = await run(tree, '--source', 't', '--from', join(tree.directory, 'rows'));
  expect(stderr).toBe(
    'sample.ndjson contains the first 5000 of 5002 rows; the columns were inferred from all rows.\n',
  );
  expect(tree.read('sources/t/sample.ndjson').split('\n')).toHaveLength(5001);
  expect(tree.read('sources/t/schema.json')).toContain('"FLOAT"');
});

it.each([
  ['one shard that is not the last', '`a.alarms_20261103`', 'TRUE', /first\.json {2}\d+ row/],
  ['some shards', '`a.alarms_*`', "_TABLE_SUFFIX < '20261103'", /first\.json {2}\d+ rows?,/],
  [
    'a value that few rows have',
    '`a.alarms_*`',
    "_TABLE_SUFFIX > '2026' AND n = 7",
    /first\.json {2}1 row,/,
  ],
])('the first test of a query of %s has what it reads', async (_, table, condition, told) => {
  const rows = Array.from({ length: 200 }, (_row, n) => {
    const day = String(1 + Math.floor(n / 10)).padStart(2, '0');
    return `{"_TABLE_SUFFIX": "202611${day}", "n": ${n}}\n`;
  });
  const tree = copy()
    .write('rows', rows.join(''))
    .write('few.sql', `SELECT n FROM ${table} WHERE ${condition} ORDER BY n`);
  await run(tree, '--source', 'a.alarms_*', '--from', join(tree.directory, 'rows'));
  const { stdout } = await run(tree, 'alarms.few', '--sql', join(tree.directory, 'few.sql'));
  expect(stdout).toMatch(told);
});
