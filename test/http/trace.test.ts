// Tests of the trace name in log lines.
import { traceOf } from '../../functions/http/request-headers.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';

it.each<[string, string | undefined, string | undefined, string | undefined]>([
  ['a traceparent', `00-${ID}-00f067aa0ba902b7-01`, undefined, `projects/p/traces/${ID}`],
  ['the older header of Google', undefined, `${ID}/123;o=1`, `projects/p/traces/${ID}`],
  ['the older header in capitals', undefined, ID.toUpperCase(), `projects/p/traces/${ID}`],
  ['traceparent first', `00-${ID}-00f067aa0ba902b7-01`, 'f'.repeat(32), `projects/p/traces/${ID}`],
  ['nothing without either', undefined, undefined, undefined],
  ['nothing of a malformed one', '00-xyz-1-01', '"}{', undefined],
])('reads the trace id: %s', (_, traceparent, cloudTraceContext, expected) => {
  const headers = { traceparent, 'x-cloud-trace-context': cloudTraceContext };
  expect(traceOf('p', headers)).toBe(expected);
});
