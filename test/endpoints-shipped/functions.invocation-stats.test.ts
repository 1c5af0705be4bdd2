// Tests of the endpoint functions.invocation-stats: definition, parameters, answers to known logs, and batches.
import fc from 'fast-check';
import { loadCatalogue } from '../../functions/endpoints/catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { parseParameters } from '../support/parse-parameters.ts';
import { encodeRows } from '../support/encode-rows.ts';
import {
  DAY,
  type EndpointOnEngine,
  HOUR,
  MINUTE,
  NOW,
  SECOND,
  expectOneJob,
  expectSameAnswers,
  instant,
  withLogs,
} from '../support/batch-runs.ts';
import { launchBrowser, openTab } from '../support/browser.ts';
import { startLocalService } from '../support/local-service.ts';
import { expectReadmeTables } from '../support/readme-tables.ts';
import {
  type ShippedEndpoint,
  expectSampleRows,
  expectSpecified,
  expectWindows,
  serveShippedEndpoint,
} from '../support/shipped-endpoint.ts';

const NAME = 'functions.invocation-stats';
const endpoint = loadCatalogue('sql').resolve(NAME) as Endpoint;

interface Invocation {
  at: string;
  ms: number;
  status: number;
  functionId?: string;
  project?: string;
}

/** Texts that a query, an encoding or a comparison might not take for what they are. */
const HOSTILE = [
  ...String.raw`' " \ \' \\ \u0061 % _ %27 @project ? $1 {} [] NULL # =1+1 __proto__ ../..`.split(
    ' ',
  ),
  ...['`', ' ', '  ', ' a', 'a ', 'a', 'A', 'a+b', 'a=b', 'a&project=b', '\u00a0'],
  ...["' OR '1'='1", "'; DROP TABLE function_relay_logs; --", '*/ SELECT 1 /*', "r'''"],
  ...['é', 'e\u0301', 'ß', 'ss', 'ı', 'ſ', '项目', '😀', '😀😀', '👩\u200d👩\u200d👧', '𝒳'],
  ...['مشروع', '\u202eabc', '\u200f', '\u2028', '\ufeff', '\uffff'],
  ...["'", '\\', '😀', 'ü'].map((character) => character.repeat(128)),
];

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
  ...HOSTILE.flatMap((text, index) => [
    { at: '2026-11-20T10:05:00.000Z', ms: index, status: 200, project: text },
    { at: '2026-11-20T10:05:00.000Z', ms: index, status: 200, project: 'p', functionId: text },
  ]),
  // One bucket with 1,000 records: 1 to 1000 ms.
  ...Array.from({ length: 1000 }, (_, index) => ({
    at: '2026-11-20T10:05:00.000Z',
    ms: ((index * 7) % 1000) + 1,
    status: 200,
    project: 'thousand',
  })),
];

let shipped: ShippedEndpoint;

beforeAll(async () => {
  shipped = await serveShippedEndpoint(NAME, {
    function_relay_logs: INVOCATIONS.map(asRecord),
  });
});

function asRecord(invocation: Invocation, index: number): object {
  return {
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
  };
}

afterAll(() => shipped.close());

const ON = (): EndpointOnEngine => ({ sqlDirectory: 'sql', name: NAME, engine: shipped.engine });
const rowsOf = (parameters: Record<string, string>): Promise<unknown> => shipped.rowsOf(parameters);

describe('the definition', () => {
  it('has the id, limits and caching times of the specification', () => {
    expectSpecified(endpoint);
  });

  it('has the parameters and columns of the specification', () => {
    expect(Object.keys(endpoint.parameters)).toEqual(['project', 'function_id', 'interval']);
    expect(endpoint.parameters.interval?.enum).toEqual(['5min', '15min', '1hr', '1day', '7day']);
    expect(Object.keys(endpoint.row)).toEqual([
      'timestamp',
      'min_execution_time',
      'max_execution_time',
      'avg_execution_time',
      'p95_execution_time',
      'p99_execution_time',
      'count',
      'error_count',
    ]);
    expect(endpoint.row.timestamp?.type).toBe('TIMESTAMP');
  });

  it('is warmed in batches over all parameters but the interval', () => {
    expect(endpoint.warming).toMatchObject({
      batchOver: ['project', 'function_id'],
      maxKeys: 1000,
    });
  });

  it('carries timestamp_bucket_array', () => {
    const text = 'CREATE TEMP FUNCTION timestamp_bucket_array(';
    expect(endpoint.sql.includes(text)).toBe(true);
  });

  it('has its parameters and columns in the README', () => {
    expectReadmeTables(endpoint);
  });
});

