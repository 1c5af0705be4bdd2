// What the functions may read, as bq commands.
import { type Argv, type Step, commandLine } from './command-steps.ts';
import { existingTable } from './existing-table.ts';
import type { GcloudDeployment } from './deployment.ts';

interface ReadGrant {
  project: string;
  dataset: string;
  /** Undefined for all tables of the dataset. */
  table: string | undefined;
  reason: string;
  /** Whether the deployment does not grant it: then the command for an owner is printed. */
  byOwner?: boolean;
}

/**
 * Grants to `readers`: on the dataset of the deployment, on the tables behind its views, and on those that queries name
 * with their dataset. A shard is a table, so of shards it is their dataset.
 */
export function readGrantSteps(
  deployment: GcloudDeployment,
  readers: readonly string[],
  bq: (...args: string[]) => Argv,
): Step[] {
  const steps = readGrants(deployment).flatMap((grant) =>
    grantArgs(grant, deployment.datasetLocation, readers).map((args): Step => {
      const { project, reason } = grant;
      if (!grant.byOwner) return { reason, run: bq(...args) };
      const command = commandLine(['bq', `--project_id=${project}`, ...args]);
      return { reason, run: ['echo', `An owner in ${project} runs: ${command}`] };
    }),
  );
  // Sources may share a dataset.
  return [...new Map(steps.map((step) => [commandLine(step.run), step])).values()];
}

/** On a table it is not SQL, in which GRANT needs to know whether the table is a view. */
function grantArgs(
  { project, dataset, table }: ReadGrant,
  location: string,
  readers: readonly string[],
): string[][] {
  const role = 'roles/bigquery.dataViewer';
  if (table !== undefined) {
    return readers.map((member) => [
      ...['add-iam-policy-binding', `--member=${member}`, `--role=${role}`],
      `${project}:${dataset}.${table}`,
    ]);
  }
  const members = readers.map((member) => `"${member}"`).join(', ');
  const sql = `GRANT \`${role}\` ON SCHEMA \`${project}.${dataset}\` TO ${members}`;
  return [[`--location=${location}`, 'query', '--use_legacy_sql=false', sql]];
}

function readGrants(deployment: GcloudDeployment): ReadGrant[] {
  const { project, dataset, sources } = deployment;
  const own = {
    ...{ project, dataset, table: undefined },
    reason: 'query and warm read this dataset, and may write nowhere in BigQuery.',
  };
  const elsewhere = sources.flatMap((source): ReadGrant | [] => {
    const existing = existingTable(source, deployment);
    if (existing === undefined) return [];
    const { access, ...place } = existing;
    if (access === 'view') {
      return { ...place, reason: `Authorises the view ${source.name} to read this table.` };
    }
    if (place.project === project && place.dataset === dataset) return [];
    return {
      ...place,
      table: source.definition.shards === undefined ? place.table : undefined,
      reason: `query and warm read ${source.name}, which exists already.`,
      byOwner: ![project, ...deployment.grantProjects].includes(place.project),
    };
  });
  return [own, ...elsewhere];
}
