// Tests, by the command, that kept rows are held against data, cut at places that the name of a test decides.
import { main } from '../../../scripts/check.ts';
import { SALES } from '../../support/bigquery/kept-rows.ts';
import { runCommand } from '../../support/command.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';

const RESULT = [16, 18, 20].map((day) => {
  return { day: `2026-11-${day}`, total: day, text: `${day}` };
});
const ROWS = ['a', 'b'].flatMap((shop) =>
  RESULT.map(({ day, total: amount, text }) => {
    return { at: `${day}T09:30:00Z`, shop, kind: 'x', amount, text };
  }),
);
const CASE = {
  ...{ name: 'a', now: '2026-11-20T10:07:30.500Z', tables: { sales: ROWS } },
  parameters: 'shop=a&kind=x',
};

/** What is said of SALES, or of other queries, with one test. */
async function said(
  query = SALES.query,
  warm = SALES.warm,
  whole = true,
  { expected = RESULT, ...definition }: Record<string, object> & { expected?: object[] } = {},
): Promise<string> {
  const columns = 'at TIMESTAMP, shop STRING, kind STRING, amount INT64, text STRING';
  const bucket = { ...SALES.definition.bucket, whole };
  const tree = new FakeSqlTree()
    .source('sales', columns, { partitioning: { type: 'HOUR', field: 'at' } })
    .endpoint({ ...SALES.definition, bucket, ...definition }, query, warm)
    .write('endpoints/sales.by-day/tests/a.json', [{ ...CASE, expected_result: expected }]);
  const { stderr } = await runCommand(main, ['--sql', tree.directory]);
  return stderr.replaceAll(`${tree.directory}/endpoints/sales.by-day/`, '');
}

const START = /TIMESTAMP_TRUNC\((.*), DAY\)/;
/** With a window that cuts a bucket. */
const CUT = SALES.query.replace(START, '$1');
const CUT_WARM = SALES.warm
  .replace(START, '$1')
  .replace('sold.at >= @since', '(sold.at >= @since OR sold.at < @until)');
const warm = (condition: string) => SALES.warm.replace('ORDER', `HAVING ${condition} ORDER`);
const { parameters, row, bucket } = SALES.definition;
/** The wrong way round: buckets of a day are longer than their step. */
const truncated = (sql: string, kind: string): string => {
  const [day, hour] = ['DAY', 'HOUR'].map((part) => `TIMESTAMP_TRUNC(sold.at, ${part})`);
  return sql.replace('DATE(sold.at)', `DATETIME(IF(${kind} = 'x', ${day}, ${hour}))`);
};
const TURNED = {
  parameters: { ...parameters, kind: { ...parameters.kind, enum: ['x', 'y'] } },
  row: { ...row, day: { ...row.day, type: 'DATETIME' } },
  bucket: { ...bucket, whole: false, step: { parameter: 'kind', values: { x: 'PT1H', y: 'P1D' } } },
  expected: RESULT.map((one) => ({ ...one, day: `${one.day}T00:00:00` })),
};
const FIRST = 'DATE(TIMESTAMP_SUB(@now, INTERVAL 30 DAY))';
const JOINED = (times: string, shop: string) =>
  `warm.sql, asked since ${times}, and the rows that are kept before differ from query.sql for shop=${shop} kind=x, in one job with`;

it('passes what is sound', async () => {
  expect(await said()).toBe('');
  expect(await said(CUT, CUT_WARM, false)).toBe('');
});

it.each<[string, Parameters<typeof said>, string]>([
  [
    'drops a key',
    [SALES.query, SALES.warm.replace('GROUP', "AND sold.shop = 'a' GROUP")],
    'warm.sql differs from query.sql for shop=b kind=x, in one job with 3 other keys:\n    missing row 1',
  ],
  [
    'drops the bucket of @since, unless all rows are read',
    [SALES.query, warm(`day > DATE(@since) OR DATE(@since) = ${FIRST}`)],
    `${JOINED('2026-11-20T00:00:00Z', 'a')} 3 other keys:\n    missing row 3: {"day":"2026-11-20",`,
  ],
  [
    'drops rows of the cut bucket',
    [CUT, CUT_WARM.replace('GROUP', 'AND (sold.at >= @since OR sold.amount < 17) GROUP'), false],
    `${JOINED('2026-11-16T00:00:00Z and before 2026-10-22T00:00:00Z', 'a')} 2 other keys:\n`,
  ],
  [
    'has a bucket that is longer than its step',
    [truncated(CUT, '@kind'), truncated(CUT_WARM, 'keys.kind'), false, TURNED],
    `${JOINED('2026-11-18T00:00:00Z and before 2026-10-21T11:00:00Z', 'a')} 1 other key:\n    row 1, total: query.sql 41, warm.sql 20`,
  ],
])('refuses what %s', async (_, given, message) => {
  expect(await said(...given)).toContain(message);
});
