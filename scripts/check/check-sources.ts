// Checks the folder of every table: its columns, how it is stored, and its sample rows against the columns.
import { dirname, join, relative, sep } from 'node:path';
import { existsSync } from 'node:fs';
import { counted } from '../cli/table.ts';
import { type Source, inspectSources } from '../sources/read-sources.ts';
import { type EncodedRow, type RowTable, nameParts } from '../local-bigquery/index.ts';
import { readRows } from '../sources/read-rows.ts';
import { type DefinitionFault, FaultsError } from '../faults/definition-fault.ts';

/**
 * `directory` is `sql/sources`. For the queries of a few endpoints, `ofQueries`, the sample rows are not read, there are no lines,
 * and the faults are those of tables that they name.
 */
export async function checkSources(directory: string, ofQueries?: readonly string[]) {
  const { sources, faults: all } = await inspectSources(directory);
  const faults = all.filter(({ file }) => {
    const [folder = ''] = relative(directory, file).split(sep);
    return ofQueries?.some((sql) => sql.includes(nameParts(folder).table)) ?? true;
  });
  // Without the definition of a table, correct queries would seem to name missing tables and columns.
  const canCheckQueries = faults.length === 0;
  const lines: string[] = [];
  for (const source of ofQueries ? [] : sources) {
    const folder = join(directory, source.name);
    let rowCount = 0;
    const countRow = (): void => void (rowCount += 1);
    faults.push(...(await checkSample(join(folder, 'sample.ndjson'), source, countRow)));
    if (faults.some(({ file }) => dirname(file) === folder)) continue;
    lines.push(`ok  table ${source.name} (${describe(source, rowCount)})`);
  }
  return { sources, faults, lines, canCheckQueries };
}

function describe({ fields, definition }: Source, rowCount: number): string {
  const { partitioning, clustering, requirePartitionFilter, shards, table } = definition;
  const filter = requirePartitionFilter ? ', filter required' : '';
  const by = partitioning && `${partitioning.type} of ${partitioning.field ?? 'ingestion'}`;
  const facts = [
    counted(fields.length, 'column'),
    by && `partitioned by ${by}${filter}`,
    shards && `shards ${shards.prefix}${shards.format}${filter}`,
    clustering.length > 0 && `clustered by ${clustering.join(' and ')}`,
    table && `in ${table}`,
    rowCount > 0 && counted(rowCount, 'sample row'),
  ];
  return facts.filter(Boolean).join(', ');
}

/** More lines would hide the faults of other files. */
const SHOWN_MAX = 10;

/** A table needs no sample: without the file there are no rows. */
export async function checkSample(
  file: string,
  table: RowTable,
  onRow: (row: EncodedRow) => void = () => undefined,
): Promise<DefinitionFault[]> {
  if (!existsSync(file)) return [];
  const faults: DefinitionFault[] = [];
  const onFaultyLine = (fault: DefinitionFault): void => void faults.push({ ...fault, file });
  try {
    for await (const row of readRows(file, table, { onFaultyLine })) onRow(row);
  } catch (error) {
    // The rest of the file cannot be read.
    if (!(error instanceof FaultsError)) throw error;
    error.faults.forEach(onFaultyLine);
  }
  const count = faults.length - SHOWN_MAX;
  if (count > 1)
    faults.splice(SHOWN_MAX, count, { file, message: `and ${count} more faulty lines` });
  return faults;
}
