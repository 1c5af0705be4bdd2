// Tests of the endpoint functions.invocation-stats beside those of its folder: batches of random logs.
import fc from 'fast-check';
import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  expectSameAnswers,
  instant,
} from '../support/bigquery/batch-runs.ts';

const NAME = 'functions.invocation-stats';

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
