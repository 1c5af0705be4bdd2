// `npm start -- --logs` with 150,000 rows of ten days: right rows, compared with sums made here, or a header that says otherwise.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_KEY, startLocalService } from '../support/service/local-service.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { testDirectory } from '../support/temporary-directory.ts';

const ROWS = 150_000;
const STEP_MS = (10 * 86_400_000) / ROWS;
const LEVELS = ['info', 'info', 'warn', 'error', null];

const events = Array.from({ length: ROWS }, (_, id) => ({
  ts: new Date(Date.parse('2026-11-11T00:00:00Z') + id * STEP_MS).toISOString(),
  id,
  level: LEVELS[(id * 7) % 5] ?? null,
  path: `/t${(id * id) % 97}`,
  ms: (id * 7919) % 1000,
  body: 'x'.repeat(90),
}));
type Event = (typeof events)[number];

const dayOf = ({ ts }: Event): string => ts.slice(0, 10);
const sumOf = (some: readonly Event[]): number => some.reduce((sum, { ms }) => sum + ms, 0);
/** In JavaScript, and not in SQL. */
const grouped = <Key>(keyOf: (event: Event) => Key) => [...Map.groupBy(events, keyOf)];

const QUERIES: [name: string, row: string, sql: string][] = [
  [
    'day',
    'n INT64, ms INT64, first INT64, last INT64',
    'SELECT COUNT(*) AS n, SUM(ms) AS ms, MIN(id) AS first, MAX(id) AS last FROM events WHERE DATE(ts) = @day',
  ],
  [
    'levels',
    'level STRING NULLABLE, n INT64, ms FLOAT64, last INT64',
    'SELECT level, COUNT(*) AS n, AVG(ms) AS ms, MAX(id) AS last FROM events GROUP BY level ORDER BY level',
  ],
  [
    'paths',
    'path STRING, n INT64',
    'SELECT path, COUNT(*) AS n FROM events GROUP BY path ORDER BY n DESC, path LIMIT 10',
  ],
  [
    'week',
    'day DATE, n INT64',
    `WITH days AS (SELECT DATE(ts) AS day, COUNTIF(level = 'error') AS n FROM events GROUP BY day)
    SELECT day, SUM(n) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS n FROM days ORDER BY day`,
  ],
  [
    'pairs',
    'n INT64',
    'SELECT COUNT(*) AS n FROM events AS a JOIN events AS b USING (id, path, ms, ts)',
  ],
];

it('rows of one day, of all groups, of the largest and of a moving window are right, and a self-join says what it read', async () => {
  const tree = new FakeSqlTree().source(
    'events',
    'ts TIMESTAMP, id INT64, level STRING, path STRING, ms INT64',
    {
      ...{ partitioning: { type: 'DAY', field: 'ts' }, requirePartitionFilter: false },
    },
  );
  for (const [index, [name, row, sql]] of QUERIES.entries()) {
    const day = parameter({ type: 'DATE', required: true, example: '2026-11-12' });
    const parameters = sql.includes('@day') ? { day } : {};
    const id = `11111111-2222-4333-8444-00000000000${index}`;
    tree.endpoint({ id, name: `events.${name}`, row: rowOf(row), parameters }, sql);
  }
  const directory = testDirectory('logs-');
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(join(directory, 'events.ndjson'), lines.join(''));
  const service = await startLocalService(LOCAL_KEY, [
    '--sql',
    tree.directory,
    '--logs',
    directory,
  ]);
  const ask = async (call: string) => {
    const url = `${service.url}/api/endpoints/query/events.${call}`;
    const answer = await fetch(url, { headers: { 'X-API-KEY': LOCAL_KEY } });
    const { result } = (await answer.json()) as { result: Record<string, unknown>[] };
    return { result, cut: answer.headers.get('X-Local-Rows-Cut') };
  };

  const inDay = events.filter((event) => dayOf(event) === '2026-11-12');
  const [first, last] = [inDay[0]?.id, inDay.at(-1)?.id];
  expect(await ask('day?day=2026-11-12')).toEqual({
    result: [{ n: inDay.length, ms: sumOf(inDay), first, last }],
    cut: null,
  });

  const levels = grouped(({ level }) => level).map(([level, some]) => {
    return { level, n: some.length, ms: sumOf(some) / some.length, last: some.at(-1)?.id };
  });
  levels.sort((a, b) => (a.level ?? '').localeCompare(b.level ?? ''));
  expect(await ask('levels')).toEqual({ result: levels, cut: null });

  const paths = grouped(({ path }) => path).map(([path, some]) => ({ path, n: some.length }));
  paths.sort((a, b) => b.n - a.n || (a.path < b.path ? -1 : 1));
  expect(await ask('paths')).toEqual({ result: paths.slice(0, 10), cut: null });

  const days = grouped(dayOf).map(([day, some]) => {
    return { day, n: some.filter(({ level }) => level === 'error').length };
  });
  const week = days.map(({ day }, index) => {
    const before = days.slice(Math.max(0, index - 6), index + 1);
    return { day, n: before.reduce((sum, { n }) => sum + n, 0) };
  });
  expect(await ask('week')).toEqual({ result: week, cut: null });

  const pairs = await ask('pairs');
  const [, read = ''] = /^logs\.events; read=(\d+); of=150000$/.exec(pairs.cut ?? '') ?? [];
  expect(pairs.result).toEqual([{ n: Number(read) }]);
  expect(Number(read)).toBeLessThan(ROWS);
  expect(service.stderr()).toMatch(/events: a query read only the newest [\d,]+ of 150,000 rows/);
  await service.stop('SIGTERM');
});
