// The faults of BigQuery, each with the error that a request without stored rows may get for it.
import type { Reason } from '../../functions/core/errors.ts';
import type {
  BigQueryCall,
  BigQueryFault,
  ResultsAnswer,
} from '../support/bigquery/bigquery-proxy.ts';

export interface NamedBigQueryFault {
  name: string;
  fault: BigQueryFault;
  /** Kinds of calls that it affects; all if absent. */
  kinds?: readonly BigQueryCall['kind'][];
  reason: Reason;
}

/** Target of redirects; a call to it means that a redirect was followed. */
export const STRAY_PATH = '/bigquery/v2/stray';

const HTML = '<!doctype html><title>Sign in</title>';
const RESULTS = ['results'] as const;

/** Changes rows or columns of BigQuery's answer; an answer without rows is unchanged. */
function edit(change: (answer: ResultsAnswer) => object): BigQueryFault {
  const isPage = ({ jobComplete, rows, schema }: Partial<ResultsAnswer>): boolean =>
    jobComplete === true && (rows?.length ?? 0) > 0 && schema !== undefined;
  return { edit: (answer) => (isPage(answer) ? change(answer) : answer) };
}

/** Changes the last column of the first row, an INT64 in every query. */
function lastValue(v: unknown): BigQueryFault {
  return edit((answer) => ({
    ...answer,
    rows: answer.rows.map((row, at) => (at === 0 ? { f: [...row.f.slice(0, -1), { v }] } : row)),
  }));
}

/** Results that do not fit their schema, count or types: the service must not answer with them. */
const UNFIT: [string, BigQueryFault][] = [
  ['a column less', edit((answer) => withFields(answer, answer.schema.fields.slice(0, -1)))],
  [
    'columns in another order',
    edit((answer) => withFields(answer, answer.schema.fields.toReversed())),
  ],
  [
    'another type',
    edit((answer) =>
      withFields(
        answer,
        answer.schema.fields.map((field) => ({ ...field, type: 'STRING' })),
      ),
    ),
  ],
  ['a row less', edit((answer) => ({ ...answer, rows: answer.rows.slice(1) }))],
  ['rows twice', edit((answer) => ({ ...answer, rows: [...answer.rows, ...answer.rows] }))],
  ['another count', edit((answer) => ({ ...answer, totalRows: String(answer.rows.length + 1) }))],
  ['a number in another base', lastValue('0x10')],
  ['an empty number', lastValue('')],
];

function withFields(answer: ResultsAnswer, fields: ResultsAnswer['schema']['fields']): object {
  return { ...answer, schema: { fields } };
}

/** Each of them may also cause QUERY_DEADLINE_EXCEEDED. */
export const BIGQUERY_FAULTS: NamedBigQueryFault[] = [
  { name: 'slow', fault: { delayMs: 1500 }, reason: 'QUERY_DEADLINE_EXCEEDED' },
  { name: 'stalled', fault: 'stall', reason: 'QUERY_DEADLINE_EXCEEDED' },
  {
    name: 'unfinished',
    fault: { unfinishedAfterMs: 1000 },
    kinds: RESULTS,
    reason: 'QUERY_DEADLINE_EXCEEDED',
  },
  {
    name: 'over its quota',
    fault: { code: 403, reason: 'rateLimitExceeded' },
    reason: 'QUERY_QUOTA_EXHAUSTED',
  },
  ...(
    [
      ['500', { code: 500, reason: 'backendError' }],
      ['cut', 'cut'],
      ['cut after the work', 'cut-after'],
      ['cut in the middle', 'cut-half'],
      ['headers without end', 'endless-headers'],
      ['HTML', { answer: { body: HTML, headers: { 'content-type': 'text/html' } } }],
      ['HTML as JSON', { answer: { body: HTML } }],
      ['HTML with 404', { answer: { status: 404, body: HTML } }],
      ['null', { answer: { body: 'null' } }],
      ['an empty object', { answer: { body: '{}' } }],
      ['a redirect', { answer: { status: 307, headers: { location: STRAY_PATH } } }],
    ] satisfies [string, BigQueryFault][]
  ).map(([name, fault]) => ({ name, fault, reason: 'QUERY_ENGINE_UNAVAILABLE' as const })),
  {
    name: 'jobs vanished',
    fault: { code: 404, reason: 'notFound', message: 'Not found: Job test-project:US.j' },
    kinds: RESULTS,
    reason: 'QUERY_ENGINE_UNAVAILABLE',
  },
  { name: 'a body without end', fault: 'endless', kinds: RESULTS, reason: 'RESULT_BYTES_LIMIT' },
  {
    name: 'a body of 3 MB',
    fault: { answer: { body: ' '.repeat(3_000_000) } },
    kinds: RESULTS,
    reason: 'RESULT_BYTES_LIMIT',
  },
  ...UNFIT.map(([name, fault]) => ({
    name,
    fault,
    kinds: RESULTS,
    reason: 'INTERNAL' as const,
  })),
];