describe('the parameters', () => {
  it.each([
    ['the project alone', 'project=abc', 'abc', '', '1day'],
    ['every one', 'project=abc&function_id=f-1&interval=5min', 'abc', 'f-1', '5min'],
    ['an empty function_id as none', 'project=abc&function_id=', 'abc', '', '1day'],
    ['an empty interval as its default', 'project=abc&interval=', 'abc', '', '1day'],
    ['an unlisted interval as 1day', 'project=abc&interval=3weeks', 'abc', '', '1day'],
    ['128 characters', `project=${'a'.repeat(128)}`, 'a'.repeat(128), '', '1day'],
    ['other text', `project=%20%27%C2%A0&function_id=%22%5C`, " '\u00a0", '"\\', '1day'],
  ])('are read with %s', (_, queryString, project, function_id, interval) => {
    expect(parseParameters(endpoint, queryString)).toEqual({ project, function_id, interval });
  });

  it.each([
    ['no project', ''],
    ['an empty project', 'project='],
    ['a line break at the end of the project', 'project=abc%0A'],
    ['a project of 129 characters', `project=${'a'.repeat(129)}`],
    ['a project of 129 characters of two UTF-16 units', `project=${'%F0%9F%98%80'.repeat(129)}`],
  ])('are refused with %s', (_, queryString) => {
    expect(() => parseParameters(endpoint, queryString)).toThrow(/^Invalid parameters: project /);
  });

  it.each(['project', 'function_id'])('are refused with a control character in %s', (name) => {
    const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter(
      (character) => /\p{Cc}/u.test(character),
    );
    expect(controls).toHaveLength(65);
    for (const control of controls) {
      const query = new URLSearchParams({ project: 'a', function_id: 'f', [name]: `a${control}b` });
      expect(() => parseParameters(endpoint, query.toString())).toThrow(
        new RegExp(`^Invalid parameters: ${name} `),
      );
    }
  });
});

describe('an answer', () => {
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
    const rows = await rowsOf({ project: 'proj-a', ...parameters });
    expect(rows).toEqual(asObjects(expected));
  });
});

describe('any text for project or function_id', () => {
  const statistics = (ms: number): object => ({
    timestamp: '2026-11-20T10:05:00Z',
    min_execution_time: ms,
    max_execution_time: ms,
    avg_execution_time: ms,
    p95_execution_time: ms,
    p99_execution_time: ms,
    count: 1,
    error_count: 0,
  });

  it.each(HOSTILE.map((text, ms) => [text, ms] as const))(
    'is matched literally: %j',
    async (text, ms) => {
      const interval = '5min';
      expect(await rowsOf({ interval, project: text })).toEqual([statistics(ms)]);
      expect(await rowsOf({ interval, project: 'p', function_id: text })).toEqual([statistics(ms)]);
    },
  );

  it('is matched literally in a batch', () =>
    withLogs(ON(), { function_relay_logs: INVOCATIONS.map(asRecord) }, async ({ batch }) => {
      const results = await batch({ interval: '5min' }, [
        ...HOSTILE.map((text) => ({ project: text, function_id: '' })),
        ...HOSTILE.map((text) => ({ project: 'p', function_id: text })),
      ]);
      const expected = HOSTILE.map((_, ms) => ({ result: [statistics(ms)] }));
      expect(
        results.map(({ schema, rows }) => JSON.parse(encodeRows(schema, rows)) as unknown),
      ).toEqual([...expected, ...expected]);
    }));

  it.each([
    ['half of a surrogate pair', 'project=%ED%A0%BD', 'MALFORMED_QUERY_STRING'],
    ['a broken sequence', 'project=a&function_id=%C3', 'MALFORMED_QUERY_STRING'],
    ['a NUL', 'project=a%00', 'INVALID_PARAMETERS'],
    ['an escape', 'project=a&function_id=%1B%5B2J', 'INVALID_PARAMETERS'],
  ])('is refused where it has %s', async (_, query, reason) => {
    const { status, text } = await shipped.ask(query);
    expect([status, text]).toEqual([400, expect.stringContaining(`"reason":"${reason}"`)]);
  });
});

