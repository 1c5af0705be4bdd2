// Tests of the pages of a result: each row once, in order and within the size limit, or an error after a refresh.
import fc from 'fast-check';
import { rowTexts } from '../../functions/cache/row-texts.ts';
import { columns } from '../support/sql/columns.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { type Page, callTool, leaveBodies } from './mcp-client.ts';
import { API_KEY, type QueryServer, createQueryServer } from '../support/world.ts';

const OTHER_KEY = 'sqk_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';

const SCHEMA = columns('number INT64, text STRING');
const ROW = rowOf('number INT64, text STRING');

let service: QueryServer;

leaveBodies();
/** Endpoints `group.numbers` and `group.others`, with up to 10,000 rows. */
beforeEach(() => {
  const tree = new FakeSqlTree();
  for (const [index, name] of ['group.numbers', 'group.others'].entries()) {
    const id = `11111111-2222-4333-8444-00000000000${index}`;
    tree.endpoint({ name, id, maxRows: 10_000, row: ROW, parameters: { question: parameter() } });
  }
  service = createQueryServer({ mcp: 'on', catalogue: tree.catalogue() });
});

/** Rows with these numbers; the text of each is as long as it says. */
function answerNumbers(numbers: readonly number[], textLength = 1, truncated = false): void {
  const rows = numbers.map((number) => ({
    f: [{ v: String(number) }, { v: 'x'.repeat(textLength) }],
  }));
  service.queryRunner.answerWith(queryResult({ schema: SCHEMA, rows, truncated }));
}

const numbersTo = (end: number): number[] => Array.from({ length: end }, (_, index) => index);

async function page(args: object = {}, tool = 'group_numbers', key?: string): Promise<Page> {
  const { isError, content, structuredContent } = await callTool(service.server, tool, args, key);
  if (isError || structuredContent === undefined) throw new Error(content[0]?.text);
  return structuredContent;
}

const numbersOf = ({ result }: Page): unknown[] => result.map(({ number }) => number);

it('the pages of 10,000 rows are the result, each row once, in order', async () => {
  answerNumbers(numbersTo(10_000));
  const numbers: unknown[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { result, ...rest }: Page = await page(cursor === undefined ? {} : { cursor });
    numbers.push(...result.map(({ number }) => number));
    cursor = rest.cursor;
    pages += 1;
    expect(rest).toMatchObject({ rows: 10_000, truncated: cursor !== undefined });
  } while (cursor !== undefined);
  expect(numbers).toEqual(numbersTo(10_000));
  expect(pages).toBe(50);
  expect(service.queryRunner.requests).toHaveLength(1);
});

it('a response has at most 32 kB, wherever its rows are split', async () => {
  answerNumbers(numbersTo(300), 1000);
  const first = await callTool(service.server, 'group_numbers');
  expect(Buffer.byteLength(first.content[0]?.text ?? '')).toBeLessThanOrEqual(32_000);
  const { result, cursor, ...rest } = first.structuredContent ?? (await page());
  expect(rest).toEqual({ truncated: true, rows: 300 });
  expect(result).toHaveLength(31);
  expect(numbersOf(await page({ cursor, columns: ['number'] }))).toEqual(numbersTo(231).slice(31));
});

it('a row that is too large by itself is an error that advises selecting columns', async () => {
  answerNumbers([1, 2], 40_000);
  await expect(page()).rejects.toThrow(
    'Invalid parameters: columns must name fewer columns: row 1 alone has more than 32 kB. Correct',
  );
  const rows = { result: [{ number: 1 }, { number: 2 }], truncated: false, rows: 2 };
  expect(await page({ columns: ['number'] })).toEqual(rows);
});

it('a caller may request fewer rows, and columns in the order of the result', async () => {
  answerNumbers(numbersTo(5));
  const { cursor, ...rest } = await page({ limit: 2, columns: ['text', 'number'] });
  const result = [0, 1].map((number) => ({ number, text: 'x' }));
  expect(rest).toEqual({ result, truncated: true, rows: 5 });
  expect(cursor).toMatch(/^2\.[\w-]{22}$/);
  expect(await page({ limit: '5', columns: [], cursor: '' })).toMatchObject({ truncated: false });
});

it('a result with more rows than the limit is marked as truncated, without a cursor', async () => {
  answerNumbers(numbersTo(3), 1, true);
  const answer = await page();
  expect(answer).toMatchObject({ truncated: true, rows: 3 });
  expect(answer).not.toHaveProperty('cursor');
});

it('a cursor remains valid for the same rows, and never mixes pages of two results', async () => {
  answerNumbers(numbersTo(300));
  const { cursor } = await page();
  service.clock.advance(900_000);
  expect(numbersOf(await page({ cursor }))).toEqual(numbersTo(300).slice(200));
  service.clock.advance(900_000);
  answerNumbers(numbersTo(301));
  await expect(page({ cursor })).rejects.toThrow(
    'cursor is outdated, because the rows were refreshed: call again without it',
  );
  expect(numbersOf(await page())).toEqual(numbersTo(200));
  expect(service.queryRunner.requests).toHaveLength(3);
});

it.each([
  ['past the end', (tag: string) => `300.${tag}`],
  ['of other rows', () => '200.AAAAAAAAAAAAAAAAAAAAAA'],
  ['negative', (tag: string) => `-1.${tag}`],
  ['not whole', (tag: string) => `1.5.${tag}`],
  ['very large', (tag: string) => `99999999999999999999.${tag}`],
])('an invalid cursor (%s) is rejected', async (_, make) => {
  answerNumbers(numbersTo(300));
  const { cursor = '' } = await page();
  await expect(page({ cursor: make(cursor.slice(4)) })).rejects.toThrow(
    /cursor (is outdated|must be)/,
  );
});

it('a cursor grants no access: each page is authorised separately', async () => {
  answerNumbers(numbersTo(300));
  const { cursor } = await page();
  service.keyStore.add(OTHER_KEY, { name: 'other', endpoints: ['group.others'] });
  await expect(page({ cursor }, 'group_numbers', OTHER_KEY)).rejects.toThrow();
  // The same place in a result of its own.
  answerNumbers(numbersTo(250), 2);
  await expect(page({ cursor }, 'group_others', OTHER_KEY)).rejects.toThrow('is outdated');
  service.keyStore.keys.clear();
  service.clock.advance(61_000);
  await expect(page({ cursor })).rejects.toThrow();
  service.keyStore.add(API_KEY);
});

it('a result that is not stored has no cursor, even if it is in memory', async () => {
  service.resultStore.before = ({ method }) => {
    if (method === 'set') throw new Error('Firestore takes nothing.');
  };
  answerNumbers(numbersTo(300));
  for (const _ of [1, 2]) {
    const answer = await page();
    expect(answer).toMatchObject({ truncated: true, rows: 300 });
    expect(answer).not.toHaveProperty('cursor');
  }
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

it('rows over which the local BigQuery read a part alone are an error, which a model cannot take for right', async () => {
  const localRowsCut = 'logs.events; read=94000; of=200000';
  service.queryRunner.answerWith(queryResult({ localRowsCut }));
  const { isError, content } = await callTool(service.server, 'group_numbers');
  expect({ isError, text: content[0]?.text }).toEqual({
    isError: true,
    text: 'The rows may be wrong, because the local BigQuery read only the newest rows (logs.events; read=94000; of=200000).',
  });
});
