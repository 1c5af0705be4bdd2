// Reads the sample rows of a table, and checks them against its columns.
import { existsSync } from 'node:fs';
import type { EncodedRow, RowTable } from '../local-bigquery/index.ts';
import { RowsFileError, readRows } from '../sources/read-rows.ts';
import type { DefinitionFault } from '../faults/definition-fault.ts';

/** More of them would hide the faults of other files. */
const SHOWN_MAX = 10;

/** A table needs no sample: without the file there are no rows. */
export async function checkSample(
  file: string,
  table: RowTable,
  onRow: (row: EncodedRow) => void = () => undefined,
): Promise<DefinitionFault[]> {
  if (!existsSync(file)) return [];
  const faults: DefinitionFault[] = [];
  let faultCount = 0;
  const onFaultyLine = ({ line, reason }: RowsFileError): void => {
    faultCount += 1;
    if (faultCount > SHOWN_MAX) return;
    faults.push({ file, ...(line === undefined ? {} : { line }), message: reason });
  };
  try {
    for await (const row of readRows(file, table, { onFaultyLine })) onRow(row);
  } catch (error) {
    // The rest of the file cannot be read.
    if (!(error instanceof RowsFileError)) throw error;
    onFaultyLine(error);
  }
  const count = faultCount - SHOWN_MAX;
  if (count > 0) faults.push({ file, message: `and ${count} more faulty lines`, count });
  return faults;
}
