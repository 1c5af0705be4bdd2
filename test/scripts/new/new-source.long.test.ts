// Tests of `npm run new -- --source TABLE`: it creates a source from rows, or changes nothing.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { main as check } from '../../../scripts/check.ts';
import { writeFolder } from '../../../scripts/new/write-folder.ts';
import { runCommand } from '../../support/command.ts';
import { columns } from '../../support/sql/columns.ts';
import { NewTables, ndjson } from './new-tables.ts';
import { casesBeside } from '../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

let made: NewTables;
beforeEach(() => void (made = new NewTables()));

const schema = (): unknown => made.json('sources/t/schema.json');
const from = (content: string | Uint8Array, ...more: string[]) =>
  made.new('--source', 't', '--from', made.file('rows', content), ...more);

const ROWS = `{"id": 1, "price": 1, "ok": true, "day": "2026-11-20", "at": "2026-11-20T10:00:00Z", "local": "2026-11-20 10:00:00", "name": "a", "tags": ["x"], "place": {"city": "Bonn", "geo": [{"lat": 1.5}]}}

{"id": 2, "price": 2.5, "ok": null, "mixed": 1, "at": "2026-11-20 10:00:00.5 UTC", "tags": [], "later": [], "void": null, "none": {}}
{"id": 9223372036854775807, "mixed": "b", "amount": "80.00", "whole": 1.0, "place": {"zip": "53111"}, "huge": 9223372036854775808}
`;
const FIELDS = columns(
  `id INTEGER NULLABLE, price FLOAT NULLABLE, ok BOOLEAN NULLABLE, day DATE NULLABLE, at TIMESTAMP NULLABLE,
  local DATETIME NULLABLE, name STRING NULLABLE, tags STRING REPEATED,
  place RECORD NULLABLE (city STRING NULLABLE, geo RECORD REPEATED (lat FLOAT NULLABLE), zip STRING NULLABLE),
  mixed STRING NULLABLE, later STRING REPEATED, void STRING NULLABLE, none JSON NULLABLE, amount STRING NULLABLE,
  whole FLOAT NULLABLE, huge FLOAT NULLABLE`,
);

it.each([
  ['plain', ROWS],
  ['gzip', gzipSync(ROWS)],
])('infers the columns from all rows, and uses the rows as the sample (%s)', async (_, content) => {
  const { code, stdout, stderr } = await from(content);
  expect([code, stderr]).toEqual([
    0,
    'Rows do not show NUMERIC, TIME, BYTES and JSON: if BigQuery has one of name, tags, place, mixed, later, … and 2 more in such a type, change it in schema.json.\n',
  ]);
  expect(schema()).toEqual(FIELDS);
  expect(made.read('sources/t/sample.ndjson')).toBe(ROWS.replace('\n\n', '\n'));
  expect(stdout).toContain('  sample.ndjson  3 rows\n');
  expect(made.tree()).not.toContain('sql/sources/t/table.json');
  const checked = await runCommand(check, ['--sql', made.sql]);
  expect(checked.stdout).toContain('ok  table t (16 columns, 3 sample rows)');
});

it('accepts columns as printed by bq, and creates table.json if a partition is given', async () => {
  const printed = [{ name: 'day', type: 'DATE', mode: 'REQUIRED', description: 'A day.' }];
  const { code, stderr } = await from(JSON.stringify(printed), '--partition', 'day');
  expect([code, stderr]).toEqual([
    0,
    `t has no rows here: put sample.ndjson into ${made.sql}/sources/t.\n`,
  ]);
  expect(schema()).toEqual(printed);
  expect(made.json('sources/t/table.json')).toEqual({
    $schema: '../../table.schema.json',
    partitioning: { type: 'DAY', field: 'day' },
    requirePartitionFilter: true,
  });
});

it('uses the first of many rows as the sample, and reports it', async () => {
  const rows = Array.from({ length: 5002 }, (_, index) => ({ n: index === 5001 ? 0.5 : index }));
  const { code, stderr } = await from(ndjson(rows));
  expect([code, stderr]).toEqual([
    0,
    'sample.ndjson contains the first 5000 of 5002 rows; the columns were inferred from all rows.\n',
  ]);
  expect(made.read('sources/t/sample.ndjson').split('\n')).toHaveLength(5001);
  expect(schema()).toEqual(columns('n FLOAT NULLABLE'));
});

