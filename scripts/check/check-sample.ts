// Checks the sample rows of a table against its columns.
import { existsSync } from 'node:fs';
import type { RowTable } from '../local-bigquery/index.ts';
import { RowsFileError, readRows } from '../sources/read-rows.ts';
import type { DefinitionFault } from '../faults/definition-fault.ts';

interface SampleCheck {
  rowCount: number;
  faults: DefinitionFault[];
}

/** More of them would hide the faults of other files. */
const SHOWN_MAX = 10;

/** A table needs no sample: without the file there are no rows and no faults. */
export async function checkSample(file: string, table: RowTable): Promise<SampleCheck> {
  const faults: DefinitionFault[] = [];
  let rowCount = 0;
  let faultCount = 0;
  const onFaultyLine = ({ line, reason }: RowsFileError): void => {
    faultCount += 1;
    if (faultCount > SHOWN_MAX) return;
    faults.push({ file, ...(line === undefined ? {} : { line }), message: reason });
  };
  if (!existsSync(file)) return { rowCount, faults };
  try {
    for await (const _ of readRows(file, table, { onFaultyLine })) rowCount += 1;
  } catch (error) {
    // The rest of the file cannot be read.
    if (!(error instanceof RowsFileError)) throw error;
    onFaultyLine(error);
  }
  if (faultCount > SHOWN_MAX) {
    faults.push({ file, message: `and ${faultCount - SHOWN_MAX} more faulty lines` });
  }
  return { rowCount, faults };
}
