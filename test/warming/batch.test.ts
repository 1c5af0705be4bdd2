// A batch of several keys, split by key, gives what the single queries give, on the engine.
import { encodeRows } from '../support/encode-rows.ts';
import type { KeyPart } from '../../functions/results/split-batch.ts';
import { type GoogleSql, startGoogleSql } from '../../scripts/local/googlesql/engine.ts';
import {
  type EndpointOnEngine,
  NOW,
  type Parameters,
  stored,
  withLogs,
} from '../support/batch-runs.ts';
import { TEST_SQL } from '../support/test-sql.ts';

let engine: GoogleSql;

beforeAll(async () => {
  engine = await startGoogleSql();
});

afterAll(() => engine.close());

const on = (name: string): EndpointOnEngine => ({ sqlDirectory: TEST_SQL, name, engine });

describe('a batch over two parameters', () => {
  const NAME = 'tasks.run-stats';

  const invocation = (
    at: string,
    project: string,
    functionId: string | null,
    ms: number,
  ): object => ({
    id: 'r',
    timestamp: at,
    metadata: [
      {
        project_ref: project,
        function_id: functionId,
        execution_time_ms: ms,
        response: [{ status_code: ms > 100 ? 500 : 200 }],
      },
    ],
  });

  it('has for an empty function_id all functions of the project, and for the others theirs', () =>
    withLogs(
      on(NAME),
      {
        task_runs: [
          invocation('2026-11-20T10:07:30.100Z', 'proj-a', 'f1', 10),
          invocation('2026-11-20T10:07:01.000Z', 'proj-a', 'f2', 200),
          invocation('2026-11-20T10:07:02.000Z', 'proj-a', null, 30),
          invocation('2026-11-20T09:53:00.000Z', 'proj-a', '', 60),
          invocation('2026-11-20T10:07:00.000Z', 'proj-b', 'f1', 70),
        ],
      },
      async ({ batch }) => {
        const results = await batch({ interval: '15min' }, [
          { project: 'proj-a', function_id: 'f2' },
          { project: 'proj-a', function_id: '' },
          { project: 'proj-c', function_id: '' },
          { project: 'proj-b', function_id: 'f1' },
        ]);
        const row = (at: string, ms: number[], errors: number): object => ({
          timestamp: at,
          min_execution_time: ms[0],
          max_execution_time: ms[1],
          avg_execution_time: ms[2],
          p95_execution_time: ms[1],
          p99_execution_time: ms[1],
          count: ms[3],
          error_count: errors,
        });
        expect(
          results.map(({ schema, rows }) => JSON.parse(encodeRows(schema, rows)) as unknown),
        ).toEqual([
          { result: [row('2026-11-20T10:07:00Z', [200, 200, 200, 1], 1)] },
          {
            result: [
              row('2026-11-20T09:53:00Z', [60, 60, 60, 1], 0),
              row('2026-11-20T10:07:00Z', [10, 200, 80, 3], 1),
            ],
          },
          { result: [] },
          { result: [row('2026-11-20T10:07:00Z', [70, 70, 70, 1], 0)] },
        ]);
      },
    ));

  it('of 1,000 keys is one job', () =>
    withLogs(
      on(NAME),
      {
        task_runs: Array.from({ length: 2000 }, (_, index) =>
          invocation(NOW, `proj-${index % 500}`, `f${index % 3}`, index),
        ),
      },
      async ({ batch, single, proxy }) => {
        const keys = Array.from({ length: 1000 }, (_, index) => ({
          project: `proj-${index % 500}`,
          function_id: index < 500 ? '' : 'f1',
        }));
        const results = await batch({ interval: '1day' }, keys);
        expect(proxy.calls.filter(({ kind }) => kind === 'insert')).toHaveLength(1);
        expect(results.filter(({ rows }) => rows.length === 1)).toHaveLength(1000);
        for (const index of [0, 7, 499, 500, 999]) {
          const expected = await single({ interval: '1day', ...(keys[index] as Parameters) });
          expect(stored(results[index] as KeyPart)).toEqual(stored(expected));
        }
      },
    ));
});

describe('a batch over a pattern', () => {
  const NAME = 'web.visit-counts';

  const visit = (at: string, url: string, path: string): object => ({
    id: 'e',
    timestamp: at,
    metadata: [{ request: [{ url, path }] }],
  });

  it('counts a request for every pattern that matches its URL, in every area of its path', () =>
    withLogs(
      on(NAME),
      {
        web_visits: [
          visit('2026-11-20T10:07:00.000Z', 'https://proj-a.example.co/1', '/rest/v1'),
          visit('2026-11-20T10:07:30.400Z', 'https://proj-a.example.co/1', '/storage/v1/rest'),
          visit('2026-11-20T10:00:00.000Z', 'https://proj-a.example.co/1', '/auth/v1'),
          visit('2026-11-20T10:00:59.999Z', 'https://proj-b.example.co/1', '/realtime/v1'),
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
          [['2026-11-20T10:00:00', '0', '0', '0', '1']],
          [
            ['2026-11-20T10:00:00', '0', '0', '1', '1'],
            ['2026-11-20T10:07:00', '2', '1', '0', '0'],
          ],
          [
            ['2026-11-20T10:00:00', '0', '0', '1', '0'],
            ['2026-11-20T10:07:00', '2', '1', '0', '0'],
          ],
          [],
        ]);
      },
    ));

  it.each(['(', 'zebra('])(
    'with the faulty pattern %s among good ones fails as a whole',
    (faulty) =>
      withLogs(
        on(NAME),
        { web_visits: [visit(NOW, 'https://proj-a.example.co', '/rest')] },
        async ({ batch, single }) => {
          const refused = { reason: 'INVALID_PARAMETERS' };
          const interval = 'daily';
          await expect(single({ interval, project: faulty })).rejects.toMatchObject(refused);
          await expect(
            batch({ interval }, [{ project: 'proj-a' }, { project: faulty }]),
          ).rejects.toMatchObject(refused);
        },
      ),
  );

  it('of 1,000 keys is one job', () =>
    withLogs(
      on(NAME),
      {
        web_visits: Array.from({ length: 2000 }, (_, index) =>
          visit(NOW, `https://project${index % 40}.example.co/`, '/rest/v1'),
        ),
      },
      async ({ batch, single, proxy }) => {
        const keys = Array.from({ length: 1000 }, (_, index) => ({
          project: index % 2 === 0 ? `project${index}` : `project${index}\\.`,
        }));
        const results = await batch({ interval: 'hourly' }, keys);
        expect(proxy.calls.filter(({ kind }) => kind === 'insert')).toHaveLength(1);
        expect(results.filter(({ rows }) => rows.length === 1)).toHaveLength(40);
        for (const index of [0, 1, 4, 39, 40, 999]) {
          const expected = await single({ interval: 'hourly', ...(keys[index] as Parameters) });
          expect(stored(results[index] as KeyPart)).toEqual(stored(expected));
        }
      },
    ));
});
