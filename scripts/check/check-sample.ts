// Reads the sample rows of a table, and checks them against its columns.
import { existsSync } from 'node:fs';
import type { EncodedRow, RowTable } from '../local-bigquery/index.ts';
import { RowsFileError, readRows } from '../sources/read-rows.ts';
import type { DefinitionFault } from '../faults/definition-fault.ts';

/** A table needs no sample: without the file there are no rows. More than `shownMax` faults would hide those of other files. */
export async function checkSample(
  file: string,
  table: RowTable,
  onRow: (row: EncodedRow) => void = () => undefined,
  shownMax = 10,
): Promise<DefinitionFault[]> {
  if (!existsSync(file)) return [];
  const faults: DefinitionFault[] = [];
  let faultCount = 0;
  const onFaultyLine = ({ line, reason }: RowsFileError): void => {
    faultCount += 1;
    if (faultCount > shownMax) return;
    faults.push({ file, ...(line === undefined ? {} : { line }), message: reason });
  };
  try {
    for await (const row of readRows(file, table, { onFaultyLine })) onRow(row);
  } catch (error) {
    // The rest of the file cannot be read.
    if (!(error instanceof RowsFileError)) throw error;
    onFaultyLine(error);
  }
  if (faultCount > shownMax) {
    faults.push({ file, message: `and ${faultCount - shownMax} more faulty lines` });
  }
  return faults;
}
