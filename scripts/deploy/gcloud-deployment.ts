// The deployment of infra/ as gcloud and bq commands. test/scripts/deploy.test.ts compares the two.
import { SETTINGS, parseConfig } from '../../functions/config.ts';
import { LOCAL_SETTINGS } from '../cli/project.ts';
import { type Argv, type Step, warmRun } from './command-steps.ts';
import { DEPLOYMENT } from './defaults.ts';
import type { GcloudDeployment } from './deployment.ts';
import { requestRouteSteps } from './request-route.ts';
import { existingTable, readGrantSteps, tableSteps } from './table-steps.ts';

/** Anyone may call query, which checks the API key itself. Only named accounts may call warm. */
const PUBLIC = { query: true, warm: false };

const FUNCTION_SETTINGS = { runtime: 'nodejs24', cpu: '1' };
const TTL_FIELD = 'deleteAt';

/** What the build account does, by the role for it. */
const BUILD_ROLES = {
  'roles/artifactregistry.writer': 'store the image',
  'roles/logging.logWriter': 'write the build log',
  'roles/storage.objectViewer': 'read the bundle',
};

/** `warm` and `query` are stopped after 290 and 60 s, so they must answer before that. */
const LIMITS = new Map([
  ['WARM_BUDGET_SECONDS', 280],
  ['QUERY_TIMEOUT_SECONDS', 50],
]);

const { accounts: ACCOUNTS, function_options: FUNCTIONS } = DEPLOYMENT;
type Account = keyof typeof ACCOUNTS;
type Target = keyof typeof FUNCTIONS;

