// Where the existing table of a source is, as a deployment sees it.
import type { Source } from '../sources/source.ts';
import type { GcloudDeployment } from './deployment.ts';
import { parseTable, queriedTable, type QueriedTable } from '../local-bigquery/index.ts';

/**
 * `view`: the deployment makes a view of the source's name in its dataset, of the table in this place. `granted`:
 * queries name the table itself.
 */
interface ExistingTable extends Required<QueriedTable> {
  access: 'view' | 'granted';
}

/**
 * Undefined for a source that the deployment makes. The deployment's log tables go before table.json. Throws if the
 * source would be a view that cannot stand for the table.
 */
export function existingTable(
  source: Source,
  { project, dataset, logTables }: Pick<GcloudDeployment, 'project' | 'dataset' | 'logTables'>,
): ExistingTable | undefined {
  const { name, definition } = source;
  const queried = queriedTable(source);
  const viewed = logTables[name] ?? definition.table;
  if (queried.dataset !== undefined && logTables[name] === undefined) {
    return { project, dataset, ...queried, access: 'granted' };
  }
  if (viewed === undefined) return undefined;
  const table = { project, ...parseTable(viewed), access: 'view' } as const;
  if (definition.partitioning !== null && definition.partitioning.field === undefined) {
    throw new Error(
      `${name} is partitioned by time of ingestion, so its folder must be named dataset.table: no view shows _PARTITIONTIME.`,
    );
  }
  if (table.project === project && table.dataset === dataset) {
    throw new Error(
      `${name} would be a view of a table in the dataset of the views: name its folder dataset.table, and no view is needed.`,
    );
  }
  return table;
}
