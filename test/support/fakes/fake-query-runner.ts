// A query runner that records its requests and answers what the test gives it.
import type {
  JobState,
  QueryOutcome,
  QueryRequest,
  QueryRunner,
  QueryIds,
  WireRow,
} from '../../../functions/core/query-runner.ts';
import type { QueryResult } from '../bigquery/local-bigquery.ts';
import { columns } from '../sql/columns.ts';

/** A result, an error, a promise that the test settles, or a function of the request. */
type Answer =
  | QueryResult
  | Error
  | Promise<QueryResult>
  | ((request: QueryRequest) => QueryResult | Promise<QueryResult>);

export class FakeQueryRunner implements QueryRunner {
  readonly requests: QueryRequest[] = [];
  #answers: Answer[] = [queryResult()];

  /** What the next runs answer, one after the other; the last answer is repeated. */
  answerWith(...answers: [Answer, ...Answer[]]): void {
    this.#answers = answers;
  }

  /** Awaited before each answer: other things happen while the query runs. */
  before: (request: QueryRequest) => Promise<void> | void = () => undefined;

  /** The ids of the queries that were cancelled. */
  readonly cancelled: string[] = [];

  cancel({ requestId }: QueryIds): Promise<void> {
    this.cancelled.push(requestId);
    return Promise.resolve();
  }

  /** What BigQuery says of a job; by default each runs. */
  readonly jobs = new Map<string, JobState>();

  look(jobId: string): Promise<JobState | undefined> {
    return Promise.resolve(this.jobs.get(jobId) ?? { isDone: false, bytesBilled: 0 });
  }

  /** What a dry run says. */
  estimatedBytes = 10_485_760;

  async run(request: QueryRequest): Promise<QueryOutcome> {
    await request.reserve?.(() => Promise.resolve(this.estimatedBytes));
    this.requests.push(request);
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    await this.before(request);
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'function') return handOn(request, await answer(request));
    return handOn(request, (await answer) ?? queryResult());
  }
}

/** By default one row with the number 1. */
export function queryResult(fields: Partial<QueryResult> = {}): QueryResult {
  return {
    schema: [{ name: 'count', type: 'INT64', mode: 'REQUIRED' }],
    rows: [{ f: [{ v: '1' }] }],
    truncated: false,
    jobId: 'job-1',
    bytesProcessed: 1024,
    bytesBilled: 10_485_760,
    ...fields,
  };
}

/** A row as BigQuery answers it. */
export const wireRow = (...values: unknown[]): WireRow => ({ f: values.map((v) => ({ v })) });

/** A row for each result that is asked for: those of a batch have their keys, and are in their order. */
export async function answerEach(
  { keys, parameters, onPage }: QueryRequest,
  list: string,
  valuesOf: (of: Record<string, unknown>) => unknown[],
  fields: Partial<QueryResult> = {},
): Promise<QueryResult> {
  if (keys === undefined)
    return queryResult({
      ...{ schema: columns(list), rows: [wireRow(...valuesOf(parameters))] },
      ...fields,
    });
  const schema = columns(`key STRING, ${list}`);
  const sorted = [...keys].sort((a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1));
  const rows = sorted.map((of) => wireRow(of.key, ...valuesOf(of)));
  await onPage({ schema, rows, jobId: 'batch' });
  return queryResult({ schema, rows: [], ...fields });
}

/** As the role requires: gives the rows to `onPage`. For a batch, the answer has to do so itself; else its results have no rows. */
async function handOn(request: QueryRequest, result: QueryResult): Promise<QueryOutcome> {
  const { schema, rows, jobId, bytesBilled } = result;
  request.onBilled?.(bytesBilled);
  if (request.keys === undefined) await request.onPage({ schema, rows, jobId });
  return result;
}