/** Safe to repeat: existing resources are kept or updated. Throws for an invalid setting. */
export function gcloudSteps(deployment: GcloudDeployment): Step[] {
  const { project, region, schedulerJob } = deployment;
  const names = { query: deployment.queryFunction, warm: deployment.warmFunction };
  const gcloud = (...args: string[]): Argv => ['gcloud', ...args, `--project=${project}`];
  const email = (account: Account): string =>
    `saved-queries-${account}@${project}.iam.gserviceaccount.com`;
  const member = (account: Account): string => `serviceAccount:${email(account)}`;
  const environment = functionEnvironment(deployment);
  const { database, keysDatabase } = deployment;
  const services = Object.keys(DEPLOYMENT.services).map((name) => `${name}.googleapis.com`);

  return [
    {
      reason: 'Enable the Google APIs.',
      run: gcloud('services', 'enable', ...services),
    },
    ...(deployment.replacesOthers ? [] : ofOthers()),
    ...accounts(),
    ...firestore(),
    ...dataset(),
    ...grants(),
    ...functions(),
  ];

  /** Resources that run as an account of this deployment were created by it, or by Terraform. */
  function ofOthers(): Step[] {
    const inFunctions = ['functions', 'list', `--regions=${region}`];
    const inJobs = ['scheduler', 'jobs', 'list', `--location=${region}`];
    const resources = [
      ['function', inFunctions, Object.values(names), 'serviceConfig'],
      ['scheduler job', inJobs, [schedulerJob], 'httpTarget.oidcToken'],
    ] as const;
    return resources.map(([what, list, used, place]) => ({
      reason: `Refuse to replace a ${what} that this deployment did not create.`,
      run: gcloud(
        ...list,
        `--filter=name ~ "/(${used.join('|')})$" AND NOT ${place}.serviceAccountEmail ~ "^saved-queries-"`,
        '--format=value(name)',
      ),
      keeps:
        'Choose other names (--query-function, --warm-function, --scheduler-job), or --replace.',
    }));
  }

  function accounts(): Step[] {
    return (Object.keys(ACCOUNTS) as Account[]).map((account) => ({
      reason: `Create the account that ${ACCOUNTS[account]}.`,
      exists: gcloud('iam', 'service-accounts', 'describe', email(account)),
      run: gcloud(
        ...['iam', 'service-accounts', 'create', `saved-queries-${account}`],
        `--display-name=Saved queries: ${ACCOUNTS[account]}`,
      ),
    }));
  }

  function firestore(): Step[] {
    const inDatabase = (...args: string[]): Argv =>
      gcloud('firestore', ...args, `--database=${database}`);
    const create = (name: string): Pick<Step, 'exists' | 'run'> => ({
      exists: gcloud('firestore', 'databases', 'describe', `--database=${name}`),
      run: gcloud(
        ...['firestore', 'databases', 'create', `--location=${region}`, '--type=firestore-native'],
        ...['--delete-protection', `--database=${name}`],
      ),
    });
    const index = (field: string, of: string, ...config: string[]): Argv =>
      inDatabase(
        ...['indexes', 'fields', 'update', field, `--collection-group=${of}`],
        ...[...config, '--async'],
      );
    return [
      { reason: 'API keys, with deletion protection.', ...create(keysDatabase) },
      { reason: 'Results and leases, with deletion protection.', ...create(database) },
      ...DEPLOYMENT.collections_with_ttl.flatMap((collection) => [
        {
          reason: `Delete expired documents of ${collection}, within about a day.`,
          run: inDatabase(
            ...['fields', 'ttls', 'update', TTL_FIELD, `--collection-group=${collection}`],
            ...['--enable-ttl', '--async'],
          ),
        },
        {
          reason: 'No query uses this field, and an index would cost storage and time.',
          run: index(TTL_FIELD, collection, '--disable-indexes'),
        },
      ]),
      ...DEPLOYMENT.unindexed_fields.map((field) => ({
        reason: `The same for ${field}.`,
        run: index(field, 'results', '--disable-indexes'),
      })),
      {
        reason: 'The same for the bodies of large results.',
        run: index('body', 'parts', '--disable-indexes'),
      },
      {
        reason: 'warm lists the recently read results, the latest first.',
        run: index('lastReadAt', 'results', '--index=order=descending'),
      },
    ];
  }

  function dataset(): Step[] {
    const { dataset: name, datasetLocation } = deployment;
    const program = ['bq', '--headless', `--project_id=${project}`];
    const bq = (...args: string[]): Argv => [...program, ...args];
    return [
      {
        reason: 'The dataset that the saved queries read.',
        exists: bq('show', '--dataset', `${project}:${name}`),
        run: bq(`--location=${datasetLocation}`, 'mk', '--dataset', `${project}:${name}`),
      },
      ...requestRouteSteps(deployment, gcloud, bq),
      ...tableSteps(deployment, bq),
      ...readGrantSteps(deployment, member('query'), bq),
    ];
  }

  function grants(): Step[] {
    const grant = (account: Account, role: string, condition = 'None'): Argv =>
      gcloud(
        ...['projects', 'add-iam-policy-binding', project, `--member=${member(account)}`],
        ...[`--role=${role}`, `--condition=${condition}`, '--format=none'],
      );
    const only = (name: string, title: string): string =>
      `expression=resource.name=="projects/${project}/databases/${name}",title=${title}`;
    const keysOnly = only(keysDatabase, 'saved-queries-keys-database');
    return [
      ...Object.entries(BUILD_ROLES).map(([role, purpose]) => ({
        reason: `Builds ${purpose}.`,
        run: grant('build', role),
      })),
      {
        reason: 'The functions start query jobs and cancel their own; this reads no data.',
        run: grant('query', 'roles/bigquery.jobUser'),
      },
      {
        reason: 'The functions read and write results and leases, in this database.',
        run: grant('query', 'roles/datastore.user', only(database, 'saved-queries-database')),
      },
      {
        reason: 'query looks up API keys and may not write them.',
        run: grant('query', 'roles/datastore.viewer', keysOnly),
      },
    ];
  }

  /** First `warm`, which computes the results that callers read under the earlier definitions; `query` then starts with them. */
  function functions(): Step[] {
    const revisions = gcloud(
      ...['run', 'services', 'list', `--region=${region}`, `--filter=metadata.name=${names.warm}`],
      '--format=value(status.traffic[0].revisionName)',
    );
    const putBack = gcloud(
      ...['run', 'services', 'update-traffic', names.warm, `--region=${region}`],
      '--to-revisions=$WARM_REVISION=100',
    );
    return [
      { reason: 'The current revision of warm, if any.', run: revisions, capture: 'WARM_REVISION' },
      { ...deployed('warm'), undo: putBack },
      {
        reason: 'Only the scheduler may call warm.',
        run: gcloud(
          ...['run', 'services', 'add-iam-policy-binding', names.warm],
          ...[`--region=${region}`, `--member=${member('scheduler')}`],
          ...['--role=roles/run.invoker', '--format=none'],
        ),
      },
      ...scheduler(),
      {
        reason: 'Compute what callers read with the new definitions, before query gets them.',
        exists: gcloud('functions', 'describe', names.query, `--region=${region}`),
        update: warmRun(deployment.source, [
          ...[`--project=${project}`, `--location=${region}`, `--job=${schedulerJob}`],
          `--database=${database}`,
        ]),
        run: ['echo', 'No results to compute yet.'],
      },
      deployed('query'),
    ];
  }

  function deployed(target: Target): Step {
    return {
      reason: `The function ${target}${PUBLIC[target] ? ', which anyone may reach: it checks the API key' : ''}.`,
      run: gcloud(
        ...['functions', 'deploy', names[target], '--gen2', `--region=${region}`],
        ...options(FUNCTION_SETTINGS),
        ...options({
          ...FUNCTIONS[target],
          ...(target === 'query' && { 'ingress-settings': deployment.queryIngress }),
        }),
        ...[`--source=${deployment.source}`, `--entry-point=${target}`, '--trigger-http'],
        `--${PUBLIC[target] ? '' : 'no-'}allow-unauthenticated`,
        `--service-account=${email('query')}`,
        `--build-service-account=projects/${project}/serviceAccounts/${email('build')}`,
        // A separator other than the comma, which CORS_ORIGINS may contain.
        `--set-env-vars=^|^${environment.map(([name, value]) => `${name}=${value}`).join('|')}`,
        // Needed if the traffic was moved back to an earlier revision.
        ...['--serve-all-traffic-latest-revision', '--quiet'],
      ),
    };
  }

  function scheduler(): Step[] {
    const job = (command: 'create' | 'update'): Argv =>
      gcloud(
        ...['scheduler', 'jobs', command, 'http', schedulerJob, `--location=${region}`],
        ...options(DEPLOYMENT.schedule),
        `--${command === 'create' ? 'headers' : 'update-headers'}=Content-Type=application/json`,
        ...['--uri=$WARM_URL', '--oidc-token-audience=$WARM_URL'],
        `--oidc-service-account-email=${email('scheduler')}`,
      );
    const describeWarm = ['functions', 'describe', names.warm, `--region=${region}`];
    const urlOfWarm = gcloud(...describeWarm, '--format=value(serviceConfig.uri)');
    return [
      { reason: 'The URL of warm.', run: urlOfWarm, capture: 'WARM_URL' },
      {
        reason: 'Call warm every 300 seconds, with an account of its own.',
        exists: gcloud(...['scheduler', 'jobs', 'describe', schedulerJob, `--location=${region}`]),
        update: job('update'),
        run: job('create'),
      },
    ];
  }
}

/** The variables of both functions, as in infra/main.tf. Throws for an invalid setting. */
export function functionEnvironment(deployment: GcloudDeployment): [string, string][] {
  const tablesBehindViews = deployment.sources.flatMap((source) => {
    const { access, project, dataset, table } = existingTable(source, deployment) ?? {};
    return access === 'view' ? [`${source.name}=${project}.${dataset}.${table}`] : [];
  });
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
  const environment = { ...Object.fromEntries(defaults), ...deployment.settings, ...given };
  parseConfig(environment);
  return Object.entries(environment);
}

function options(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
