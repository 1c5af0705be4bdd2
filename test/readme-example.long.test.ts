// The tutorials and recipes of docs/: their blocks run in bash, and give the lines and rows that are shown.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { scalarTypeOf } from '../functions/core/parameter-type.ts';
import type { ParameterDefinition } from '../functions/endpoints/parameter-rule.ts';
import { main } from '../scripts/check.ts';
import { loadCatalogue } from '../scripts/compile/inspect-catalogue.ts';
import { isSampleTable, lastDays, sampleLogs } from '../scripts/start/rows/sample-logs.ts';
import { NOW } from './support/bigquery/batch-runs.ts';
import { casesBeside } from './support/cases.ts';
import { columns } from './support/sql/columns.ts';
import { runCommand } from './support/command.ts';
import { FakeSqlTree, parameter } from './support/sql/fake-sql-tree.ts';
import {
  DATES,
  EXAMPLE,
  SHARDS,
  TESTS,
  readmeBlocks,
  runReadme,
} from './support/sql/readme-example.ts';
import { type ShippedEndpoint, serveShippedEndpoint } from './support/sql/shipped-endpoint.ts';
import { EDGES } from './support/sql/spellings.ts';

const directory = runReadme(EXAMPLE, SHARDS);

it('passes the check with the output shown in the docs', async () => {
  const { code, stdout, stderr } = await runCommand(main, ['--sql', join(directory, 'sql')]);
  expect([code, stderr]).toEqual([0, '']);
  const ofExample = /^ok .*(?:orders|table customers|sales).*$/gm;
  const shown = readmeBlocks('console', EXAMPLE)[0]?.match(ofExample);
  expect(stdout.match(ofExample)).toEqual(shown);
  expect(shown).toHaveLength(3);
});

it('reads exactly the shards shown in the docs', async () => {
  const args = ['shop.purchases', '--sql', join(directory, 'sql')];
  const { code, stdout } = await runCommand(main, args);
  expect(code).toBe(0);
  // Its example is the day on which it was made.
  const days = /\d{4}-\d{2}-\d{2}(?:T00:00:00Z)?/g;
  expect(`$ npm run check -- shop.purchases\n${stdout}`.replaceAll(days, 'DAY').trimEnd()).toBe(
    readmeBlocks('console', SHARDS)[0]?.replaceAll(days, 'DAY').trimEnd(),
  );
});

it('passes its tests with the output shown in the docs', async () => {
  for (const block of readmeBlocks('sh', TESTS)) {
    execFileSync('bash', ['-euc', block], { cwd: directory });
  }
  const args = ['sales.by-country', '--sql', join(directory, 'sql')];
  const { code, stdout, stderr } = await runCommand(main, args);
  expect([code, stderr]).toEqual([0, '']);
  const shown = readmeBlocks('console', TESTS)[0]?.split('\n').slice(0, 3);
  const lines = stdout.split('\n').slice(0, 2);
  expect(shown).toEqual(['$ npm run check -- sales.by-country', ...lines]);
});

/** The rows of a sample.ndjson. */
function sampleOf(file: string): object[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
}

