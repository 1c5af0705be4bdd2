// The faults of BigQuery, each with the error that a request without stored rows may get for it.
import type { Reason } from '../../functions/core/errors.ts';
import type {
  BigQueryCall,
  BigQueryFault,
  ResultsAnswer,
} from '../support/bigquery/bigquery-proxy.ts';

/** Target of redirects; a call to it means that a redirect was followed. */
export const STRAY_PATH = '/bigquery/v2/stray';

/** The errors of a request whose query is not done in time. The jobs that such requests leave are bounded for each key. */
export const LATE: readonly Reason[] = [
  'QUERY_DEADLINE_EXCEEDED',
  'QUERY_RUNNING',
  'QUERY_STARTING',
  'JOBS_RUNNING',
];

const HTML = '<!doctype html><title>Sign in</title>';

/** Changes rows or columns of BigQuery's answer; an answer without rows is unchanged. */
function edit(change: (answer: ResultsAnswer) => object): BigQueryFault {
  const isPage = ({ jobComplete, rows, schema }: Partial<ResultsAnswer>): boolean =>
    jobComplete === true && (rows?.length ?? 0) > 0 && schema !== undefined;
  return { edit: (answer) => (isPage(answer) ? change(answer) : answer) };
}

/** Faults of all calls, or of those for results, by the error that they cause; each may also cause one of `LATE`. */
const FAULTS: [Reason, 'all' | 'results', Record<string, BigQueryFault>][] = [
  ['QUERY_DEADLINE_EXCEEDED', 'all', { slow: { delayMs: 1500 } }],
  ['QUERY_DEADLINE_EXCEEDED', 'results', { unfinished: { unfinishedAfterMs: 1000 } }],
  [
    'QUERY_QUOTA_EXHAUSTED',
    'all',
    { 'over its quota': { code: 403, reason: 'rateLimitExceeded' } },
  ],
  [
    'QUERY_ENGINE_UNAVAILABLE',
    'all',
    {
      'error 500': { code: 500, reason: 'backendError' },
      // Nobody knows whether a query without a job has begun.
      stalled: 'stall',
      cut: 'cut',
      'cut after the work': 'cut-after',
      'cut in the middle': 'cut-half',
      'headers without end': 'endless-headers',
      HTML: { answer: { body: HTML, headers: { 'content-type': 'text/html' } } },
      'HTML as JSON': { answer: { body: HTML } },
      'HTML with 404': { answer: { status: 404, body: HTML } },
      null: { answer: { body: 'null' } },
      'an empty object': { answer: { body: '{}' } },
      'a redirect': { answer: { status: 307, headers: { location: STRAY_PATH } } },
    },
  ],
  [
    'QUERY_ENGINE_UNAVAILABLE',
    'results',
    { 'jobs vanished': { code: 404, reason: 'notFound', message: 'Not found: Job p:US.j' } },
  ],
  [
    'RESULT_BYTES_LIMIT',
    'results',
    { 'a body without end': 'endless', '3 MB': { answer: { body: ' '.repeat(3_000_000) } } },
  ],
  [
    // Results that do not fit their schema, count or types: the service must not answer with them.
    'INTERNAL',
    'results',
    {
      'a column less': edit(({ schema: { fields }, ...answer }) => {
        return { ...answer, schema: { fields: fields.slice(1) } };
      }),
      'a row less': edit((answer) => ({ ...answer, rows: answer.rows.slice(1) })),
    },
  ],
];

export const BIGQUERY_FAULTS = FAULTS.flatMap(([reason, calls, faults]) =>
  Object.entries(faults).map(([name, fault]) => ({
    name: `BigQuery ${name}`,
    faultOf: ({ kind }: BigQueryCall) =>
      calls === 'all' || kind === 'results' || kind === 'query' ? fault : 'pass',
    reason,
  })),
);