it.each(cases<[content: string, fault: string]>('rows'))(
  'creates nothing from %j',
  async (content, fault) => {
    const file = made.file('rows', content);
    await made.expectRefused(['--source', 't', '--from', file], `${file}${fault}`);
  },
);

it.each(cases<[args: string[], code: number, fault: string]>('arguments'))(
  'creates nothing with the arguments %j',
  (args, code, fault) => made.expectRefused(args, fault, code),
);

it.each<[column: string, fault: string]>([
  ['measuredat', '${from} has no column measuredat; did you mean measured_at?'],
  ['nope', '${from} has no column nope'],
  ['n', 'partitioning.field: n is INTEGER, not TIMESTAMP, DATETIME or DATE'],
])('names the columns if rows cannot be partitioned by %s', async (column, fault) => {
  const file = made.file('rows', '{"n": 1, "measured_at": "2026-11-20"}');
  await made.expectRefused(
    ['--source', 't', '--from', file, '--partition', column],
    `t was not created:\n--partition ${column}: ${fault.replace('${from}', file)} (n INTEGER, measured_at DATE)`,
  );
});

it('names the file of the columns for a fault in them', async () => {
  const file = made.file('columns', '[{"name": "a", "type": "TEXT"}]');
  const { code, stderr } = await made.new('--source', 't', '--from', file);
  expect([code, stderr.startsWith(`Error: t was not created:\n${file}: `)]).toEqual([1, true]);
});

it.each(cases<[name: string, rows: string, shards: object, sample: string]>('shards'))(
  '%s is a source with shards',
  async (name, rows, shards, sample) => {
    const { stdout } = await made.new('--source', name, '--from', made.file('rows', rows));
    expect(stdout).toContain('which every query has to filter');
    expect(stdout).toContain('npm run new -- GROUP.NAME --sql FILE ');
    expect(made.json('sources/a.alarms/table.json')).toMatchObject({ shards });
    expect(made.json('sources/a.alarms/schema.json')).toEqual(columns('n INTEGER NULLABLE'));
    expect(made.read('sources/a.alarms/sample.ndjson')).toBe(sample);
    const checked = await runCommand(check, ['--sql', made.sql]);
    expect(checked.stdout).toContain('ok  table a.alarms (1 column, shards alarms_');
  },
);

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
  const rows = Array.from({ length: 200 }, (_row, n) =>
    JSON.stringify({
      _TABLE_SUFFIX: `202611${String(1 + Math.floor(n / 10)).padStart(2, '0')}`,
      n,
    }),
  );
  const source = await made.new(
    '--source',
    'a.alarms_*',
    '--from',
    made.file('rows', rows.join('\n')),
  );
  expect(source.stderr).toBe('');
  const file = made.file('few.sql', `SELECT n FROM ${table} WHERE ${condition} ORDER BY n`);
  const { stdout, stderr } = await made.new('alarms.few', '--sql', file);
  expect(stdout + stderr).toMatch(told);
});

it('a name that ends in digits that are no day is a table', async () => {
  await made.new('--source', 'a.orders_20261399', '--from', made.file('rows', '{"n": 1}'));
  expect(made.tree()).toContain('sql/sources/a.orders_20261399/schema.json');
});

it.each(cases<[name: string, fault: string]>('unknown shards'))(
  'creates nothing from rows of unknown shards (%s)',
  async (name, fault) => {
    const file = made.file('rows', '{"n": 1}');
    await made.expectRefused(['--source', name, '--from', file], fault.replace('${from}', file));
  },
);

it('does not change an existing table', async () => {
  await made.expectRefused(
    ['--source', 'web_visits', '--from', made.file('rows', '{"a": 1}')],
    `${made.sql}/sources/web_visits already exists; nothing was changed.`,
  );
});

it('leaves nothing behind if the folder cannot be written', () => {
  const draft = join(made.directory, 'draft');
  mkdirSync(draft);
  made.file('draft/a', 'a');
  const before = made.tree();
  // The copy is complete when its last name is refused.
  const folder = join(made.sql, 'sources', 't'.repeat(300));
  expect(() => writeFolder(draft, folder)).toThrow(
    `${folder}: cannot be written, so nothing was: `,
  );
  expect(made.tree()).toEqual(before);
});
