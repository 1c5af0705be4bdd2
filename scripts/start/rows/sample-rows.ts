// The rows of tables without an export: sample.ndjson in the folder of the source, or the sample logs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { errorMessage } from '../../../functions/core/errors.ts';
import { checkSample } from '../../check/check-sources.ts';
import { type DefinitionFault, FaultsError } from '../../faults/definition-fault.ts';
import { createTableRowEncoder } from '../../local-bigquery/index.ts';
import type { EncodedRow, LocalTable } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';
import { isSampleTable, lastDays, sampleLogs } from './sample-logs.ts';

/** Its rows are read on demand. */
export interface NotedTable extends LocalTable {
  /** Notes for the user about the rows, a sentence each; complete once all rows have been read. */
  notes: () => string[];
}

/** The most rows of a table that are kept while new sample logs are added: more than eight days, and all can be read. */
const GENERATED_ROWS_MAX = 27_000;

/** `directory` contains the folders of the sources. Throws a FaultsError with the faults of all files. */
export async function readSampleRows(directory: string, sources: readonly Source[], nowMs: number) {
  /** The tables that have sample logs, of which new ones may be added. */
  const generated: string[] = [];
  const faults: DefinitionFault[] = [];
  const tables: NotedTable[] = [];
  for (const source of sources) {
    const { name } = source;
    const folder = join(directory, name);
    const file = join(folder, 'sample.ndjson');
    if (existsSync(file)) {
      const rows: EncodedRow[] = [];
      faults.push(...(await checkSample(file, source, (row) => rows.push(row))));
      tables.push({ ...source, rows: Readable.from(rows), notes: () => [] });
    } else if (isSampleTable(name)) {
      generated.push(name);
      requireFit(sampleLogs(name, lastDays(nowMs)), source, folder);
      const rows = sampleLogs(name, lastDays(nowMs));
      tables.push({ ...source, rows, rowsMax: GENERATED_ROWS_MAX, notes: () => [] });
    } else {
      const notes = () => [`${name} has no rows: put sample.ndjson into ${folder}`];
      tables.push({ ...source, rows: [], notes });
    }
  }
  if (faults.length > 0) throw new FaultsError(faults);
  return { tables, generated };
}

/** Checks one record: all sample logs of a table have the same fields. */
function requireFit([first]: Iterable<object>, source: Source, folder: string): void {
  try {
    createTableRowEncoder(source)(first);
  } catch (err) {
    const fault = `the sample logs do not fit schema.json (${errorMessage(err)})`;
    throw new Error(`${source.name}: ${fault}; put sample.ndjson into ${folder}`, { cause: err });
  }
}
