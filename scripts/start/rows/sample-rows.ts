// The rows that tables have without an export: sample.ndjson in the folder of the source, or the sample logs.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../../functions/core/describe-error.ts';
import { createTableRowEncoder, type EncodedRow } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/source.ts';
import { type LocalRows, ignoredFields } from './local-rows.ts';
import { RowsFileError, readRows } from '../../sources/read-rows.ts';
import { type SampleLogs, sampleLogs } from './sample-logs.ts';

interface SampleRows extends LocalRows {
  /** The tables that have sample logs, of which new ones may be added. */
  generated: (keyof SampleLogs)[];
}

/** The most rows of a table that are kept while new sample logs are added. */
const GENERATED_ROWS_MAX = 25_000;

/** `directory` holds the folders of the sources. Reading a sample.ndjson throws `RowsFileError`. */
export function readSampleRows(
  directory: string,
  sources: readonly Source[],
  nowMs: number,
): SampleRows {
  const logs = sampleLogs({ nowMs });
  const generated: (keyof SampleLogs)[] = [];
  const tables = sources.map((source) => {
    const folder = join(directory, source.name);
    const file = join(folder, 'sample.ndjson');
    const stat = statSync(file, { throwIfNoEntry: false });
    // Reading a pipe would wait for a writer.
    if (stat !== undefined && !stat.isFile()) throw new RowsFileError(file, 'is not a file');
    if (stat !== undefined) {
      const ignored = new Set<string>();
      const rows = readRows(file, source, {
        name: file,
        onUnknownField: (field) => ignored.add(field),
      });
      return { ...source, rows, notes: () => ignoredFields(file, ignored) };
    }
    if (isSampleLog(source.name, logs)) {
      generated.push(source.name);
      const rows = encodeLogs(logs[source.name], source, folder);
      return { ...source, rows, rowsMax: GENERATED_ROWS_MAX, notes: () => [] };
    }
    return {
      ...source,
      rows: [],
      notes: () => [`${source.name} has no rows: put sample.ndjson into ${folder}`],
    };
  });
  return { tables, generated, notes: () => tables.flatMap(({ notes }) => notes()) };
}

// oxlint-disable-next-line typescript/require-await -- Rows that are encoded come asynchronously.
async function* encodeLogs(
  logs: readonly object[],
  source: Source,
  folder: string,
): AsyncGenerator<EncodedRow> {
  const encode = createTableRowEncoder(source);
  try {
    for (const log of logs) yield encode(log);
  } catch (err) {
    const fault = `the sample logs do not fit schema.json (${errorMessage(err)})`;
    throw new Error(`${source.name}: ${fault}; put sample.ndjson into ${folder}`, { cause: err });
  }
}

function isSampleLog(name: string, logs: SampleLogs): name is keyof SampleLogs {
  return Object.hasOwn(logs, name);
}
