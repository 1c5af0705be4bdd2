// Known logs in, known rows out, over HTTP and through every part: framework, clients, engine, cache.
import request from 'supertest';
import type { Server } from 'node:http';
import type { Firestore } from '@google-cloud/firestore';
import { type LocalBigQuery, createLocalBigQuery } from '../scripts/local/bigquery/server.ts';
import { type GoogleSql, startGoogleSql } from '../scripts/local/googlesql/engine.ts';
import { readLogSources } from '../scripts/local/logs/log-sources.ts';
import { ControlledClock } from './support/controlled-clock.ts';
import { connectFirestore } from './support/firestore-emulators.ts';
import { API_KEY, createTestService, storeKey } from './support/service.ts';

const NOW = '2026-11-20T10:07:30.500Z';

interface Invocation {
  at: string;
  ms: number;
  status: number;
  functionId?: string;
  project?: string;
}

/** Records on both sides of the first bucket's edge of every interval. */
const INVOCATIONS: Invocation[] = [
  { at: '2026-11-12T23:59:59.999Z', ms: 10, status: 200 },
  { at: '2026-11-13T00:00:00.000Z', ms: 20, status: 399 },
  { at: '2026-11-19T09:59:59.999Z', ms: 30, status: 200, functionId: 'f2' },
  { at: '2026-11-19T10:00:00.000Z', ms: 40, status: 400 },
  { at: '2026-11-20T09:06:59.999Z', ms: 50, status: 599 },
  { at: '2026-11-20T09:07:00.000Z', ms: 60, status: 200, functionId: 'f2' },
  { at: '2026-11-20T09:51:59.999Z', ms: 70, status: 200 },
  { at: '2026-11-20T09:52:00.000Z', ms: 80, status: 500 },
  { at: '2026-11-20T10:02:29.999Z', ms: 90, status: 200 },
  { at: '2026-11-20T10:02:30.000Z', ms: 100, status: 200 },
  { at: '2026-11-20T10:07:30.000Z', ms: 130, status: 200, functionId: 'f2' },
  { at: '2026-11-20T10:07:30.499Z', ms: 110, status: 404 },
  { at: '2026-11-20T10:07:30.100Z', ms: 1, status: 500, project: 'other' },
  // One bucket with 1,000 records: 1 to 1000 ms.
  ...Array.from({ length: 1000 }, (_, index) => ({
    at: '2026-11-20T10:05:00.000Z',
    ms: ((index * 7) % 1000) + 1,
    status: 200,
    project: 'thousand',
  })),
];

const REQUESTS: { at: string; url: string; path: string | null }[] = [
  { at: '2026-11-13T10:07:30.499Z', url: 'https://proj-a.example.co', path: '/rest/v1/too-old' },
  { at: '2026-11-13T10:07:30.500Z', url: 'https://proj-a.example.co', path: '/rest/v1/a' },
  { at: '2026-11-19T23:59:59.999Z', url: 'https://proj-a.example.co', path: '/auth/v1/token' },
  { at: '2026-11-20T09:07:30.499Z', url: 'https://proj-a.example.co', path: '/rest/v1/b' },
  { at: '2026-11-20T09:07:30.500Z', url: 'https://proj-a.example.co', path: '/rest/v1/c' },
  { at: '2026-11-20T09:07:59.999Z', url: 'https://proj-a.example.co', path: '/storage/v1/rest/d' },
  { at: '2026-11-20T09:08:00.000Z', url: 'https://proj-a.example.co', path: '/realtime/v1' },
  { at: '2026-11-20T10:00:00.000Z', url: 'https://proj-a.example.co', path: '/favicon.ico' },
  { at: '2026-11-20T10:01:00.000Z', url: 'https://proj-a.example.co', path: null },
  { at: '2026-11-20T10:07:30.000Z', url: 'https://proj-a.example.co', path: '/auth/v1/x' },
  { at: '2026-11-20T10:07:30.000Z', url: 'https://proj-b.example.co', path: '/auth/v1/x' },
];

