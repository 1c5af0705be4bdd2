// Checks that an answer of jobs.query or jobs.getQueryResults is the requested page of rows.
// https://cloud.google.com/bigquery/docs/reference/rest/v2/jobs/getQueryResults#response-body
import { detailsOf, invalidAnswer } from './classify-error.ts';
import { membersOf } from '../core/json.ts';
import {
  type ColumnSchema,
  NULL_IN_REQUIRED,
  type ResultPage,
  type WireRow,
} from '../core/query-runner.ts';

export interface ExpectedPage {
  /** Undefined for an answer of jobs.query, which names the job if there is one. */
  jobId: string | undefined;
  /** A RECORD without `fields` matches any fields. BigQuery calls most columns NULLABLE: REQUIRED is compared with the rows. */
  columns: readonly ColumnSchema[];
  rowCountMax: number;
  rowCount: number;
  /** Undefined before the first page. */
  totalRows: number | undefined;
}

export interface ResultsPage extends ResultPage {
  totalRows: number;
  bytesProcessed: number;
  bytesBilled: number | undefined;
  isCacheHit: boolean;
  pageToken: string | undefined;
}

/**
 * Undefined for a job that has not finished. Throws `invalidAnswer` if the answer is not about this job: another call may
 * succeed. Throws an Error that names the place, but no value, if the page does not fit the request.
 */
export function checkPage(answer: unknown, expected: ExpectedPage): ResultsPage | undefined {
  const { queryId, jobComplete, schema, totalRows, totalBytesBilled, cacheHit, ...page } =
    membersOf(answer);
  const jobId = jobIdOf(answer) ?? (expected.jobId === undefined ? textOf(queryId) : undefined);
  if (jobId === undefined || jobId !== (expected.jobId ?? jobId)) {
    throw invalidAnswer('The answer of BigQuery is not about this job.');
  }
  if (jobComplete !== true) return undefined;

  const rows = (page.rows ?? []) as WireRow[];
  const pageToken = textOf(page.pageToken);
  const fields = fieldsOf(schema, expected.columns);
  const total = countOf(totalRows, 'totalRows');
  if (total !== (expected.totalRows ?? total)) {
    throw unfit('totalRows is not that of the pages before');
  }
  for (const [index, row] of rows.entries()) {
    checkRow(row, fields, () => `row ${expected.rowCount + index + 1}`);
  }
  const rowCount = expected.rowCount + rows.length;
  const wanted = Math.min(total, expected.rowCountMax);
  const isEnd = pageToken === undefined || rowCount >= wanted;
  if (isEnd ? rowCount !== wanted : rows.length === 0) {
    throw unfit(`${wanted} rows are expected, but ${rowCount} have arrived`);
  }
  // BigQuery lists the warnings of a job that succeeded as `errors`; the local BigQuery has one of its own.
  const rowsCut = detailsOf(answer).find(
    ({ reason, message }) => reason === 'localRowsCut' && /^[\x20-\x7e]+$/.test(message),
  );
  return {
    ...{ jobId, schema: fields, rows, totalRows: total },
    bytesProcessed: bytesProcessedOf(answer),
    bytesBilled:
      totalBytesBilled === undefined ? undefined : countOf(totalBytesBilled, 'totalBytesBilled'),
    isCacheHit: cacheHit === true,
    localRowsCut: rowsCut?.message,
    pageToken: isEnd ? undefined : pageToken,
  };
}

/** What an answer says that its query processes; 0 if it says nothing. */
export function bytesProcessedOf(answer: unknown): number {
  return countOf(membersOf(answer).totalBytesProcessed ?? '0', 'totalBytesProcessed');
}

/** The job that an answer of the REST API is about; undefined for a query without a job. */
export function jobIdOf(answer: unknown): string | undefined {
  return textOf(membersOf(membersOf(answer).jobReference).jobId);
}

// https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#TableFieldSchema
const SAME_TYPES = new Map([
  ['INTEGER', 'INT64'],
  ['FLOAT', 'FLOAT64'],
  ['BOOLEAN', 'BOOL'],
  ['STRUCT', 'RECORD'],
  ['DECIMAL', 'NUMERIC'],
  ['BIGDECIMAL', 'BIGNUMERIC'],
]);

/** The name that `row` in endpoint.json uses for a type of column, which the REST API calls by several. */
export function columnType(name: string): string {
  return SAME_TYPES.get(name) ?? name;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The fields of a schema, or of a RECORD in it, with normalised types; throws unless they are the expected columns. */
function fieldsOf(schema: unknown, columns?: readonly ColumnSchema[], path?: string) {
  const place = path === undefined ? 'the schema' : `the schema of ${path}`;
  const { fields } = membersOf(schema);
  if (!Array.isArray(fields)) throw unfit(`${place} has no fields`);
  if (fields.length !== (columns ?? fields).length) {
    throw unfit(`${place} has ${fields.length} columns in place of ${columns?.length}`);
  }
  return (fields as ColumnSchema[]).map((field, index): ColumnSchema => {
    const { name, mode } = field;
    const type = columnType(field.type);
    const column: ColumnSchema = columns?.[index] ?? { name, type, ...(mode && { mode }) };
    const isList = column.mode === 'REPEATED';
    if (name !== column.name || type !== column.type || (mode === 'REPEATED') !== isList) {
      const wanted = `${column.name} ${column.type}${isList ? ' REPEATED' : ''}`;
      throw unfit(`column ${index + 1} of ${place} is another one than ${wanted}`);
    }
    const ownMode = column.mode === 'REQUIRED' ? column.mode : mode;
    const ownPath = path === undefined ? name : `${path}.${name}`;
    return {
      ...{ name, type, ...(ownMode && { mode: ownMode }) },
      ...(type === 'RECORD' && { fields: fieldsOf(field, column.fields, ownPath) }),
    };
  });
}

/** Whether it has all values, and none is null in a column, or a field, that is REQUIRED. */
function checkRow({ f }: WireRow, fields: readonly ColumnSchema[], place: () => string): void {
  if (f.length !== fields.length) throw unfit(`${place()} does not have ${fields.length} values`);
  for (const [index, { name, mode, fields: inner }] of fields.entries()) {
    const value = f[index]?.v ?? null;
    const within = () => `${place()}, ${name}`;
    if (value === null) {
      if (mode !== 'REQUIRED') continue;
      const error = unfit(`${within()} is null, but its mode is REQUIRED`);
      throw Object.assign(error, { code: NULL_IN_REQUIRED });
    }
    if (inner === undefined) continue;
    const records = mode === 'REPEATED' ? (value as { v: WireRow }[]) : [{ v: value as WireRow }];
    for (const { v } of records) checkRow(v, inner, within);
  }
}

/** An int64, which is text in JSON. */
function countOf(value: unknown, name: string): number {
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  throw unfit(`${name} is not a count`);
}

function unfit(what: string): Error {
  return new Error(`The result of BigQuery does not fit: ${what}.`);
}
