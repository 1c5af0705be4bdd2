// Tests when warming runs which query: what `npm run check` prints of each.
import { main } from '../../../scripts/check.ts';
import { runCommand } from '../../support/command.ts';
import { FakeSqlTree, endpointDefinition } from '../../support/fake-sql-tree.ts';

const CHANGED = 'when its tables have changed';
const EACH_RUN = 'in each run, because of ';

const WHERE: [string, string][] = [
  ["day >= DATE '2026-01-01'", CHANGED],
  ['TRUE -- CURRENT_TIMESTAMP()', CHANGED],
  ["note = 'CURRENT_TIMESTAMP() or RAND()'", CHANGED],
  ['orders.current_date IS NULL', CHANGED],
  ['day = CURRENT_DATE()', `${CHANGED}, and each day in UTC`],
  ['day = current_date', `${CHANGED}, and each day in UTC`],
  ["day = CURRENT_DATE('Asia/Kathmandu')", `${CHANGED}, and each day in Asia/Kathmandu`],
  ["day = DATE(CURRENT_TIMESTAMP(), 'Europe/Berlin')", `${CHANGED}, and each day in Europe/Berlin`],
  ['day = CAST(CURRENT_TIMESTAMP() AS DATE)', `${CHANGED}, and each day in UTC`],
  ['seen_at > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), HOUR)', `${CHANGED}, and each hour in UTC`],
  ['seen_at > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP, WEEK(MONDAY))', `${CHANGED}, and each day in UTC`],
  [
    "seen_at > TIMESTAMP(DATETIME_TRUNC(CURRENT_DATETIME('America/New_York'), MONTH))",
    `${CHANGED}, and each day in America/New_York`,
  ],
  [
    "day = CURRENT_DATE() OR day = CURRENT_DATE('Europe/Berlin')",
    `${CHANGED}, and each day in UTC, and each day in Europe/Berlin`,
  ],
  ['seen_at > CURRENT_TIMESTAMP()', `${EACH_RUN}CURRENT_TIMESTAMP`],
  ['seen_at > TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), MINUTE)', `${EACH_RUN}CURRENT_TIMESTAMP`],
  [
    'seen_at > TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 MINUTE), HOUR)',
    `${EACH_RUN}CURRENT_TIMESTAMP`,
  ],
  ['day = CURRENT_DATE(@zone)', `${EACH_RUN}CURRENT_DATE`],
  ['day = CURRENT_DATE(CONCAT("UT", "C"))', `${EACH_RUN}CURRENT_DATE`],
  ['EXTRACT(HOUR FROM CURRENT_DATETIME()) > 1', `${EACH_RUN}CURRENT_DATETIME`],
  ["TIME_TRUNC(CURRENT_TIME(), HOUR) > TIME '01:00:00'", `${EACH_RUN}CURRENT_TIME`],
  ['seen_at > `CURRENT_TIMESTAMP`()', `${EACH_RUN}\`CURRENT_TIMESTAMP\``],
  ['IF(FALSE, RAND() > 0.5, TRUE)', `${EACH_RUN}RAND`],
  ["note != GENERATE_UUID() AND note != ''", `${EACH_RUN}GENERATE_UUID`],
  ['note = SESSION_USER()', `${EACH_RUN}SESSION_USER`],
];

const tree = new FakeSqlTree();
let printed: string;

beforeAll(async () => {
  tree.write('sources/orders/schema.json', [
    { name: 'day', type: 'DATE', mode: 'NULLABLE', description: 'A day.' },
    { name: 'seen_at', type: 'TIMESTAMP', mode: 'NULLABLE', description: 'A time.' },
    { name: 'note', type: 'STRING', mode: 'NULLABLE', description: 'A text.' },
    { name: 'current_date', type: 'DATE', mode: 'NULLABLE', description: 'A day.' },
  ]);
  tree.write('sources/orders/table.json', { partitioning: null, requirePartitionFilter: false });
  WHERE.forEach(([where], index) =>
    endpoint(index, `SELECT COUNT(*) AS count FROM orders WHERE ${where}`, where),
  );
  endpoint(WHERE.length, 'SELECT 1 AS count', '');
  endpoint(
    WHERE.length + 1,
    'SELECT COUNT(*) AS count FROM orders TABLESAMPLE SYSTEM (10 PERCENT)',
    '',
  );
  endpoint(WHERE.length + 2, 'SELECT COUNT(*) AS count FROM orders', '', {
    cacheWarmingSeconds: 0,
  });
  endpoint(
    WHERE.length + 3,
    'SELECT COUNT(*) AS count FROM orders AS keys WHERE keys.note IS NOT NULL',
    '',
  );
  const { stdout, stderr } = await runCommand(main, ['--sql', tree.directory]);
  printed = stdout + stderr;
});

afterAll(() => tree.remove());

function endpoint(index: number, sql: string, uses: string, fields: object = {}): void {
  const zone = { description: 'A zone.', required: false, example: 'UTC' };
  const parameters = uses.includes('@zone') ? { zone } : {};
  const id = endpointDefinition().id.replace(/^1+/, String(10_000_000 + index));
  tree.endpoint({ id, name: `case.n${index}`, parameters, ...fields }, sql);
}

/** Without the place of the expression. */
function warmingOf(index: number): string | undefined {
  const line = new RegExp(`^ok  case\\.n${index} .*\\n    warming: (.*)`, 'm').exec(printed)?.[1];
  return line?.replace(/\S+\.sql(?::\d+)*: /, '');
}

it.each(
  WHERE.map(([where, expected], index): [string, string, number] => [where, expected, index]),
)('runs a query with WHERE %s %s', (_, expected, index) => {
  expect(warmingOf(index)).toBe(expected);
});

it.each([
  ['that joins keys', 3, CHANGED],
  ['without a table', 0, `${EACH_RUN}it reads no table`],
  ['of a sample', 1, `${EACH_RUN}TABLESAMPLE`],
  ['that is never warmed', 2, 'never'],
])('says so of a query %s', (_, after, expected) => {
  expect(warmingOf(WHERE.length + after)).toBe(expected);
});

it('shows where the expression is', () => {
  expect(printed).toContain('/endpoints/case.n13/query.sql:1:54: CURRENT_TIMESTAMP\n');
});