let engine: GoogleSql;
let bigquery: LocalBigQuery;
let firestore: Firestore;
let server: Server;

beforeAll(async () => {
  const clock = new ControlledClock(NOW);
  const rows: Record<string, object[]> = {
    function_relay_logs: INVOCATIONS.map((invocation, index) => ({
      id: `r${index}`,
      timestamp: invocation.at,
      metadata: [
        {
          project_ref: invocation.project ?? 'proj-a',
          function_id: invocation.functionId ?? 'f1',
          execution_time_ms: invocation.ms,
          response: [{ status_code: invocation.status }],
        },
      ],
    })),
    edge_logs: REQUESTS.map(({ at, url, path }, index) => ({
      id: `e${index}`,
      timestamp: at,
      metadata: [{ request: [{ url, path }] }],
    })),
  };
  engine = await startGoogleSql();
  const sources = await readLogSources('sql/sources');
  const tables = sources.map((source) => ({ ...source, rows: rows[source.name] ?? [] }));
  bigquery = await createLocalBigQuery({ engine, tables, clock, freshMs: 0 });
  firestore = connectFirestore(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  await storeKey(firestore);
  ({ server } = createTestService({ clock, firestore, bigQueryUrl: bigquery.url }));
});

afterAll(async () => {
  await bigquery.close();
  await engine.close();
  await firestore.terminate();
});

async function rowsOf(name: string, parameters: Record<string, string>): Promise<unknown> {
  const answer = await request(server)
    .get(`/api/endpoints/query/${name}`)
    .query(parameters)
    .set('X-API-KEY', API_KEY);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return (answer.body as { result: unknown }).result;
}

describe('functions.invocation-stats', () => {
  /** [timestamp, min, max, avg, p95, p99, count, error_count], worked out by hand. */
  type Row = [string, number, number, number, number, number, number, number];
  const asObjects = (rows: Row[]): object[] =>
    rows.map(([timestamp, min, max, avg, p95, p99, count, errors]) => ({
      timestamp,
      min_execution_time: min,
      max_execution_time: max,
      avg_execution_time: avg,
      p95_execution_time: p95,
      p99_execution_time: p99,
      count,
      error_count: errors,
    }));
  const lastDay: Row[] = [
    ['2026-11-19T10:00:00Z', 40, 40, 40, 40, 40, 1, 1],
    ['2026-11-20T09:00:00Z', 50, 80, 65, 80, 80, 4, 2],
    ['2026-11-20T10:00:00Z', 90, 130, 107.5, 130, 130, 4, 1],
  ];

  it.each<[string, Record<string, string>, Row[]]>([
    [
      '5min in seconds from the edge of the first',
      { interval: '5min' },
      [
        ['2026-11-20T10:02:30Z', 100, 100, 100, 100, 100, 1, 0],
        ['2026-11-20T10:07:30Z', 110, 130, 120, 130, 130, 2, 1],
      ],
    ],
    [
      '15min in minutes from the edge of the first',
      { interval: '15min' },
      [
        ['2026-11-20T09:52:00Z', 80, 80, 80, 80, 80, 1, 1],
        ['2026-11-20T10:02:00Z', 90, 100, 95, 100, 100, 2, 0],
        ['2026-11-20T10:07:00Z', 110, 130, 120, 130, 130, 2, 1],
      ],
    ],
    [
      '1hr in minutes from the edge of the first',
      { interval: '1hr' },
      [
        ['2026-11-20T09:07:00Z', 60, 60, 60, 60, 60, 1, 0],
        ['2026-11-20T09:51:00Z', 70, 70, 70, 70, 70, 1, 0],
        ['2026-11-20T09:52:00Z', 80, 80, 80, 80, 80, 1, 1],
        ['2026-11-20T10:02:00Z', 90, 100, 95, 100, 100, 2, 0],
        ['2026-11-20T10:07:00Z', 110, 130, 120, 130, 130, 2, 1],
      ],
    ],
    ['1day in hours from the edge of the first', { interval: '1day' }, lastDay],
    [
      '7day in days from the edge of the first',
      { interval: '7day' },
      [
        ['2026-11-13T00:00:00Z', 20, 20, 20, 20, 20, 1, 0],
        ['2026-11-19T00:00:00Z', 30, 40, 35, 40, 40, 2, 1],
        ['2026-11-20T00:00:00Z', 50, 130, 86.25, 130, 130, 8, 3],
      ],
    ],
    ['1day for an interval it does not know', { interval: 'fortnight' }, lastDay],
    ['1day for no interval', {}, lastDay],
    ['all functions for an empty function_id', { interval: '1day', function_id: '' }, lastDay],
    [
      'one function where function_id names it',
      { interval: '1day', function_id: 'f2' },
      [
        ['2026-11-20T09:00:00Z', 60, 60, 60, 60, 60, 1, 0],
        ['2026-11-20T10:00:00Z', 130, 130, 130, 130, 130, 1, 0],
      ],
    ],
    ['no row for a function that was not invoked', { interval: '7day', function_id: 'f3' }, []],
    [
      'elements 95 and 99 of 100 quantiles over 1,000 records',
      { project: 'thousand', interval: '15min' },
      [['2026-11-20T10:05:00Z', 1, 1000, 500.5, 950, 990, 1000, 0]],
    ],
  ])('returns %s', async (_, parameters, expected) => {
    const rows = await rowsOf('functions.invocation-stats', { project: 'proj-a', ...parameters });
    expect(rows).toEqual(asObjects(expected));
  });
});

describe('usage.api-counts', () => {
  type Row = [string, number, number, number, number];
  const asObjects = (rows: Row[]): object[] =>
    rows.map(([timestamp, rest, storage, auth, realtime]) => ({
      timestamp,
      total_rest_requests: rest,
      total_storage_requests: storage,
      total_auth_requests: auth,
      total_realtime_requests: realtime,
    }));

  it.each<[string, Record<string, string>, Row[]]>([
    [
      'the last hour in hours, a path that matches twice in two columns',
      { interval: 'hourly' },
      [
        ['2026-11-20T09:00:00', 2, 1, 0, 1],
        ['2026-11-20T10:00:00', 0, 0, 1, 0],
      ],
    ],
    [
      'the last 60 minutes in minutes, zeros where no area matches',
      { interval: 'minutely' },
      [
        ['2026-11-20T09:07:00', 2, 1, 0, 0],
        ['2026-11-20T09:08:00', 0, 0, 0, 1],
        ['2026-11-20T10:00:00', 0, 0, 0, 0],
        ['2026-11-20T10:01:00', 0, 0, 0, 0],
        ['2026-11-20T10:07:00', 0, 0, 1, 0],
      ],
    ],
    [
      'the last 7 days in days from the exact start of the window',
      { interval: 'daily' },
      [
        ['2026-11-13T00:00:00', 1, 0, 0, 0],
        ['2026-11-19T00:00:00', 0, 0, 1, 0],
        ['2026-11-20T00:00:00', 3, 1, 1, 1],
      ],
    ],
    [
      'every project that the regular expression matches',
      { project: 'proj-[ab]\\.', interval: 'minutely' },
      [
        ['2026-11-20T09:07:00', 2, 1, 0, 0],
        ['2026-11-20T09:08:00', 0, 0, 0, 1],
        ['2026-11-20T10:00:00', 0, 0, 0, 0],
        ['2026-11-20T10:01:00', 0, 0, 0, 0],
        ['2026-11-20T10:07:00', 0, 0, 2, 0],
      ],
    ],
    ['no row for a project without requests', { project: 'proj-c', interval: 'daily' }, []],
  ])('returns %s', async (_, parameters, expected) => {
    const rows = await rowsOf('usage.api-counts', { project: 'proj-a', ...parameters });
    expect(rows).toEqual(asObjects(expected));
  });
});