describe('a batch', () => {
  /** A record with any number of metadata entries and responses, and nothing sure in them. */
  const record = (spanMs: number, stepMs: number): fc.Arbitrary<object> =>
    fc.record({
      id: fc.constant('r'),
      timestamp: instant(spanMs, stepMs),
      metadata: fc.array(
        fc.record({
          project_ref: fc.constantFrom('proj-a', 'proj-a', 'proj-b', 'PROJ-A', '', null),
          function_id: fc.constantFrom('f1', 'f1', 'f2', 'f3', '', null),
          execution_time_ms: fc.oneof(
            fc.constantFrom(null, 0, 0.1, 0.2, 0.3, 1e9),
            fc.double({ min: 0, max: 5000, noNaN: true }),
          ),
          response: fc.array(
            fc.record({
              status_code: fc.constantFrom(null, 101, 200, 302, 399, 400, 404, 500, 599),
            }),
            { maxLength: 2 },
          ),
        }),
        { maxLength: 3 },
      ),
    });

  const keys = fc.uniqueArray(
    fc.record({
      project: fc.constantFrom('proj-a', 'proj-b', 'PROJ-A', 'proj', 'proj-c'),
      function_id: fc.constantFrom('', 'f1', 'f2', 'F1', 'unlisted'),
    }),
    {
      minLength: 1,
      maxLength: 8,
      selector: ({ project, function_id }) => `${project} ${function_id}`,
    },
  );

  it.each([
    ['5min', 5 * MINUTE, SECOND],
    ['15min', 15 * MINUTE, MINUTE],
    ['1hr', HOUR, MINUTE],
    ['1day', DAY, HOUR],
    ['7day', 7 * DAY, DAY],
  ])('of %s is its single queries, over random logs', async (interval, spanMs, stepMs) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record(spanMs, stepMs), { maxLength: 60, size: 'max' }),
        keys,
        fc.constantFrom(1, 2, 3, 1000),
        (rows, given, rowCountMax) =>
          expectSameAnswers(ON(), { function_relay_logs: rows }, { interval }, given, rowCountMax),
      ),
      { numRuns: 4 },
    );
  });

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
      ON(),
      {
        function_relay_logs: [
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
    expectOneJob(
      ON(),
      {
        function_relay_logs: Array.from({ length: 2000 }, (_, index) =>
          invocation(NOW, `proj-${index % 500}`, `f${index % 3}`, index),
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

it('has rows in the sample logs, which fit their table', () =>
  expectSampleRows(ON(), 'function_relay_logs', { function_id: '', interval: '7day' }));

// Made on purpose, on a machine with the font of the page: UPDATE_README_IMAGE=1.
if (process.env.UPDATE_README_IMAGE === '1') {
  it('is what the image of the README shows', async () => {
    const key = 'sqk_readme-image-key';
    const [service, browser] = await Promise.all([startLocalService(key), launchBrowser()]);
    const { page } = await openTab(browser, service.url);
    await page.setViewportSize({ width: 1280, height: 1340 });
    const project = String(endpoint.parameters.project?.example);
    await page.goto(`${service.url}/#${NAME}?project=${project}&interval=1day`);
    await page.fill('#key', key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#result table');
    const box = await page.locator('.panel .u-over').first().boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.7, (box?.y ?? 0) + 40);
    await page.evaluate('document.activeElement.blur()');
    await page.screenshot({ path: 'test/console.png' });
    await browser.close();
    await service.stop();
  });
}

it('reads a window that is one step longer than its buckets', async () => {
  await expectWindows(NAME, 'function_relay_logs', [
    ['5min', '2026-11-20T10:09:00Z', '6 minutes', '1'],
    ['15min', '2026-11-20T09:59:00Z', '16 minutes', '1'],
    ['1hr', '2026-11-20T09:14:00Z', '61 minutes', '1'],
    ['1day', '2026-11-19T09:15:00Z', '25 hours', '2'],
    ['7day', '2026-11-12T10:15:00Z', '8 days', '9'],
  ]);
});
