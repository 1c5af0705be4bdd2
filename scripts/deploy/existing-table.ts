// Where the existing table of a source is, as a deployment sees it.
import type { Source } from '../sources/source.ts';
import { type TablePlace, parseTable, tablePlace } from '../sources/table-place.ts';
import type { GcloudDeployment } from './gcloud-deployment.ts';

type ExistingTable = Required<TablePlace> & { access: 'view' | 'granted' };

/**
 * Undefined for a source that the deployment makes. The deployment's log tables go before table.json. Throws if the
 * source would be a view that cannot stand for the table.
 */
export function existingTable(
  source: Source,
  { project, dataset, logTables }: Pick<GcloudDeployment, 'project' | 'dataset' | 'logTables'>,
): ExistingTable | undefined {
  const { name, definition } = source;
  const logTable = logTables[name];
  const place: TablePlace =
    logTable === undefined ? tablePlace(source) : { ...parseTable(logTable), access: 'view' };
  const { access } = place;
  if (access === 'made') return undefined;
  const table = { project, dataset, ...place, access };
  if (access === 'granted') return table;
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
