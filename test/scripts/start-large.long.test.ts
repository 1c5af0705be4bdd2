// `npm start -- --logs` with more rows than the engine takes: the rows of a day are right, and those of all say what they read.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_KEY, startLocalService } from '../support/service/local-service.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { testDirectory } from '../support/temporary-directory.ts';

const ROWS = 150_000;
const STEP_MS = (10 * 86_400_000) / ROWS;
const events = Array.from({ length: ROWS }, (_, id) => ({
  ts: new Date(Date.parse('2026-11-11T00:00:00Z') + id * STEP_MS).toISOString(),
  id,
  ms: (id * 7919) % 1000,
}));
const QUERIES: [name: string, row: string, sql: string][] = [
  [
    'day',
    'n INT64, ms INT64, first INT64',
    'SELECT COUNT(*) AS n, SUM(ms) AS ms, MIN(id) AS first FROM events WHERE DATE(ts) = @day',
  ],
  ['pairs', 'n INT64', 'SELECT COUNT(*) AS n FROM events AS a JOIN events AS b USING (id, ms, ts)'],
];

it('rows of one day are right, and a self-join says what it read', async () => {
  const partitioning = { type: 'DAY', field: 'ts' };
  const tree = new FakeSqlTree().source('events', 'ts TIMESTAMP, id INT64, ms INT64', {
    ...{ partitioning, requirePartitionFilter: false },
  });
  for (const [index, [name, row, sql]] of QUERIES.entries()) {
    const day = parameter({ type: 'DATE', required: true, example: '2026-11-12' });
    const parameters = sql.includes('@day') ? { day } : {};
    const id = `11111111-2222-4333-8444-00000000000${index}`;
    tree.endpoint({ id, name: `events.${name}`, row: rowOf(row), parameters }, sql);
  }
  const directory = testDirectory('logs-');
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(join(directory, 'events.ndjson'), lines.join(''));
  const args = ['--sql', tree.directory, '--logs', directory];
  const service = await startLocalService(LOCAL_KEY, args);
  const ask = async (call: string) => {
    const url = `${service.url}/api/endpoints/query/events.${call}`;
    const answer = await fetch(url, { headers: { 'X-API-KEY': LOCAL_KEY } });
    const { result } = (await answer.json()) as { result: Record<string, unknown>[] };
    return { result, cut: answer.headers.get('X-Local-Rows-Cut') };
  };

  // In JavaScript, and not in SQL.
  const inDay = events.filter(({ ts }) => ts.startsWith('2026-11-12'));
  const ms = inDay.reduce((sum, event) => sum + event.ms, 0);
  expect(await ask('day?day=2026-11-12')).toEqual({
    result: [{ n: inDay.length, ms, first: inDay[0]?.id }],
    cut: null,
  });
  const pairs = await ask('pairs');
  const [, read = ''] = /^logs\.events; read=(\d+); of=150000$/.exec(pairs.cut ?? '') ?? [];
  expect(pairs.result).toEqual([{ n: Number(read) }]);
  expect(Number(read)).toBeLessThan(ROWS);
  await service.stop('SIGTERM');
});
