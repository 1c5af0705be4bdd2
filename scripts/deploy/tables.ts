// The tables and views of sql/sources, with the options of infra/tables.tf, and what the functions may read, as calls in gcloud.sh.
import type { Source } from '../sources/read-sources.ts';
import { DEPLOYMENT, type GcloudDeployment, namesOf } from './defaults.ts';
import { commandLine } from './run-script.ts';
import { parseTable, queriedTable, type QueriedTable } from '../local-bigquery/index.ts';

type Places = Pick<GcloudDeployment, 'project' | 'dataset' | 'logTables' | 'deployment'>;

/** Time for which tables created here keep their rows, if their partitions expire. */
export const RETENTION_SECONDS = 90 * 24 * 60 * 60;

/** Calls of `table` and `view`, and of `let_read`, each once: sources may share a dataset. */
export function tableCalls(deployment: GcloudDeployment): string[] {
  const { project, dataset, sources, grantProjects } = deployment;
  const created: string[][] = [];
  const read = [['let_read', 'us', project, dataset, '']];
  for (const source of sources) {
    const { name, definition } = source;
    const existing = existingTable(source, deployment);
    if (existing === undefined) {
      const options = partitionOptions(source);
      const without = definition.partitioning === null ? '' : '--norequire_partition_filter';
      const filter = definition.requirePartitionFilter ? '--require_partition_filter' : without;
      created.push(['table', name, definition.clustering.join(','), filter, ...options]);
      continue;
    }
    const { access, table } = existing;
    if (access === 'view') {
      const columns = source.fields.map((field) => {
        const place = definition.columns?.[field.name];
        return `${place === undefined ? '' : `${place} AS `}\`${field.name}\``;
      });
      const from = `\`${existing.project}.${existing.dataset}.${table}\``;
      created.push(['view', name, `SELECT ${columns.join(', ')} FROM ${from}`]);
    } else if (existing.project === project && existing.dataset === dataset) continue;
    const isOurs = access === 'view' || [project, ...grantProjects].includes(existing.project);
    // A shard is a table, so shards need a grant on their dataset.
    const granted = access === 'granted' && definition.shards ? '' : table;
    read.push(['let_read', isOurs ? 'us' : 'owner', existing.project, existing.dataset, granted]);
  }
  return [...new Set([...created, ...read].map(commandLine))];
}

function partitionOptions({ definition }: Source): string[] {
  if (definition.partitioning === null) return [];
  const { type, field, expires } = definition.partitioning;
  return [
    `--time_partitioning_type=${type}`,
    ...(field === undefined ? [] : [`--time_partitioning_field=${field}`]), // Without: by time of ingestion.
    `--time_partitioning_expiration=${expires ? RETENTION_SECONDS : 0}`,
  ];
}

/**
 * Undefined for a source that the deployment creates. `view`: the deployment creates a view with the source's name in its
 * dataset, of the table in this place. `granted`: queries name the table itself. The deployment's log tables override
 * table.json. Throws if the source would be a view that cannot replace the table.
 */
export function existingTable(
  source: Source,
  { project, dataset, logTables, deployment }: Places,
): (Required<QueriedTable> & { access: 'view' | 'granted' }) | undefined {
  const { name, definition } = source;
  const queried = queriedTable(source);
  const viewed = logTables[name] ?? ownTable(definition.table, deployment);
  if (queried.dataset !== undefined && logTables[name] === undefined) {
    return { project, dataset, ...queried, access: 'granted' };
  }
  if (viewed === undefined) return undefined;
  const table = { project, ...parseTable(viewed), access: 'view' } as const;
  if (definition.partitioning !== null && definition.partitioning.field === undefined) {
    throw new Error(
      `${name} is partitioned by time of ingestion, so its folder must be named dataset.table: a view has no _PARTITIONTIME.`,
    );
  }
  if (table.project === project && table.dataset === dataset) {
    throw new Error(
      `${name} would be a view of a table in the dataset of the views: name its folder dataset.table, and no view is needed.`,
    );
  }
  return table;
}

/** The table of the service's own request lines has another dataset in another deployment. */
function ownTable(table: string | undefined, deployment?: string): string | undefined {
  const { requests, requests_dataset: byDefault } = DEPLOYMENT;
  const isOwn = table === `${byDefault}.${requests.table}`;
  return isOwn ? `${namesOf(deployment).requests_dataset}.${requests.table}` : table;
}
