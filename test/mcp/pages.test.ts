// Tests of the pages of a result: each row once, in order and within the size limit, or an error after a refresh.
import fc from 'fast-check';
import { rowTexts } from '../../functions/cache/row-texts.ts';
import { columns } from '../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { queryResult, wireRow } from '../support/fakes/fake-query-runner.ts';
import { callTool, leaveBodies } from './mcp-client.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { createQueryServer } from '../support/world.ts';

leaveBodies();

const COLUMNS = 'number INT64, text STRING';
const parameters = { question: parameter() };
const large = { maxRows: 10_000, row: rowOf(COLUMNS), parameters };
const catalogue = new FakeSqlTree()
  .endpoint({ name: 'group.numbers', ...large })
  .endpoint({ name: 'group.others', ...large })
  .catalogue();

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) =>
  runScenario(steps, { mcp: 'on', catalogue }),
);

it('the pages of 10,000 rows are the result, each row once, in order', async () => {
  const service = createQueryServer({ mcp: 'on', catalogue });
  const all = Array.from({ length: 10_000 }, (_, number) => number);
  const rows = all.map((number) => wireRow(String(number), 'x'));
  const schema = columns(COLUMNS);
  service.queryRunner.answerWith(queryResult({ schema, rows }));
  const numbers: unknown[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { structuredContent: page } = await callTool(service.server, 'group_numbers', { cursor });
    numbers.push(...(page?.result ?? []).map(({ number }) => number));
    cursor = page?.cursor;
    pages += 1;
    expect(page).toMatchObject({ rows: 10_000, truncated: cursor !== undefined });
  } while (cursor !== undefined);
  expect(numbers).toEqual(all);
  expect(pages).toBe(50);
  expect(service.queryRunner.requests).toHaveLength(1);
});

it('finds the rows of a body, whatever their values', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { minKeys: 1 })),
      fc.nat(12),
      fc.integer({ min: 1, max: 12 }),
      (rows, from, count) => {
        const texts = rows.map((row) => JSON.stringify(row));
        expect(rowTexts(`{"result":[${texts.join(',')}]}`, from, count)).toEqual(
          texts.slice(from, from + count),
        );
      },
    ),
  );
});
