// The tables and views of sql/sources as bq commands, with the options of infra/tables.tf, and what the functions may read.
import type { Source } from '../sources/read-sources.ts';
import { type Argv, type Step, commandLine } from './command-steps.ts';
import { DEPLOYMENT, type GcloudDeployment } from './defaults.ts';
import { parseTable, queriedTable, type QueriedTable } from '../local-bigquery/index.ts';

/**
 * Creates what is missing. An existing table gets its columns, clustering and filter; its partitions and their
 * expiration stay. BigQuery refuses to change a table into a view, or back.
 */
export function tableSteps(deployment: GcloudDeployment, bq: (...args: string[]) => Argv): Step[] {
  return deployment.sources.flatMap((source): Step[] => {
    const existing = existingTable(source, deployment);
    if (existing?.access === 'granted') return [];
    const reference = `${deployment.project}:${deployment.dataset}.${source.name}`;
    const exists = bq('show', reference);
    if (existing !== undefined) {
      const table = `${existing.project}.${existing.dataset}.${existing.table}`;
      const columns = source.fields.map(({ name }) => {
        const place = source.definition.columns?.[name];
        return `${place === undefined ? '' : `${place} AS `}\`${name}\``;
      });
      const query = `SELECT ${columns.join(', ')} FROM \`${table}\``;
      const view = ['--use_legacy_sql=false', `--view=${query}`, reference];
      const reason = `Source ${source.name}: a view of the existing table.`;
      return [{ reason, exists, update: bq('update', ...view), run: bq('mk', ...view) }];
    }
    const { clustering, partitioning, requirePartitionFilter } = source.definition;
    const clustered = `--clustering_fields=${clustering.join(',')}`; // Empty: without.
    const schema = `--schema=${deployment.sourcesDirectory}/${source.name}/schema.json`;
    const filterIfAny = partitioning === null ? [] : ['--norequire_partition_filter'];
    const filter = requirePartitionFilter ? ['--require_partition_filter'] : filterIfAny;
    return [
      {
        reason: `Source ${source.name}: a table as defined in its table.json.`,
        exists,
        update: bq('update', '--table', schema, clustered, ...filter, reference),
        run: bq(
          ...['mk', '--table', schema],
          ...partitionOptions(source, deployment.logRetentionDays),
          ...(clustering.length === 0 ? [] : [clustered]),
          ...[...filter, reference],
        ),
      },
    ];
  });
}

function partitionOptions({ definition }: Source, retentionDays: number): string[] {
  if (definition.partitioning === null) return [];
  const { type, field, expires } = definition.partitioning;
  return [
    `--time_partitioning_type=${type}`,
    ...(field === undefined ? [] : [`--time_partitioning_field=${field}`]), // Without: by time of ingestion.
    `--time_partitioning_expiration=${expires ? retentionDays * 24 * 60 * 60 : 0}`,
  ];
}

/**
 * Undefined for a source that the deployment creates. `view`: the deployment creates a view with the source's name in its
 * dataset, of the table in this place. `granted`: queries name the table itself. The deployment's log tables override
 * table.json. Throws if the source would be a view that cannot replace the table.
 */
export function existingTable(
  source: Source,
  {
    project,
    dataset,
    logTables,
    requestsDataset,
  }: Pick<GcloudDeployment, 'project' | 'dataset' | 'logTables' | 'requestsDataset'>,
): (Required<QueriedTable> & { access: 'view' | 'granted' }) | undefined {
  const { name, definition } = source;
  const queried = queriedTable(source);
  const viewed = logTables[name] ?? ownTable(definition.table, requestsDataset);
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
function ownTable(table: string | undefined, requestsDataset: string): string | undefined {
  const { requests, requests_dataset: byDefault } = DEPLOYMENT;
  const isOwn = table === `${byDefault}.${requests.table}`;
  return isOwn ? `${requestsDataset}.${requests.table}` : table;
}

/**
 * Grants to `readers`: on the dataset of the deployment, on the tables behind its views, and on those that queries name
 * with their dataset. A shard is a table, so shards need a grant on their dataset.
 */
export function readGrantSteps(
  deployment: GcloudDeployment,
  reader: string,
  bq: (...args: string[]) => Argv,
): Step[] {
  const { project, dataset } = deployment;
  const own = 'Let query and warm read this dataset. They may not write to BigQuery.';
  const elsewhere = deployment.sources.flatMap((source) => {
    const existing = existingTable(source, deployment);
    if (existing === undefined) return [];
    const { access, ...place } = existing;
    if (access === 'view') {
      // Includes metadata, from which warm learns whether the table has changed.
      return [grantStep(place, `Let query and warm read the table behind view ${source.name}.`)];
    }
    if (place.project === project && place.dataset === dataset) return [];
    const reason = `Let query and warm read the existing table ${source.name}.`;
    const granted = source.definition.shards ? { ...place, table: undefined } : place;
    const isGranted = [project, ...deployment.grantProjects].includes(place.project);
    return [grantStep(granted, reason, isGranted)];
  });
  const steps = [grantStep({ project, dataset }, own), ...elsewhere];
  // Sources may share a dataset.
  return [...new Map(steps.map((step) => [commandLine(step.run), step])).values()];

  /** What the deployment may not grant is printed, as the command of an owner. */
  function grantStep(granted: GrantedPlace, reason: string, isGranted = true): Step {
    const args = grantArgs(granted, reader, deployment.datasetLocation);
    const command = commandLine(['bq', `--project_id=${granted.project}`, ...args]);
    const printed = ['echo', `An owner in ${granted.project} runs: ${command}`];
    return { reason, run: isGranted ? bq(...args) : printed };
  }
}

/** Without `table`, all tables of the dataset. */
type GrantedPlace = { project: string; dataset: string; table?: string | undefined };

/** The arguments of bq. A grant on a table does not use SQL, in which GRANT must state whether the table is a view. */
function grantArgs(
  { project, dataset, table }: GrantedPlace,
  member: string,
  location?: string,
): string[] {
  const role = 'roles/bigquery.dataViewer';
  if (table !== undefined) {
    const binding = ['add-iam-policy-binding', `--member=${member}`, `--role=${role}`];
    return [...binding, `${project}:${dataset}.${table}`];
  }
  const sql = `GRANT \`${role}\` ON SCHEMA \`${project}.${dataset}\` TO "${member}"`;
  const place = location === undefined ? [] : [`--location=${location}`];
  return [...place, 'query', '--use_legacy_sql=false', sql];
}
