// Tests of the endpoint functions.invocation-stats: parameters, answers to known logs, and batches.
import fc from 'fast-check';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { parseParameters } from '../support/sql/parse-parameters.ts';
import {
  DAY,
  type EndpointOnEngine,
  HOUR,
  MINUTE,
  SECOND,
  answersOf,
  expectSameAnswers,
  instant,
  withLogs,
} from '../support/bigquery/batch-runs.ts';
import { expectSampleRows, serveShippedEndpoint } from '../support/sql/shipped-endpoint.ts';

const NAME = 'functions.invocation-stats';
const endpoint = loadCatalogue('sql').resolve(NAME) as Endpoint;

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

const INVOCATIONS = HOSTILE.flatMap((text, ms) => [
  invocation('2026-11-20T10:05:00.000Z', text, 'f1', ms),
  invocation('2026-11-20T10:05:00.000Z', 'p', text, ms),
]);

const { rowsOf, engine } = await serveShippedEndpoint(NAME, { function_relay_logs: INVOCATIONS });
const ON: EndpointOnEngine = { sqlDirectory: 'sql', name: NAME, engine };

describe('the parameters', () => {
  it.each([
    ['128 characters', `project=${'a'.repeat(128)}`, 'a'.repeat(128), ''],
    ['other text', `project=%20%27%C2%A0&function_id=%22%5C`, " '\u00a0", '"\\'],
  ])('are read with %s', (_, queryString, project, function_id) => {
    const interval = '1day';
    expect(parseParameters(endpoint, queryString)).toEqual({ project, function_id, interval });
  });

  it.each([
    ['129 characters', `project=${'a'.repeat(129)}`],
    ['129 characters of two UTF-16 units', `project=${'%F0%9F%98%80'.repeat(129)}`],
  ])('are rejected if the project is %s', (_, queryString) => {
    expect(() => parseParameters(endpoint, queryString)).toThrow(/^Invalid parameters: project /);
  });

  it.each(['project', 'function_id'])('are rejected for a control character in %s', (name) => {
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

describe('any text for project or function_id', () => {
  const statistics = (ms: number): object => ({
    timestamp: '2026-11-20T10:05:00Z',
    ...{ min_execution_time: ms, max_execution_time: ms, avg_execution_time: ms },
    ...{ p95_execution_time: ms, p99_execution_time: ms },
    ...{ count: 1, error_count: 0 },
  });

  // Of each kind one: the batch below has them all.
  it.each(['a', "' OR '1'='1", '\\', '%', '__proto__', 'a&project=b', 'é', '👩\u200d👩\u200d👧'])(
    'is matched literally: %j',
    async (text) => {
      const expected = [statistics(HOSTILE.indexOf(text))];
      const interval = '5min';
      expect(await rowsOf({ interval, project: text })).toEqual(expected);
      expect(await rowsOf({ interval, project: 'p', function_id: text })).toEqual(expected);
    },
  );

  it('is matched literally in a batch', () =>
    withLogs(ON, { function_relay_logs: INVOCATIONS }, async ({ batch }) => {
      const results = await batch({ interval: '5min' }, [
        ...HOSTILE.map((text) => ({ project: text, function_id: '' })),
        ...HOSTILE.map((text) => ({ project: 'p', function_id: text })),
      ]);
      const expected = HOSTILE.map((_, ms) => ({ result: [statistics(ms)] }));
      expect(answersOf(results)).toEqual([...expected, ...expected]);
    }));
});

describe('a batch query', () => {
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
  ])('over %s has the rows of single queries, for random logs', (interval, spanMs, stepMs) =>
    expectSameAnswers(ON, 'function_relay_logs', record(spanMs, stepMs), interval, keys),
  );
});

it('has rows for the sample logs, which match the table schema', () =>
  expectSampleRows(ON, 'function_relay_logs', { function_id: '', interval: '7day' }));

function invocation(timestamp: string, project: string, functionId: string, ms: number): object {
  const of = { project_ref: project, function_id: functionId, execution_time_ms: ms };
  return { id: 'r', timestamp, metadata: [{ ...of, response: [{ status_code: 200 }] }] };
}
