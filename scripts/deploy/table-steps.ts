// The tables and views of sql/sources as bq commands, with the options that infra/tables.tf gives them.
import type { Source } from '../sources/source.ts';
import type { Argv, Step } from './command-steps.ts';
import { existingTable } from './existing-table.ts';
import type { GcloudDeployment } from './deployment.ts';

/**
 * Makes what is missing. An existing table gets its columns, clustering and filter; its partitions and their
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
      const columns = source.fields.map(({ name }) => `\`${name}\``).join(', ');
      const query = `SELECT ${columns} FROM \`${table}\``;
      const view = ['--use_legacy_sql=false', `--view=${query}`, reference];
      return [
        {
          reason: `Source ${source.name}: a view of the existing table.`,
          exists,
          update: bq('update', ...view),
          run: bq('mk', ...view),
        },
      ];
    }
    const { clustering } = source.definition;
    const clustered = `--clustering_fields=${clustering.join(',')}`; // Empty: without.
    const schema = `--schema=${deployment.sourcesDirectory}/${source.name}/schema.json`;
    const filter = filterOptions(source);
    return [
      {
        reason: `Source ${source.name}: a table as its table.json says.`,
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

function filterOptions({ definition }: Source): string[] {
  if (definition.requirePartitionFilter) return ['--require_partition_filter'];
  return definition.partitioning === null ? [] : ['--norequire_partition_filter'];
}
