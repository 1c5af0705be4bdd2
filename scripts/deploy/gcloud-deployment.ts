// The deployment of infra/ as gcloud and bq commands. test/scripts/deploy.test.ts compares the two.
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import { LOCAL_SETTINGS } from '../cli/project.ts';
import { type Argv, type Step, readSteps } from './command-steps.ts';
import { DEPLOYMENT, type GcloudDeployment } from './defaults.ts';
import { existingTable, readGrantSteps, tableSteps } from './table-steps.ts';

const FUNCTION_SETTINGS = { runtime: 'nodejs24', cpu: '1' };

/** `warm` and `query` are stopped after 290 and 60 s, so they must answer before that. */
const LIMITS = new Map([
  ['WARM_BUDGET_SECONDS', 280],
  ['QUERY_TIMEOUT_SECONDS', 50],
]);

const { accounts: ACCOUNTS, function_options: FUNCTIONS } = DEPLOYMENT;
const { 'ingress-settings': _, ...query } = FUNCTIONS.query;
/** By the names that functions have for them. */
const RUN_INGRESS = {
  all: 'all',
  'internal-and-gclb': 'internal-and-cloud-load-balancing',
  'internal-only': 'internal',
};

const stepsIn = readSteps('gcloud-steps.txt');

/** Safe to repeat: existing resources are kept or updated. Throws for an invalid setting. */
export function gcloudSteps(deployment: GcloudDeployment): Step[] {
  const { project, schedulerJob, queryFunction, warmFunction, publicAccess, queryIngress } =
    deployment;
  const isPublic = publicAccess === 'all-users';
  const domain = `${project}.iam.gserviceaccount.com`;
  const program = ['bq', '--headless', `--project_id=${project}`];
  const bq = (...args: string[]): Argv => [...program, ...args];
  const account = (name: string): string => `${deployment.prefix}${name}@${domain}`;
  const reader = `serviceAccount:${account('query')}`;
  const environment = functionEnvironment(deployment).map(([name, value]) => `${name}=${value}`);
  const values = {
    ...deployment,
    ...{ domain, reader, bq: program, query: queryFunction, warm: warmFunction, job: schedulerJob },
    ...{ requestsFilter, requestsTable },
    label: deployment.deployment ? ` (${deployment.deployment})` : '',
    queryService: isPublic ? queryFunction : `${queryFunction}-public`,
    requestsSeconds: deployment.logRetentionDays * 24 * 60 * 60,
    services: Object.keys(DEPLOYMENT.services).map((name) => `${name}.googleapis.com`),
    schedule: options(DEPLOYMENT.schedule),
    warmOptions: options({ ...FUNCTION_SETTINGS, ...FUNCTIONS.warm }),
    queryOptions: options({
      ...{ ...FUNCTION_SETTINGS, ...FUNCTIONS.query },
      'ingress-settings': queryIngress,
    }),
    publicOptions: [
      ...options({ cpu: '1', ...query, ingress: RUN_INGRESS[queryIngress] }),
      `--service-account=${account('query')}`,
      // As Google sets it for the function.
      `--set-env-vars=^|^${[...environment, 'FUNCTION_TARGET=query'].join('|')}`,
      '--quiet',
    ],
    sharedOptions: [
      `--service-account=${account('query')}`,
      `--build-service-account=projects/${project}/serviceAccounts/${account('build')}`,
      // A separator other than the comma, which CORS_ORIGINS may contain.
      `--set-env-vars=^|^${environment.join('|')}`,
      // Needed if the traffic was moved back to an earlier revision.
      ...['--serve-all-traffic-latest-revision', '--quiet'],
    ],
  };
  const steps = (section: string, own = {}) => stepsIn(section, { ...values, ...own });
  return [
    ...steps('apis'),
    // Resources that run as an account of this deployment were created by it, or by Terraform.
    ...(deployment.replacesOthers ? [] : steps('others')),
    ...(deployment.replacesOthers || isPublic ? [] : steps('otherService')),
    ...Object.entries(ACCOUNTS).flatMap(([account, purpose]) =>
      steps('account', { account, purpose }),
    ),
    ...steps('databases'),
    ...DEPLOYMENT.collections_with_ttl.flatMap((collection) => steps('collection', { collection })),
    ...DEPLOYMENT.unindexed_fields.flatMap((field) => steps('field', { field })),
    ...steps('indexes'),
    ...steps('dataset'),
    ...(readsRequests(deployment) ? steps('requests') : []),
    ...tableSteps(deployment, bq),
    ...readGrantSteps(deployment, reader, bq),
    ...steps('grants'),
    // First `warm`, which computes the results that callers read under the earlier definitions; `query` then starts with them.
    ...steps('functions'),
    ...steps(isPublic ? 'query' : 'public'),
    ...steps('end'),
  ];
}

