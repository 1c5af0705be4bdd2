// The route of the service's own request lines into BigQuery, as in infra/requests.tf.
import type { Argv, Step } from './command-steps.ts';
import { DEPLOYMENT } from './defaults.ts';
import type { GcloudDeployment } from './deployment.ts';
import { existingTable } from './table-steps.ts';

const SCHEMA = 'infra/requests.schema.json';

/** None unless a source is a view of the table that the sink writes. Before the steps of the views. */
export function requestRouteSteps(
  deployment: GcloudDeployment,
  gcloud: (...args: string[]) => Argv,
  bq: (...args: string[]) => Argv,
): Step[] {
  const { project, datasetLocation, queryFunction, sources } = deployment;
  const { sink, filter, dataset, table } = DEPLOYMENT.requests;
  const isRead = sources.some((source) => {
    const viewed = existingTable(source, deployment);
    const place = [viewed?.project, viewed?.dataset, viewed?.table].join('.');
    return viewed?.access === 'view' && place === `${project}.${dataset}.${table}`;
  });
  if (!isRead) return [];
  const seconds = deployment.logRetentionDays * 24 * 60 * 60;
  const service = `resource.type="cloud_run_revision" AND resource.labels.service_name="${queryFunction}"`;
  const route = [
    `bigquery.googleapis.com/projects/${project}/datasets/${dataset}`,
    `--log-filter=${service} AND ${filter}`,
    '--use-partitioned-tables',
  ];
  const describe = ['logging', 'sinks', 'describe', sink];
  const grant = `GRANT \`roles/bigquery.dataEditor\` ON SCHEMA \`${project}.${dataset}\` TO "$REQUESTS_WRITER"`;
  return [
    {
      reason: 'A dataset for the request lines of the service: their sink may write to all of it.',
      exists: bq('show', '--dataset', `${project}:${dataset}`),
      run: bq(
        ...[`--location=${datasetLocation}`, 'mk', '--dataset'],
        ...[`--default_partition_expiration=${seconds}`, `${project}:${dataset}`],
      ),
    },
    {
      reason: 'Their table, so that a view can read it before the first line arrives.',
      exists: bq('show', `${project}:${dataset}.${table}`),
      run: bq(
        ...['mk', '--table', `--schema=${SCHEMA}`, '--time_partitioning_type=DAY'],
        ...['--time_partitioning_field=timestamp', `--time_partitioning_expiration=${seconds}`],
        ...['--require_partition_filter', `${project}:${dataset}.${table}`],
      ),
    },
    {
      reason: 'The log sink that writes them.',
      exists: gcloud(...describe),
      update: gcloud('logging', 'sinks', 'update', sink, ...route),
      run: gcloud('logging', 'sinks', 'create', sink, ...route),
    },
    {
      reason: 'The account of the sink.',
      run: gcloud(...describe, '--format=value(writerIdentity)'),
      capture: 'REQUESTS_WRITER',
    },
    {
      reason: 'The sink may write to this dataset only.',
      run: bq(`--location=${datasetLocation}`, 'query', '--use_legacy_sql=false', grant),
    },
  ];
}
