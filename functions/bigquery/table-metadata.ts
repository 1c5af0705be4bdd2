// Reads BigQuery's metadata of a table, without a query.
// https://cloud.google.com/bigquery/docs/reference/rest/v2/tables/get
import type { Clock } from '../core/clock.ts';
import { isObject, isText } from '../core/json.ts';
import type { DescribeTable } from '../core/query-runner.ts';
import { type RestCall, smallCall } from './rest.ts';
import { invalidAnswer } from './classify-error.ts';

const FIELDS =
  'type,numRows,numBytes,lastModifiedTime,streamingBuffer(estimatedRows),timePartitioning(field)';

export function createDescribeTable(call: RestCall, clock: Clock): DescribeTable {
  return async ({ project, dataset, table }, deadlineMs) => {
    const path = `/datasets/${encodeURIComponent(dataset)}/tables/${encodeURIComponent(table)}`;
    const withinMs = deadlineMs - clock.nowMs();
    const limits = { clock, withinMs, project };
    const answer = await smallCall(call, ['GET', path, { fields: FIELDS }, undefined], limits);
    const fields = isObject(answer) ? answer : {};
    const { type, numRows, numBytes, lastModifiedTime, streamingBuffer } = fields;
    // A view has no rows of its own.
    const [rows = '', size = '', modified = ''] = [numRows, numBytes, lastModifiedTime];
    if (!isText(type) || !isText(rows) || !isText(size) || !isText(modified)) {
      throw invalidAnswer('BigQuery does not describe the table.');
    }
    const { field } = isObject(fields.timePartitioning) ? fields.timePartitioning : {};
    const partitionColumn = isText(field) ? field : undefined;
    const isStreaming = streamingBuffer !== undefined;
    return { type, rows, bytes: size, modified, isStreaming, partitionColumn };
  };
}
