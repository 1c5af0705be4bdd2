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
  /** Texts that a query, an encoding or a comparison might not take for what they are, or for others of their group. */
  const HOSTILE = [
    String.raw`' " \ \' \\ \u0061 a %27 @project`.split(' '),
    '% _ ? $1 {} [] NULL # =1+1 __proto__ ../..'.split(' '),
    ['`', ' ', '  ', ' a', 'a ', 'a', 'A', 'a+b', 'a=b', 'a&project=b', '\u00a0'],
    ["' OR '1'='1", "'; DROP TABLE function_relay_logs; --", '*/ SELECT 1 /*', "r'''"],
    ['é', 'e\u0301', 'ß', 'ss', 'ı', 'ſ', '项目', '😀', '😀😀', '👩\u200d👩\u200d👧', '𝒳'],
    ['مشروع', '\u202eabc', '\u200f', '\u2028', '\ufeff', '\uffff'],
    ["'", '\\', '😀', 'ü'].map((character) => character.repeat(128)),
  ];
  // Each text with each of its group, so that another one in its place changes the answer; asked for with the next.
  const invocations = HOSTILE.flatMap((texts) =>
    texts.flatMap((project, at) =>
      texts.map((function_id, of) => ({
        ...{ project, function_id, isAsked: of === (at + 1) % texts.length },
      })),
    ),
  ).map((invocation, ms) => ({ ...invocation, ms }));
  const asked = invocations.filter(({ isAsked }) => isAsked);
  const function_relay_logs = invocations.map(({ project, function_id, ms }) => {
    const of = { project_ref: project, function_id, execution_time_ms: ms };
    const metadata = [{ ...of, response: [{ status_code: 200 }] }];
    return { id: 'r', timestamp: '2026-11-20T10:05:00.000Z', metadata };
  });

  return withLogs(NAME, { function_relay_logs }, async ({ single, batch }) => {
    const interval = '5min';
    const keys = asked.map(({ project, function_id }) => ({ project, function_id }));
    const expected = asked.map(({ ms }) => {
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
