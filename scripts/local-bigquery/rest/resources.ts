// Writes a job as the resources of BigQuery's REST API.
import type { BigQueryError } from './error.ts';
import type { Job } from './jobs.ts';

export interface Page {
  /** The most rows; absent means all. */
  maxResults: number | undefined;
  startIndex: number;
}

/** Without what nothing here reads, such as timelines, owners and links. */
export function jobResource(job: Job): object {
  const { projectId, jobId, location, analysis } = job;
  const error = errorOf(job)?.toJob();
  const isDone = job.dryRun || job.outcome !== undefined;
  return {
    kind: 'bigquery#job',
    configuration: { jobType: 'QUERY', ...job.configuration },
    jobReference: { projectId, jobId, location },
    status: {
      state: isDone ? 'DONE' : 'RUNNING',
      ...(error ? { errorResult: error, errors: [error] } : warningsOf(job)),
    },
    statistics: {
      totalBytesProcessed: String(job.bytesProcessed),
      query: {
        statementType: analysis.statementKind,
        totalBytesProcessed: String(job.bytesProcessed),
        totalBytesBilled: String(job.bytesBilled),
        ...(job.dryRun ? { schema: { fields: analysis.columns } } : {}),
        referencedTables: job.tables.map((name) => {
          const [datasetId, tableId] = name.split('.');
          return { projectId, datasetId, tableId };
        }),
      },
    },
  };
}

/** The answer of jobs.query, or of getQueryResults, which has fewer fields. Throws the error of a query that failed. */
export function queryResource(
  kind: 'queryResponse' | 'getQueryResultsResponse',
  job: Job,
  page: Page,
): object {
  const { projectId, jobId, location, isJob } = job;
  const isQuery = kind === 'queryResponse';
  const common = {
    kind: `bigquery#${kind}`,
    ...(isJob && { jobReference: { projectId, jobId, location } }),
    ...(isQuery ? { queryId: jobId, location } : {}),
  };
  const error = errorOf(job);
  if (error) throw error;
  if (job.outcome === undefined || 'error' in job.outcome) return { ...common, jobComplete: false };
  const { rows, columns } = job.outcome.rows;
  const end = Math.min(rows.length, page.startIndex + (page.maxResults ?? Infinity));
  const shown = rows.slice(page.startIndex, end);
  return {
    ...common,
    jobComplete: true,
    schema: { fields: columns },
    // BigQuery leaves `rows` out of an empty result.
    ...(shown.length > 0 ? { rows: shown } : {}),
    totalRows: String(rows.length),
    ...(end < rows.length ? { pageToken: String(end) } : {}),
    totalBytesProcessed: String(job.bytesProcessed),
    ...(isQuery ? { totalBytesBilled: String(job.bytesBilled) } : {}),
    cacheHit: false,
    ...warningsOf(job),
  };
}

function errorOf(job: Job): BigQueryError | undefined {
  return job.outcome && 'error' in job.outcome ? job.outcome.error : undefined;
}

/** As BigQuery lists what a job that succeeded has to say; the reason is one of the local BigQuery alone. */
function warningsOf({ cuts }: Job): object {
  if (cuts.length === 0) return {};
  const cutText = ({ table, rowsRead, rows }: Job['cuts'][number]): string =>
    `${encodeURI(table)}; read=${rowsRead}; of=${rows}`;
  return { errors: [{ reason: 'localRowsCut', message: cuts.map(cutText).join(', ') }] };
}
