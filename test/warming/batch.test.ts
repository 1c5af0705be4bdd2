// Tests of batches on the engine: split by key, they have the rows of the single queries.
import { encodeRows } from '../support/bigquery/encode-rows.ts';
import {
  type EndpointOnEngine,
  NOW,
  expectFaultyPatternRefused,
  expectOneJob,
  withLogs,
} from '../support/bigquery/batch-runs.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { sharedEngine } from '../support/bigquery/shared-engine.ts';

const engine = await sharedEngine();

const on = (name: string): EndpointOnEngine => ({ sqlDirectory: TEST_SQL, name, engine });

describe('a batch over two parameters', () => {
  const NAME = 'tasks.run-stats';

  const run = (timestamp: string, project: string, function_id: string | null, ms: number) => ({
    timestamp,
    project,
    function_id,
    duration_ms: ms,
  });

  it('returns all functions of the project for an empty function_id, and one function otherwise', () =>
    withLogs(
      on(NAME),
      {
        task_runs: [
          run('2026-11-20T10:07:30.100Z', 'proj-a', 'f1', 10),
          run('2026-11-20T10:07:01.000Z', 'proj-a', 'f2', 200),
          run('2026-11-20T10:07:02.000Z', 'proj-a', null, 30),
          run('2026-11-20T09:53:00.000Z', 'proj-a', '', 60),
          run('2026-11-20T10:07:00.000Z', 'proj-b', 'f1', 70),
        ],
      },
      async ({ batch }) => {
        const results = await batch({ interval: '15min' }, [
          { project: 'proj-a', function_id: 'f2' },
          { project: 'proj-a', function_id: '' },
          { project: 'proj-c', function_id: '' },
          { project: 'proj-b', function_id: 'f1' },
        ]);
        const bodies = results.map(({ schema, rows }) => encodeRows(schema, rows));
        expect(bodies).toEqual([
          '{"result":[{"timestamp":"2026-11-20T10:07:00Z","avg_duration":200,"max_duration":200,"count":1}]}',
          '{"result":[' +
            '{"timestamp":"2026-11-20T09:53:00Z","avg_duration":60,"max_duration":60,"count":1},' +
            '{"timestamp":"2026-11-20T10:07:00Z","avg_duration":80,"max_duration":200,"count":3}]}',
          '{"result":[]}',
          '{"result":[{"timestamp":"2026-11-20T10:07:00Z","avg_duration":70,"max_duration":70,"count":1}]}',
        ]);
      },
    ));

  it('of 1,000 keys is one job', () =>
    expectOneJob(
      on(NAME),
      {
        task_runs: Array.from({ length: 2000 }, (_, index) =>
          run(NOW, `proj-${index % 500}`, `f${index % 3}`, index),
        ),
      },
      { interval: '1day' },
      Array.from({ length: 1000 }, (_, index) => ({
        project: `proj-${index % 500}`,
        function_id: index < 500 ? '' : 'f1',
      })),
      { keysWithRow: 1000, compared: [0, 7, 499, 500, 999] },
    ));
});

describe('a batch over a pattern', () => {
  const NAME = 'web.visit-counts';

  const visit = (timestamp: string, url: string) => ({ timestamp, requests: [{ url }] });

  it('counts a request for each pattern that matches its URL', () =>
    withLogs(
      on(NAME),
      {
        web_visits: [
          visit('2026-11-20T10:07:00.000Z', 'https://proj-a.example.co/1'),
          visit('2026-11-20T10:07:30.400Z', 'https://proj-a.example.co/1'),
          visit('2026-11-20T10:00:00.000Z', 'https://proj-a.example.co/2'),
          visit('2026-11-20T10:00:59.999Z', 'https://proj-b.example.co/1'),
        ],
      },
      async ({ batch }) => {
        const results = await batch({ interval: 'minutely' }, [
          { project: 'proj-b' },
          { project: 'proj-[ab]' },
          { project: 'proj-a' },
          { project: 'PROJ-A' },
        ]);
        const rowsOf = results.map(({ rows }) => rows.map(({ f }) => f.map(({ v }) => v)));
        expect(rowsOf).toEqual([
          [['2026-11-20T10:00:00', '1', '1']],
          [
            ['2026-11-20T10:00:00', '2', '2'],
            ['2026-11-20T10:07:00', '2', '1'],
          ],
          [
            ['2026-11-20T10:00:00', '1', '1'],
            ['2026-11-20T10:07:00', '2', '1'],
          ],
          [],
        ]);
      },
    ));

  it.each(['(', 'zebra('])('fails as a whole if one of its patterns is invalid: %s', (faulty) =>
    expectFaultyPatternRefused(
      on(NAME),
      { web_visits: [visit(NOW, 'https://proj-a.example.co')] },
      faulty,
    ),
  );

  it('of 1,000 keys is one job', () =>
    expectOneJob(
      on(NAME),
      {
        web_visits: Array.from({ length: 2000 }, (_, index) =>
          visit(NOW, `https://project${index % 40}.example.co/`),
        ),
      },
      { interval: 'hourly' },
      Array.from({ length: 1000 }, (_, index) => ({
        project: index % 2 === 0 ? `project${index}` : `project${index}\\.`,
      })),
      { keysWithRow: 40, compared: [0, 1, 4, 39, 40, 999] },
    ));
});
