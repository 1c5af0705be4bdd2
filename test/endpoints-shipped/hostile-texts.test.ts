// Tests that functions.invocation-stats takes hostile texts for what they are: in a query of one result, and in a batch.
import { answersOf, withLogs } from '../support/bigquery/batch-runs.ts';

// Texts that a query, an encoding or a comparison might not take for what they are, or for others of their group.
it.each<[string, string[]]>([
  ['escapes', String.raw`' " \ \' \\ \u0061 a %27 @project`.split(' ')],
  ['patterns', '% _ ? $1 {} [] NULL # =1+1 __proto__ ../..'.split(' ')],
  ['spaces', ['`', ' ', '  ', ' a', 'a ', 'a', 'A', 'a+b', 'a=b', 'a&project=b', '\u00a0']],
  ['SQL', ["' OR '1'='1", "'; DROP TABLE function_relay_logs; --", '*/ SELECT 1 /*', "r'''"]],
  [
    'letters',
    ['é', 'e\u0301', 'ß', 'ss', 'ı', 'ſ', '项目', '😀', '😀😀', '👩\u200d👩\u200d👧', '𝒳'],
  ],
  ['directions', ['مشروع', '\u202eabc', '\u200f', '\u2028', '\ufeff', '\uffff']],
  ['lengths', ["'", '\\', '😀', 'ü'].map((character) => character.repeat(128))],
])(
  'any text for project or function_id is matched literally, alone and in a batch: %s',
  (_, texts) => {
    // Each with each, so that another one in its place changes the answer; asked for with the next.
    const invocations = texts.flatMap((project, at) =>
      texts.map((function_id, of) => ({
        ...{ project, function_id, ms: at * texts.length + of },
        isAsked: of === (at + 1) % texts.length,
      })),
    );
    const asked = invocations.filter(({ isAsked }) => isAsked);
    const function_relay_logs = invocations.map(({ project, function_id, ms }) => {
      const of = { project_ref: project, function_id, execution_time_ms: ms };
      const metadata = [{ ...of, response: [{ status_code: 200 }] }];
      return { id: 'r', timestamp: '2026-11-20T10:05:00.000Z', metadata };
    });

    return withLogs(
      'functions.invocation-stats',
      { function_relay_logs },
      async ({ single, batch }) => {
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
      },
    );
  },
);
