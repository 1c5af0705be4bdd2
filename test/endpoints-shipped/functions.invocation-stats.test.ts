// Tests of the endpoint functions.invocation-stats beside those of its folder: hostile texts, and batches of random logs.
import fc from 'fast-check';
import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  answersOf,
  expectSameAnswers,
  instant,
  withLogs,
} from '../support/bigquery/batch-runs.ts';

const NAME = 'functions.invocation-stats';

it('any text for project or function_id is matched literally, alone and in a batch', () => {
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
  /** Each with the next one as its function, beside others that only one of the two conditions excludes. */
  const pairs = HOSTILE.map(
    (text, index) => [text, HOSTILE.at(index + 1 - HOSTILE.length)!] as const,
  );
  const INVOCATIONS = pairs.flatMap(([project, functionId], ms) => [
    invocation('2026-11-20T10:05:00.000Z', project, functionId, ms),
    invocation('2026-11-20T10:05:00.000Z', project, 'another', 999),
    invocation('2026-11-20T10:05:00.000Z', 'another', functionId, 999),
  ]);

  function invocation(timestamp: string, project: string, functionId: string, ms: number): object {
    const of = { project_ref: project, function_id: functionId, execution_time_ms: ms };
    return { id: 'r', timestamp, metadata: [{ ...of, response: [{ status_code: 200 }] }] };
  }

  return withLogs(NAME, { function_relay_logs: INVOCATIONS }, async ({ single, batch }) => {
    const interval = '5min';
    const keys = pairs.map(([project, function_id]) => ({ project, function_id }));
    const expected = keys.map((_, ms) => {
      const times = { min_execution_time: ms, max_execution_time: ms, avg_execution_time: ms };
      const percentiles = { p95_execution_time: ms, p99_execution_time: ms };
      const timestamp = '2026-11-20T10:05:00Z';
      return { result: [{ timestamp, ...times, ...percentiles, count: 1, error_count: 0 }] };
    });
    expect(answersOf(await batch({ interval }, keys))).toEqual(expected);
    const alone = await Promise.all(keys.map((key) => single({ interval, ...key })));
    expect(answersOf(alone)).toEqual(expected);
  });
});

describe('a batch query', () => {
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
  ])('over %s has the rows of single queries, for random logs', (interval, spanMs, stepMs) => {
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
    return expectSameAnswers(NAME, 'function_relay_logs', record(spanMs, stepMs), interval, keys);
  });
});
