// Runs a query and keeps its rows, as the service never does.
import type {
  ColumnSchema,
  QueryOutcome,
  QueryRequest,
  QueryRunner,
  WireRow,
} from '../../../functions/core/query-runner.ts';

export interface QueryResult extends QueryOutcome {
  schema: ColumnSchema[];
  rows: WireRow[];
}

/** The outcome of a run with its rows. */
export async function collectRows(
  runner: QueryRunner,
  request: Omit<QueryRequest, 'onPage' | 'cause'> & Partial<Pick<QueryRequest, 'cause'>>,
): Promise<QueryResult> {
  const result: Pick<QueryResult, 'schema' | 'rows'> = { schema: [], rows: [] };
  const outcome = await runner.run({
    cause: 'miss',
    ...request,
    onPage: ({ schema, rows }) => {
      result.schema = schema;
      result.rows.push(...rows);
      return Promise.resolve();
    },
  });
  return { ...result, ...outcome };
}
