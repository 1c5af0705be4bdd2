// What the functions read outside the dataset of the deployment, as bq commands.
import { type Argv, type Step, commandLine } from './command-steps.ts';
import { existingTable } from './existing-table.ts';
import type { GcloudDeployment } from './gcloud-deployment.ts';

interface ReadGrant {
  /** What is granted, such as "TABLE `acme-crm.crm.customers`". */
  on: string;
  reason: string;
  /** The project whose owner has to grant it; absent if the deployment does. */
  owner?: string;
}

/**
 * Grants to `readers`: on the tables behind views, and on those that queries name with their dataset. A shard is a
 * table, so of shards it is their dataset. Where the deployment may not grant, the command for an owner is printed.
 */
export function readGrantSteps(
  deployment: GcloudDeployment,
  readers: string,
  query: (sql: string) => Argv,
): Step[] {
  const grants = readGrants(deployment).map((grant): [string, ReadGrant] => [
    `${grant.on} ${grant.owner ?? ''}`,
    grant,
  ]);
  return [...new Map(grants).values()].map(({ on, reason, owner }) => {
    const sql = `GRANT \`roles/bigquery.dataViewer\` ON ${on} TO ${readers}`;
    if (owner === undefined) return { reason, run: query(sql) };
    const command = [
      ...['bq', `--project_id=${owner}`, `--location=${deployment.datasetLocation}`],
      ...['query', '--use_legacy_sql=false', sql],
    ];
    return { reason, run: ['echo', `An owner in ${owner} runs: ${commandLine(command)}`] };
  });
}

function readGrants(deployment: GcloudDeployment): ReadGrant[] {
  return deployment.sources.flatMap((source) => {
    const place = existingTable(source, deployment);
    if (place === undefined) return [];
    const { project, dataset, table } = place;
    const on = source.definition.shards
      ? `SCHEMA \`${project}.${dataset}\``
      : `TABLE \`${project}.${dataset}.${table}\``;
    if (place.access === 'view') {
      return { on, reason: `Authorises the view ${source.name} to read this table.` };
    }
    if (project === deployment.project && dataset === deployment.dataset) return [];
    if ([deployment.project, ...deployment.grantProjects].includes(project)) {
      return { on, reason: `Lets query and warm read ${source.name}, which exists already.` };
    }
    return {
      on,
      owner: project,
      reason: `To be granted by an owner: query and warm read ${source.name}, which exists already.`,
    };
  });
}