const { filter: requestsFilter, table: requestsTable } = DEPLOYMENT.requests;

/** Whether a source is a view of the table that the log sink of the deployment writes, as in infra/bigquery.tf. */
function readsRequests(deployment: GcloudDeployment): boolean {
  return deployment.sources.some((source) => {
    const read = existingTable(source, deployment);
    const place = `${read?.project}.${read?.dataset}.${read?.table}`;
    const own = `${deployment.project}.${deployment.requestsDataset}.${requestsTable}`;
    return read?.access === 'view' && place === own;
  });
}

/** The variables of both functions, as in infra/main.tf. Throws for an invalid setting. */
export function functionEnvironment(deployment: GcloudDeployment): [string, string][] {
  const tablesBehindViews = deployment.sources.flatMap((source) => {
    const { access, project, dataset, table } = existingTable(source, deployment) ?? {};
    return access === 'view' ? [`${source.name}=${project}.${dataset}.${table}`] : [];
  });
  const named = deployment.deployment
    ? { [SETTINGS.deployment.name]: deployment.deployment }
    : undefined;
  const given: Record<string, string> = {
    ...DEPLOYMENT.process_environment,
    [SETTINGS.project.name]: deployment.project,
    [SETTINGS.dataset.name]: deployment.dataset,
    [SETTINGS.location.name]: deployment.datasetLocation,
    [SETTINGS.firestoreDatabase.name]: deployment.database,
    [SETTINGS.keysDatabase.name]: deployment.keysDatabase,
    [SETTINGS.sourceTables.name]: tablesBehindViews.join(','),
  };
  const defaults = Object.values(SETTINGS)
    .filter(({ name }) => !(name in given) && !LOCAL_SETTINGS.includes(name))
    .map(({ name, default: value }): [string, string] => [name, value ?? '']);
  const names = defaults.map(([name]) => name);
  for (const [name, value] of Object.entries(deployment.settings)) {
    if (!names.includes(name)) {
      throw new Error(`${name} cannot be set. Available: ${names.join(', ')}.`);
    }
    const limit = LIMITS.get(name) ?? Infinity;
    if (Number(value) > limit) throw new Error(`${name} may be at most ${limit}.`);
  }
  const position = deployment.settings[SETTINGS.forwardedForPosition.name] ?? '1';
  if (position !== '1' && deployment.queryIngress !== 'internal-and-gclb') {
    throw new Error(
      `${SETTINGS.forwardedForPosition.name} above 1 needs --query-ingress internal-and-gclb: a caller who reaches query without the load balancer could state any address.`,
    );
  }
  const environment = {
    ...Object.fromEntries(defaults),
    ...named,
    ...deployment.settings,
    ...given,
  };
  const { reservation } = parseConfig(environment);
  const { datasetLocation } = deployment;
  if (reservation && reservation.split('/')[3]?.toLowerCase() !== datasetLocation.toLowerCase()) {
    throw new Error(`${SETTINGS.reservation.name} must be in ${datasetLocation}, as the dataset.`);
  }
  // Empty ones count as absent.
  return Object.entries(environment).filter(([, value]) => value !== '');
}

function options(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
