// What gcloud.sh needs to know of a deployment. test/scripts/deploy.long.test.ts compares the two ways to deploy.
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import { LOCAL_SETTINGS } from '../cli/project.ts';
import { assignments } from './run-script.ts';
import { DEPLOYMENT, type GcloudDeployment, namesOf } from './defaults.ts';
import { RETENTION_SECONDS, existingTable, tableCalls } from './tables.ts';

const FUNCTION_SETTINGS = { runtime: 'nodejs24', cpu: '1' };

/** `warm` and `query` are stopped after 290 and 60 s, so they must answer before that. */
const LIMITS = new Map([
  ['WARM_BUDGET_SECONDS', 280],
  ['QUERY_TIMEOUT_SECONDS', 50],
]);

const { function_options: FUNCTIONS, requests } = DEPLOYMENT;
const { 'ingress-settings': _, ...query } = FUNCTIONS.query;
/** By the names that functions have for them. */
const RUN_INGRESS = {
  all: 'all',
  'internal-and-gclb': 'internal-and-cloud-load-balancing',
  'internal-only': 'internal',
};

/** The lines of a script before those of gcloud.sh. Throws for an invalid setting. */
export function gcloudSettings(deployment: GcloudDeployment, sqlFromTop = 'sql'): string {
  const { project, queryFunction, queryIngress } = deployment;
  const { prefix, requests_dataset, requests_sink } = namesOf(deployment.deployment);
  const environment = functionEnvironment(deployment).map(([name, value]) => `${name}=${value}`);
  const settings = assignments({
    PROJECT: project,
    REGION: deployment.region,
    DEPLOYMENT: deployment.deployment ?? '',
    PREFIX: prefix,
    DATABASE: deployment.database,
    KEYS_DATABASE: deployment.keysDatabase,
    DATASET: deployment.dataset,
    DATASET_LOCATION: deployment.datasetLocation,
    SOURCES: `${sqlFromTop}/sources`,
    QUERY: queryFunction,
    PUBLIC_SERVICE: publicServiceOf(deployment),
    WARM: deployment.warmFunction,
    JOB: deployment.schedulerJob,
    REPLACES_OTHERS: deployment.replacesOthers ? 'yes' : '',
    // Whether a source is a view of the table that the log sink of the deployment writes, as in infra/bigquery.tf.
    READS_REQUESTS: readsRequests(deployment) ? 'yes' : '',
    REQUESTS_DATASET: requests_dataset,
    REQUESTS_TABLE: requests.table,
    REQUESTS_SINK: requests_sink,
    REQUESTS_FILTER: requests.filter,
    RETENTION_SECONDS: String(RETENTION_SECONDS),
    SERVICES: Object.keys(DEPLOYMENT.services).map((name) => `${name}.googleapis.com`),
    ACCOUNTS: Object.entries(DEPLOYMENT.accounts).map((pair) => pair.join('=')),
    COLLECTIONS: DEPLOYMENT.collections_with_ttl,
    UNINDEXED_FIELDS: DEPLOYMENT.unindexed_fields,
    SCHEDULE: options(DEPLOYMENT.schedule),
    WARM_OPTIONS: options({ ...FUNCTION_SETTINGS, ...FUNCTIONS.warm }),
    QUERY_OPTIONS: options({
      ...{ ...FUNCTION_SETTINGS, ...FUNCTIONS.query },
      'ingress-settings': queryIngress,
    }),
    PUBLIC_OPTIONS: options({ cpu: '1', ...query, ingress: RUN_INGRESS[queryIngress] }),
    // A separator other than the comma, which CORS_ORIGINS may contain.
    ENVIRONMENT: `^|^${environment.join('|')}`,
  });
  return `${settings}\ntables() {\n${tableCalls(deployment)
    .map((call) => `  ${call}\n`)
    .join('')}}`;
}

/** The service that callers reach: the function, or one beside it without the check of IAM. */
export function publicServiceOf({
  queryFunction,
  publicAccess,
}: Pick<GcloudDeployment, 'queryFunction' | 'publicAccess'>): string {
  return publicAccess === 'all-users' ? queryFunction : `${queryFunction}-public`;
}

function readsRequests(deployment: GcloudDeployment): boolean {
  return deployment.sources.some((source) => {
    const { access, project, dataset, table } = existingTable(source, deployment) ?? {};
    const { requests_dataset: ofRequests } = namesOf(deployment.deployment);
    const own = [deployment.project, ofRequests, requests.table].join();
    return access === 'view' && [project, dataset, table].join() === own;
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