it('answers with the rows shown in the docs', async () => {
  const endpoint = await serveShippedEndpoint(
    'sales.by-country',
    Object.fromEntries(
      ['orders', 'customers'].map((table) => [
        table,
        sampleOf(join(directory, 'sql/sources', table, 'sample.ndjson')),
      ]),
    ),
    join(directory, 'sql'),
  );
  const answers = [await endpoint.rowsOf({}), await endpoint.rowsOf({ segment: 'private' })];
  const shown = readmeBlocks('console', EXAMPLE)[1]?.match(/^\{.*$/gm) ?? [];
  expect(answers).toEqual(shown.map((text) => (JSON.parse(text) as { result: unknown }).result));
});

/** Fails where a request with a value at the edge of its type is answered with a failure of the service. */
async function askEdges(
  name: string,
  endpoint: ShippedEndpoint,
  parameters: Readonly<Record<string, ParameterDefinition>>,
): Promise<void> {
  const examples = Object.entries(parameters).map(([each, { example }]) => [each, example]);
  let answered = 0;
  for (const [each, { type = 'STRING', enum: listed, minimum, maximum }] of Object.entries(
    parameters,
  )) {
    const edges = listed ?? [...EDGES[scalarTypeOf(type)], minimum, maximum];
    for (const edge of edges.filter((one) => one !== undefined)) {
      const request = { ...(Object.fromEntries(examples) as object), [each]: String(edge) };
      const { status, text } = await endpoint.ask(request);
      expect([name, request, status < 500, text]).toEqual([name, request, true, text]);
      answered += Number(status === 200);
    }
  }
  expect(answered).toBeGreaterThan(0);
}

type Recipe = [columns: string, unasked: object[], asked: Record<string, string>, then: object[]];
it.each(casesBeside(import.meta.filename)<Recipe>('dates'))(
  'the recipes for dates answer as documented, and pass the check: %s',
  async (list, unasked, asked, then) => {
    const order = (order_day: string, amount: string) => ({ order_day, amount, customer_id: 'c' });
    const rows = {
      orders: [
        { ...order('2020-02-29', '1'), order_id: 'old' },
        { ...order('2026-10-22', '2'), order_id: 'first' },
        { ...order('2026-11-20', '4'), order_id: 'today' },
      ],
      customers: [{ customer_id: 'c', country: 'DE', segment: 'private' }],
      visits: [{ created_at: '2026-10-21T15:00:00Z' }, { created_at: '2026-11-19T16:00:00Z' }],
    };
    const optional = { required: false, example: '2026-11-20' };
    const declared: Record<string, ParameterDefinition> = {
      from_day: parameter({ ...optional, type: 'DATE' }),
      to_day: parameter({ ...optional, type: 'DATE' }),
      day: parameter({ ...optional, type: 'DATE' }),
      tz: parameter({ enum: ['UTC', 'Asia/Tokyo'], example: 'UTC', default: 'UTC' }),
      segments: parameter({ type: 'ARRAY<STRING>', example: ['private'] }),
    };
    const text = readmeBlocks('sql', DATES).find((sql) =>
      list.split(', ').every((column) => sql.includes(column.split(' ')[0] ?? '')),
    );
    const name = 'recipes.dates';
    const used = Object.entries(declared).filter(([each]) => text?.includes(`@${each}`));
    const parameters = Object.fromEntries(used);
    const row = columns(list).map(({ name: column, type }) => {
      return [column, { type, mode: 'NULLABLE', description: 'A column.' }];
    });
    const partitioning = { type: 'DAY', field: 'created_at' };
    const tree = new FakeSqlTree(join(directory, 'sql'))
      .source('visits', 'created_at TIMESTAMP', { partitioning, requirePartitionFilter: true })
      .endpoint({ name, parameters, row: Object.fromEntries(row) }, text);
    const { code, stderr } = await runCommand(main, [name, '--sql', tree.directory]);
    expect([code, stderr.replaceAll(/^warning: .*0001-01-01.*\n/gm, '')]).toEqual([0, '']);
    const endpoint = await serveShippedEndpoint(name, rows, tree.directory);
    expect(await endpoint.rowsOf({})).toEqual(unasked);
    expect(await endpoint.rowsOf(asked)).toEqual(then);
    await askEdges(text?.split('\n')[0] ?? '', endpoint, parameters);
  },
);

it.each([
  ['shipped', 'sql'],
  ['documented', join(directory, 'sql')],
])('a request that a %s endpoint allows gets rows or a 4xx error', async (_, sql) => {
  const logsOf = (table: string): object[] =>
    isSampleTable(table) ? [...sampleLogs(table, lastDays(Date.parse(NOW)))] : [];
  const rows = Object.fromEntries(
    readdirSync(join(sql, 'sources')).map((table) => {
      const sample = join(sql, 'sources', table, 'sample.ndjson');
      return [table, existsSync(sample) ? sampleOf(sample) : logsOf(table)];
    }),
  );
  for (const { name, parameters } of loadCatalogue(sql).endpoints) {
    await askEdges(name, await serveShippedEndpoint(name, rows, sql), parameters);
  }
});
