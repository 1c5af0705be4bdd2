// Where a query reads tables: the place of each name, the columns needed, and the columns with conditions.
import { lineAndColumn } from '../../../../../scripts/faults/text-place.ts';
import { sharedEngine } from '../../../../support/bigquery/shared-engine.ts';
import { columns } from '../../../../support/sql/columns.ts';

const fields = columns('id STRING, ts TIMESTAMP, day DATE');
const names = ['events', 'logs.events', 'my-project.logs.events', 'users'];
const tables = names.map((name) => ({ name, fields }));

const engine = await sharedEngine();

async function scansOf(sql: string) {
  const { scans } = await engine.analyze({ sql, tables });
  return scans.map(({ table, offset, columns, conditions }) => {
    const { line, column } = lineAndColumn(sql, offset);
    const place = `${line}:${column}`;
    return { table, place, columns, conditions: [...conditions.keys()] };
  });
}

it('contain the position of each table, counted in characters', async () => {
  const sql = `-- Äpfel
    SELECT e.id, 'ä' FROM /* ö */ events AS e
    JOIN \`my-project.logs.events\` AS l ON l.id = e.id AND e.ts > CURRENT_TIMESTAMP()
    CROSS JOIN logs.events AS m`;
  expect(await scansOf(sql)).toEqual([
    { table: 'events', place: '2:35', columns: ['id', 'ts'], conditions: ['ts'] },
    { table: 'my-project.logs.events', place: '3:10', columns: ['id'], conditions: [] },
    { table: 'logs.events', place: '4:16', columns: [], conditions: [] },
  ]);
});

it('contain the positions and conditions of pipe syntax in the original query', async () => {
  const sql = `FROM logs.events
    |> WHERE ts > '2026-11-20'
    |> JOIN users USING (id)
    |> AGGREGATE COUNT(*) AS n GROUP BY id`;
  expect(await scansOf(sql)).toEqual([
    { table: 'logs.events', place: '1:6', columns: ['id', 'ts'], conditions: ['ts'] },
    { table: 'users', place: '3:13', columns: ['id'], conditions: [] },
  ]);
});

it('contain the tables of functions, expressions and a recursive query', async () => {
  const sql = `CREATE TEMP FUNCTION first_id() AS ((SELECT MIN(id) FROM events));
    WITH RECURSIVE tree AS (
      SELECT id FROM users WHERE day = '2026-11-20'
      UNION ALL SELECT users.id FROM tree JOIN users ON users.id > tree.id)
    SELECT first_id() FROM tree WHERE id IN (SELECT id FROM logs.events WHERE ts IS NULL)`;
  expect((await scansOf(sql)).map((scan) => [scan.place, scan.table, scan.conditions])).toEqual([
    ['1:58', 'events', []],
    ['3:22', 'users', ['day']],
    ['4:48', 'users', []],
    ['5:61', 'logs.events', ['ts']],
  ]);
});
