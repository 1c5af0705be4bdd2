// Tests of the two ways to deploy: the commands that they run, and that both deploy the same.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertFiles } from '@cdktn/hcl2json';
import type { RequestLine } from '../../functions/http/request-log.ts';
import { functionEnvironment } from '../../scripts/deploy/gcloud-deployment.ts';
import { DEPLOYMENT as PLACES, INGRESS } from '../../scripts/deploy/defaults.ts';
import { main as deployWithTerraform } from '../../scripts/deploy.ts';
import { main as deployWithGcloud } from '../../scripts/deploy-gcloud.ts';
import type { Main } from '../../scripts/cli/command.ts';
import { type CommandResult, refusal, runCommand, runScript } from '../support/command.ts';
import { DEPLOYMENT, REQUESTS, commandsOf } from '../support/service/gcloud-deployment.ts';
import { readExpectations } from '../support/sql/read-expectations.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { testDirectory } from '../support/temporary-directory.ts';

const { refused = [] } = readExpectations('test/scripts/deploy-refused.txt');

describe('gcloud and Terraform', () => {
  type Block = Record<string, unknown>;
  let root: { locals: Block[]; variable: Record<string, Block[]>; resource: Resources };
  type Resources = Record<string, Record<string, Block[]>>;

  beforeAll(async () => void (root = (await convertFiles('infra')) as unknown as typeof root));

  const resource = (type: string, name: string): Block => root.resource[type]?.[name]?.[0] ?? {};
  const nested = (block: Block, name: string): Block => (block[name] as Block[])[0] ?? {};
  const variable = (name: string): unknown => root.variable[name]?.[0]?.default;
  /** ALLOW_INTERNAL_ONLY is internal-only to gcloud. */
  const gcloudIngress = (setting: string): string =>
    setting.replace('ALLOW_', '').toLowerCase().replaceAll('_', '-');
  /** The strings in an expression such as `toset(["a", "b"])`. */
  const strings = (expression: unknown): string[] =>
    [...String(expression).matchAll(/"([^"]*)"/g)].map(([, text]) => text ?? '');

  it('give both functions the same settings, from one file', () => {
    for (const target of ['query', 'warm']) {
      const planned = resource('google_cloudfunctions2_function', target);
      const from = `local.defaults.function_options.${target}`;
      expect(nested(planned, 'service_config')).toMatchObject({
        available_cpu: '1',
        available_memory: `\${${from}.memory}`,
        max_instance_request_concurrency: `\${${from}.concurrency}`,
        timeout_seconds: `\${trimsuffix(${from}.timeout, "s")}`,
      });
      expect(nested(planned, 'build_config').runtime).toBe('nodejs24');
    }
    const { query } = PLACES.function_options;
    const instances = [query['min-instances'], query['max-instances']].map(Number);
    expect(instances).toEqual(['query_min_instances', 'query_max_instances'].map(variable));
  });

  it('accept the same ingress settings for query', () => {
    const [{ condition }] = root.variable.query_ingress?.[0]?.validation as [{ condition: string }];
    expect(INGRESS).toEqual(strings(condition).map(gcloudIngress));
    const { 'ingress-settings': ingress } = PLACES.function_options.query;
    expect(ingress).toBe(gcloudIngress(String(variable('query_ingress'))));
  });

  it('give both functions the same variables', () => {
    const settings = JSON.parse(readFileSync('infra/settings.json', 'utf8')) as Record<
      string,
      { default: string }
    >;
    const defaults = Object.entries(settings).map(([name, setting]) => [name, setting.default]);
    // Empty ones count as absent, and infra/main.tf leaves them out too.
    expect(Object.fromEntries(functionEnvironment(DEPLOYMENT))).toEqual({
      ...Object.fromEntries(defaults.filter(([, value]) => value !== '')),
      NODE_ENV: 'production',
      NODE_OPTIONS: '--expose-gc --max-semi-space-size=8',
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '131072',
      MALLOC_TRIM_THRESHOLD_: '131072',
      GOOGLE_CLOUD_PROJECT: 'my-project',
      BIGQUERY_DATASET: 'saved_query_logs',
      BIGQUERY_LOCATION: 'EU',
      FIRESTORE_DATABASE: 'saved-queries',
      KEYS_DATABASE: 'saved-queries-keys',
      SOURCE_TABLES: 'web_visits=other-project.1_prod.abc',
    });
  });

  it('give Firestore the same TTL and index', async () => {
    const { field } = resource('google_firestore_field', 'delete_at');
    const { field: listed } = resource('google_firestore_field', 'last_read_at');
    const commands = await commandsOf(DEPLOYMENT);
    const fields = (option: string) =>
      commands.filter((argv) => argv.includes(option)).map((argv) => argv[5]);
    expect(fields('--index=order=descending')).toEqual([listed]);
    expect(fields('--enable-ttl')).toEqual(PLACES.collections_with_ttl.map(() => field));
    const unindexed = fields('--disable-indexes').filter((name) => name !== field);
    expect(unindexed).toEqual([...PLACES.unindexed_fields, 'body']);
  });

  it('create the same databases, and give query only read access to the keys', async () => {
    const runs = (await commandsOf(DEPLOYMENT)).map((argv) => argv.join(' '));
    const found = (pattern: RegExp): string[] =>
      runs.flatMap((run) => pattern.exec(run)?.slice(1).join(' ') ?? []);
    expect(
      found(/ databases create .* (--enable-pitr|--delete-protection) --database=(\S+)/),
    ).toEqual(['--enable-pitr saved-queries-keys', '--delete-protection saved-queries']);
    expect(found(/-(query)@.*--role=roles\/datastore\.(\w+) .*\/databases\/([\w-]+)"/)).toEqual([
      'query user saved-queries',
      'query viewer saved-queries-keys',
    ]);
    const {
      name: _,
      lifecycle: _lifecycle,
      point_in_time_recovery_enablement: recovery,
      ...same
    } = resource('google_firestore_database', 'keys');
    expect(recovery).toBe('POINT_IN_TIME_RECOVERY_ENABLED');
    expect(resource('google_firestore_database', 'store')).toMatchObject(same);
  });

  it('route the request lines into the same table, if a source reads it', async () => {
    const sources = [...DEPLOYMENT.sources, REQUESTS];
    const called = await commandsOf({ ...DEPLOYMENT, queryFunction: 'sales', sources });
    const commands = called.map((argv) => argv.join(' '));
    const [dataset, table] = ['dataset', 'table'].map((of) =>
      resource(`google_bigquery_${of}`, 'requests'),
    );
    const sink = resource('google_logging_project_sink', 'requests');
    const { requests } = PLACES;
    const { requests_dataset: ofLines, requests_sink: sinkName } = PLACES;
    const place = `my-project:${ofLines}`;
    const [partitioning] = table?.time_partitioning as [Record<'type' | 'field', string>];
    const bq = 'bq --headless --project_id=my-project';
    const route = [
      `${sinkName} bigquery.googleapis.com/projects/my-project/datasets/${ofLines}`,
      `--log-filter=resource.type="cloud_run_revision" AND resource.labels.service_name="sales" AND ${requests.filter}`,
      '--use-partitioned-tables --project=my-project',
    ].join(' ');
    expect(commands.filter((line) => !/ (?:show|describe) /.test(line))).toEqual(
      expect.arrayContaining([
        `${bq} --location=EU mk --dataset --default_partition_expiration=7776000 ${place}`,
        `${bq} mk --table --schema=infra/requests.schema.json --time_partitioning_type=${partitioning.type} --time_partitioning_field=${partitioning.field} --time_partitioning_expiration=7776000 --require_partition_filter ${place}.${requests.table}`,
        `gcloud logging sinks create ${route}`,
        `gcloud logging sinks update ${route}`,
        `${bq} --location=EU query --use_legacy_sql=false GRANT \`roles/bigquery.dataEditor\` ON SCHEMA \`my-project.${ofLines}\` TO "VALUE"`,
      ]),
    );
    expect([variable('request_retention_days'), variable('log_retention_days')]).toEqual([90, 90]);
    const own = 'local.defaults.requests';
    expect([dataset?.dataset_id, table?.table_id, sink.name, sink.filter]).toEqual([
      '${local.names.requests_dataset}',
      `\${${own}.table}`,
      '${local.names.requests_sink}',
      `\${local.query_lines} AND \${${own}.filter}`,
    ]);
    expect(table?.schema).toBe('${file("${path.module}/requests.schema.json")}');
    const ofOther = { ...DEPLOYMENT.logTables, requests: 'other-project.logs.requests' };
    for (const without of [DEPLOYMENT, { ...DEPLOYMENT, sources, logTables: ofOther }]) {
      expect(JSON.stringify(await commandsOf(without))).not.toContain('sinks');
    }
  });

  it('make the table of the request lines with the fields that the view reads, which each line has', () => {
    const [payload] = (
      JSON.parse(readFileSync('infra/requests.schema.json', 'utf8')) as {
        name: string;
        fields?: { name: string; type: string }[];
      }[]
    ).filter(({ name }) => name === 'jsonPayload');
    const { columns } = JSON.parse(
      readFileSync('sql/sources/service_requests/table.json', 'utf8'),
    ) as { columns: Record<string, string> };
    const shown = JSON.parse(
      readFileSync('sql/sources/service_requests/schema.json', 'utf8'),
    ) as (typeof payload)[];
    const typeOf = (name: string) => shown.find((column) => column?.name === name);
    expect(payload?.fields).toEqual(
      Object.entries(columns).map(([column, path]) => ({
        name: path.replace(/^jsonPayload\./, ''),
        type: (typeOf(column) as { type?: string })?.type,
        mode: 'NULLABLE',
      })),
    );
    // Fields of functions/http/request-log.ts. No error, no names of parameters, nothing of the client.
    const line = {
      endpoint: '',
      keyName: '',
      keyId: '',
      outcome: 'hit',
      status: 200,
      reason: 'INTERNAL',
      durationMs: 1,
      bytesBilled: 1,
    } satisfies Partial<RequestLine>;
    expect(payload?.fields?.map(({ name }) => name)).toEqual(
      Object.keys(line).map((name) => name.toLowerCase()),
    );
  });

  it('grant the same roles, except for secrets', async () => {
    const ofTerraform = new Set(
      readFileSync('infra/iam.tf', 'utf8').match(/(?<=")roles\/[A-Za-z.]+(?=")/g) ?? [],
    );
    ofTerraform.delete('roles/secretmanager.secretAccessor');
    // With gcloud both functions may read the tables behind views, and so their metadata.
    ofTerraform.delete('roles/bigquery.metadataViewer');
    const deployment = { ...DEPLOYMENT, sources: [...DEPLOYMENT.sources, REQUESTS] };
    const ofGcloud = JSON.stringify(await commandsOf(deployment)).match(/roles\/[\w.]+/g);
    expect([...new Set(ofGcloud)].sort()).toEqual([...ofTerraform].sort());
  });
});

describe('a deployment', () => {
  let folder: string;
  let calls: string;
  let PATH: string;
  /** The same for the script: a function takes a tenth of the time of a program. */
  const functions = new Map<string, string>();
  /** Whether failed commands are repeated, for which each needs some more processes. */
  let repeats = false;

  beforeEach(() => {
    functions.clear();
    repeats = false;
    folder = testDirectory('deploy-');
    PATH = `${folder}:/usr/bin:/bin`;
    calls = join(folder, 'calls');
  });

  /** Programs that write down what they were called with, and then do as `body` says. */
  function stub(body = '', ...programs: string[]): void {
    for (const program of programs) {
      const text = `printf '%s\\n' "${program} $*" >> '${calls}'\n${body}\n`;
      writeFileSync(join(folder, program), `#!/bin/sh\n${text}`, { mode: 0o755 });
      functions.set(program, `${program}() (\n${text})`);
    }
  }

  /** The script that a command prints, or without `--dry-run` how it ends, as it would if the command ran it. */
  const run = async (main: Main, ...args: string[]): Promise<CommandResult> => {
    const ofSql = main === deployWithGcloud ? ['--sql', TEST_SQL] : [];
    const printed = await runCommand(main, [...ofSql, ...args, '--dry-run'], {
      PATH,
      GOOGLE_CLOUD_PROJECT: '',
      TF_VAR_project_id: '',
    });
    if (printed.code !== 0 || args.includes('--dry-run')) return printed;
    rmSync(calls, { force: true });
    const { status, stdout, stderr } = runShell(printed.stdout);
    return { code: status ?? 1, stdout: String(stdout), stderr: String(stderr) };
  };
  /** Without the start files that bash reads where its input is a socket. */
  const runShell = (script: string) =>
    spawnSync('bash', ['-c', [...functions.values(), repeats ? script : once(script)].join('\n')], {
      env: { PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const once = (script: string): string =>
    script.replace(/^repeated\(\) \{\n.*?^\}\n/ms, 'repeated() { run "$@"; }\n');
  /** What the script says of its failure. */
  const errors = ({ stderr }: CommandResult): string[] =>
    stderr
      .trimEnd()
      .split('\n')
      .filter((line) => /^(?:Error|To roll back): ?/.test(line));
  const called = (): string[] =>
    existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [];
  /** With gcloud, without a fault; what was called. */
  const deployed = async (...args: string[]): Promise<string[]> => {
    const project = args.includes('--project') ? [] : ['--project', 'my-project'];
    expect((await run(deployWithGcloud, ...project, ...args)).code).toBe(0);
    return called();
  };

  describe('by npm run deploy', () => {
    const HAS_QUERY = 'terraform -chdir=infra state show google_cloudfunctions2_function.query';
    const apply = (mode: string, ...given: string[]): string =>
      [`npm run --silent deploy:apply -- ${mode}`, ...given].join(' ');
    const CHECKED = [
      'npm run check',
      'npm run types',
      'npm run bundle',
      'terraform -chdir=infra init',
    ];

    beforeEach(() => stub('', 'npm', 'terraform'));

    it('runs checks and bundle, asks once about the whole plan, and applies warm before the rest', async () => {
      const given = ['--allow-loss', '-var=project_id=my-project'];
      expect((await run(deployWithTerraform, ...given)).code).toBe(0);
      expect(called()).toEqual([
        ...CHECKED,
        apply('--ask', ...given),
        HAS_QUERY,
        apply('-auto-approve', ...given, '-target=google_cloudfunctions2_function.warm'),
        'npm run warm -- run --wait --bundle=dist --terraform=infra',
        apply('-auto-approve', ...given),
      ]);
    });

    it('refuses a deployment with a wrong name, in --plan with another exit code than that of changes', async () => {
      const fault = 'Error: --deployment cannot be public, which has another meaning.\n';
      for (const [main, args, code] of [
        [deployWithTerraform, [], 2],
        [deployWithTerraform, ['--plan'], 1],
        [deployWithGcloud, ['--project=my-project'], 2],
      ] as const) {
        expect(await run(main, '--deployment=public', ...args)).toMatchObject({
          code,
          stderr: fault,
        });
      }
      expect(called()).toEqual([]);
    });

    it('uses the state of a deployment with a name, for this run only', async () => {
      const variables = 'infra/jest.tfvars';
      writeFileSync(variables, 'project_id = "my-project"');
      stub(`echo "in \${TF_WORKSPACE-}" >> '${calls}'`, 'terraform');
      const { code } = await run(deployWithTerraform, '--deployment', 'jest');
      rmSync(variables);
      const own = '--deployment=jest';
      expect([code, called().slice(4)]).toEqual([
        0,
        [
          ...['in ', apply('--ask', own), HAS_QUERY, 'in jest'],
          apply('-auto-approve', own, '-target=google_cloudfunctions2_function.warm'),
          `npm run warm -- run --wait --bundle=dist --terraform=infra ${own}`,
          apply('-auto-approve', own),
        ],
      ]);
    });

    it.each([0, 1, 2])('only plans with --plan, and passes the exit code on: %j', async (code) => {
      stub(`case "$*" in *--plan*) exit ${code};; esac`, 'npm');
      const args = ['--plan', '-var=project_id=my-project'];
      expect((await run(deployWithTerraform, ...args)).code).toBe(code);
      expect(called()).toEqual([...CHECKED, apply('--plan', '-var=project_id=my-project')]);
    });

    it('applies only once if nothing is deployed yet', async () => {
      stub('case "$*" in *"state show"*) exit 1;; esac', 'terraform');
      const { code } = await run(deployWithTerraform, '-var=project_id=my-project');
      expect([code, called().slice(-2)]).toEqual([
        0,
        [HAS_QUERY, apply('-auto-approve', '-var=project_id=my-project')],
      ]);
    });

    it.each<[string, string]>([
      ['npm', 'case "$*" in *"run --wait"*) exit 1;; esac'],
      ['npm', 'case "$*" in *--ask*|*target*) ;; *apply*) exit 1;; esac'],
    ])('explains how to roll back warm if the step after it fails: %s', async (program, body) => {
      stub(body, program);
      const args = ['--sql', TEST_SQL, `-var=project_id=it's $PATH$(id)`];
      // With the same saved queries and options, quoted for a shell.
      const undo =
        "To roll back: git checkout PREVIOUS-COMMIT && npm run deploy -- --sql test/sql '-var=project_id=it'\\''s $PATH$(id)'";
      const script = await run(deployWithTerraform, ...args);
      expect([script.code, errors(script)]).toEqual([
        1,
        [expect.stringContaining('Error: Command failed: npm run '), undo],
      ]);
    });

    it('only runs the checks with --dry-run, and prints the other steps, for the given saved queries', async () => {
      stub('echo checked', 'npm', 'terraform');
      const args = ['--sql', TEST_SQL, '-var=project_id=my-project', '-auto-approve'];
      const { code, stdout } = await run(deployWithTerraform, ...args, '--dry-run');
      expect(code).toBe(0);
      expect(called()).toEqual(['npm run check -- --sql test/sql', 'npm run types']);
      rmSync(calls);
      expect(runShell(stdout).status).toBe(0);
      const byItself = called();
      expect(byItself.at(-1)).toMatch(
        / -var=sql_directory=\.\.\/test\/sql -var=project_id=my-project -auto-approve$/,
      );
    });

    it.each([[[]], [['--dry-run']], [['--deployment', 'staging', '--dry-run']]])(
      'does nothing without variables: %j',
      async (args) => {
        const { code, stderr } = await run(deployWithTerraform, ...args);
        expect([code, called()]).toEqual([1, []]);
        expect(stderr).toContain(' first: cp infra/example.tfvars infra/');
      },
    );
  });

  describe('by npm run deploy:gcloud', () => {
    const WARM = 'case "$*" in *"functions describe"*) echo https://warm.example; exit;; esac\n';

    beforeEach(() => {
      stub(WARM, 'gcloud', 'bq');
      stub('', 'npm');
    });

    it('creates what is missing, and gives the scheduler job the URL of warm', async () => {
      stub(`${WARM}case "$*" in *describe*|*show*) exit 1;; esac`, 'gcloud', 'bq');
      const made = (await deployed()).filter((line) => / create | mk /.test(line));
      expect(made.map((line) => line.split(' ').slice(0, 5).join(' '))).toEqual([
        'gcloud iam service-accounts create saved-queries-build',
        'gcloud iam service-accounts create saved-queries-query',
        'gcloud iam service-accounts create saved-queries-scheduler',
        'gcloud firestore databases create --location=europe-west1',
        'gcloud firestore databases create --location=europe-west1',
        'bq --headless --project_id=my-project --location=EU mk',
        'bq --headless --project_id=my-project mk --table',
        'bq --headless --project_id=my-project mk --table',
        'gcloud scheduler jobs create http',
      ]);
      expect(made.at(-1)).toContain(
        ' --uri=https://warm.example --oidc-token-audience=https://warm.example ' +
          '--oidc-service-account-email=saved-queries-scheduler@my-project.iam.gserviceaccount.com ',
      );
    });

    it('ends with the URL, the command for a first key, and a first call', async () => {
      const found = `case "$*" in *"functions describe query"*) echo https://query.example; exit;; esac\n`;
      stub(`${found}${WARM}`, 'gcloud');
      const { stdout } = await run(deployWithGcloud, '--project', 'my-project');
      expect(stdout.split('\n').filter((line) => /^(?:npm|curl)/.test(line))).toEqual([
        'npm run keys -- create first --endpoints "*" --project my-project --database saved-queries-keys',
        'curl --header "X-API-KEY: KEY" https://query.example/api/endpoints',
      ]);
    });

    it('keeps existing resources, and updates tables, functions, grants and job', async () => {
      expect((await deployed()).filter((line) => / create | mk /.test(line))).toEqual([]);
      const bq = 'bq --headless --project_id=my-project update';
      // Nothing of its partitions: a shorter expiration would delete rows.
      expect(called().filter((line) => line.includes(' update --'))).toEqual(
        ['task_runs', 'web_visits'].map(
          (name) =>
            `${bq} --table --schema=test/sql/sources/${name}/schema.json --clustering_fields=timestamp --require_partition_filter my-project:saved_query_logs.${name}`,
        ),
      );
      expect(called().filter((line) => line.includes(' deploy '))).toHaveLength(2);
      const moved = called().flatMap(
        (line) => / deploy \w+ | update http | run --wait /.exec(line)?.[0] ?? [],
      );
      expect(moved).toEqual([' deploy warm ', ' update http ', ' run --wait ', ' deploy query ']);
      expect(called().find((line) => line.startsWith('npm run warm'))).toBe(
        'npm run warm -- run --wait --bundle=dist --project=my-project --location=europe-west1 --job=warm --database=saved-queries',
      );
    });

    it.each<[string, string, string]>([
      ['the run of warm', 'npm', 'case "$*" in *"run --wait"*) exit 1;; esac'],
      ['query', 'gcloud', 'case "$*" in *"deploy query"*) exit 1;; esac'],
    ])('explains how to roll back warm if %s fails', async (_, program, body) => {
      const REVISION = 'case "$*" in *revisionName*) echo warm-00007-abc;; esac\n';
      stub(`${WARM}${REVISION}`, 'gcloud');
      stub(`${WARM}${REVISION}${body}`, program);
      const putBack =
        'To roll back: gcloud run services update-traffic warm --region=europe-west1 --to-revisions=warm-00007-abc=100 --project=my-project';
      const script = await run(deployWithGcloud, '--project', 'my-project');
      expect([script.code, errors(script).at(-1)]).toEqual([1, putBack]);
    });

    it('gives another deployment in the project names of its own, and grants to its own accounts only', async () => {
      const lines = await deployed('--deployment', 'staging');
      const others = lines.filter((line) => !/(?:staging|services enable)/.test(line));
      expect(others.filter((line) => !line.startsWith('npm run'))).toEqual([]);
      expect(lines.join('\n')).not.toContain('saved-queries');
      expect(lines.join('\n')).toContain('DEPLOYMENT=staging|');
    });

    it.each([
      ['all', 'all'],
      ['internal-and-gclb', 'internal-and-cloud-load-balancing'],
    ])('lets callers reach a service without an invoker check, from %s', async (from, ingress) => {
      const found = `case "$*" in *containers*) echo IMAGE; exit;; *status.url*) echo https://public.example; exit;; esac\n`;
      stub(`${found}${WARM}`, 'gcloud');
      const lines = await deployed('--public-access=no-invoker-check', `--query-ingress=${from}`);
      expect(lines.join('\n')).not.toMatch(/ --allow-unauthenticated/);
      const made = lines.find((line) => line.startsWith('gcloud run deploy')) ?? '';
      expect(made.replace(/\^\|\^.*FUNCTION_TARGET/, '…FUNCTION_TARGET')).toBe(
        `gcloud run deploy query-public --image=IMAGE --no-invoker-iam-check --region=europe-west1 --cpu=1 --memory=512Mi --concurrency=40 --min-instances=0 --max-instances=10 --timeout=60s --ingress=${ingress} --service-account=saved-queries-query@my-project.iam.gserviceaccount.com --set-env-vars=…FUNCTION_TARGET=query --quiet --project=my-project`,
      );
    });

    it('restricts only query to a load balancer', async () => {
      const behind = ['--query-ingress', 'internal-and-gclb', '--set', 'FORWARDED_FOR_POSITION=2'];
      const functions = (await deployed(...behind)).filter((line) =>
        / functions deploy /.test(line),
      );
      expect(functions.map((line) => /--ingress-settings=\S+/.exec(line)?.[0])).toEqual([
        '--ingress-settings=internal-only',
        '--ingress-settings=internal-and-gclb',
      ]);
    });

    it('only runs the checks with --dry-run, and prints an equivalent script', async () => {
      stub(`${WARM}case "$*" in *describe*|*show*) exit 1;; esac`, 'gcloud', 'bq');
      stub('echo checked', 'npm');
      const args = [
        ...['--project', 'my-project', '--set', 'CORS_ORIGINS=https://a.test,https://b.test'],
        ...['--log-table', 'web_visits=my-project.1_prod.abc'],
      ];
      // What the checks print is no part of the script.
      const dryRun = ['--sql', TEST_SQL, ...args, '--dry-run'];
      const { stdout } = await runScript('scripts/deploy-gcloud.ts', dryRun, { PATH });
      expect(stdout).toMatch(/^#!.* bash\n/);
      expect(called()).toEqual(['npm run check -- --sql test/sql', 'npm run types']);
      rmSync(calls);
      const itself = ['--sql', TEST_SQL, ...args];
      await runScript('scripts/deploy-gcloud.ts', itself, { PATH });
      const byItself = called();
      rmSync(calls);
      expect(runShell(stdout).status).toBe(0);
      expect(called()).toEqual(byItself);
      expect(byItself.length).toBeGreaterThan(30);
    });

    it.each([[[]], [['--dry-run']]])('does nothing after a failed check: %j', async (args) => {
      stub('exit 1', 'npm');
      const { code } = await run(deployWithGcloud, '--project', 'my-project', ...args);
      expect([code, called()]).toEqual([1, ['npm run check -- --sql test/sql']]);
    });

    const PASSING = [
      'ERROR: (gcloud.projects.add-iam-policy-binding) Resource in project [p:setIamPolicy] is the subject of a conflict: There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff.',
      'ERROR: (gcloud.firestore.indexes.fields.update) ABORTED: Please retry, underlying data changed',
      'BigQuery error in update operation: Exceeded rate limits: too many table update operations for this table.',
      'ERROR: RESOURCE_EXHAUSTED: Quota exceeded for quota metric "Writes" and limit "Writes per minute"',
      'BigQuery error in query operation: Service account saved-queries-query@p.iam.gserviceaccount.com does not exist.',
      'ERROR: status=[429], code=[Too Many Requests]',
      'ERROR: An operation on function warm in region europe-west1 is already in progress. Please try again later.',
      'ERROR: PERMISSION_DENIED: Cloud Firestore API has not been used in project p before or it is disabled.',
    ];
    /** Each command of Google fails at its first call, each time with another of these answers. */
    const failOnce = (answers: readonly string[]): void => {
      writeFileSync(join(folder, 'answers'), `${answers.join('\n')}\n`);
      for (const [program, to] of [
        ['gcloud', '>&2'],
        ['bq', ''],
      ] as const) {
        const first = `[ "$(grep -cxF "${program} $*" '${calls}')" -gt 1 ]`;
        const answer = `$(($(grep -c . '${calls}') % ${answers.length} + 1))`;
        stub(
          `${first} || { sed -n "${answer}p" '${folder}/answers' ${to}; exit 1; }\n${WARM}`,
          program,
        );
      }
      stub('', 'sleep');
    };

    it('tries again after an answer of Google that passes', async () => {
      expect((await run(deployWithGcloud, '--project=my-project')).code).toBe(0);
      const commands = called().flatMap((line) =>
        line.startsWith('npm') ? [line] : [line, 'sleep 5', line],
      );
      failOnce(PASSING);
      repeats = true;
      const { code, stderr } = await run(deployWithGcloud, '--project=my-project');
      expect([code, called()]).toEqual([0, commands]);
      for (const answer of ['concurrent policy changes', 'ABORTED', 'has not been used in pro']) {
        expect(stderr).toContain(`Google answered "${answer}`);
      }
      expect(stderr).toContain('": trying again in 5 s\n');
      expect(stderr).toContain('with exponential backoff.\n');
    });

    it.each([
      ['BigQuery error in mk operation: Already Exists: Dataset p:d', 0],
      [
        'BigQuery error in mk operation: Access Denied: Permission bigquery.datasets.create denied',
        0,
      ],
      ['BigQuery error in mk operation: Invalid value for location: 429 is no location', 0],
      ['BigQuery error in mk operation: Exceeded rate limits', 6],
    ])('gives up after "%s" and %i repetitions', async (answer, times) => {
      repeats = true;
      stub('', 'sleep');
      stub(`case "$*" in *show*) exit 1;; *) echo '${answer}'; exit 1;; esac`, 'bq');
      const script = await run(deployWithGcloud, '--project=my-project');
      const slept = ['5', '10', '20', '40', '60', '60'].slice(0, times);
      expect(called().filter((line) => line.startsWith('sleep'))).toEqual(
        slept.map((seconds) => `sleep ${seconds}`),
      );
      expect([script.code, errors(script)]).toEqual([
        1,
        [expect.stringContaining('Error: Command failed: bq ')],
      ]);
      expect(script.stdout).toContain(`${answer}\n`);
    });

    const NAMED = [
      ...['--project', 'my-project', '--query-function', 'sales', '--warm-function', 'sales-warm'],
      ...['--scheduler-job', 'sales-job'],
    ];
    const OTHERS_REFUSED =
      'Error: Not created by this deployment: there. Choose other names (--query-function, --warm-function, --scheduler-job), or --replace.';
    const WITH_OTHERS = `${WARM}case "$*" in *"functions list "* | *"jobs list "*) echo there; exit;; esac`;

    it('uses the given names for functions and job, and looks for existing ones', async () => {
      const lines = await deployed(...NAMED);
      const names = / (?:deploy|add-iam-policy-binding|describe|update http) (sales\S*)/;
      expect(lines.flatMap((line) => names.exec(line)?.[1] ?? []).join(' ')).toBe(
        'sales-warm sales-warm sales-warm sales-job sales-job sales sales sales',
      );
      expect(lines.filter((line) => / (functions|jobs) list /.test(line))).toEqual([
        'gcloud functions list --regions=europe-west1 --filter=name ~ "/(sales|sales-warm)$" AND NOT serviceConfig.serviceAccountEmail ~ "^saved-queries-" --format=value(name) --project=my-project',
        'gcloud scheduler jobs list --location=europe-west1 --filter=name ~ "/(sales-job)$" AND NOT httpTarget.oidcToken.serviceAccountEmail ~ "^saved-queries-" --format=value(name) --project=my-project',
      ]);
    });

    it.each<[string, string[], number]>([
      ['refuses', [], 1],
      ['does not look with --replace', ['--replace'], 0],
    ])('%s before it replaces functions and a job of another deployment', async (_, args, code) => {
      stub(WITH_OTHERS, 'gcloud', 'bq');
      const script = await run(deployWithGcloud, ...NAMED, ...args);
      expect([script.code, errors(script)]).toEqual([code, code === 0 ? [] : [OTHERS_REFUSED]]);
      const deployed = called().filter((line) => line.includes(' functions deploy '));
      expect(deployed).toHaveLength(code === 0 ? 2 : 0);
    });

    it('refuses a database that is not of Firestore in Native mode before it creates anything', async () => {
      stub(
        'case "$*" in *"databases list"*) echo "projects/p/databases/(default)";; esac',
        'gcloud',
      );
      const args = [...NAMED, '--replace', '--database', '(default)'];
      const refused =
        'Error: Not created by this deployment: projects/p/databases/(default). The service needs Firestore in Native mode, Standard edition: choose other databases (--database, --keys-database).';
      const script = await run(deployWithGcloud, ...args);
      expect([script.code, errors(script)]).toEqual([1, [refused]]);
      expect(called().slice(-2)).toEqual([
        expect.stringMatching(/^gcloud services enable /),
        'gcloud firestore databases list --filter=name=("projects/my-project/databases/(default)" "projects/my-project/databases/saved-queries-keys") AND (NOT type=FIRESTORE_NATIVE OR databaseEdition=ENTERPRISE) --format=value(name) --project=my-project',
      ]);
    });

    it('rejects a missing project with one line, as wrong usage', async () => {
      const fault = 'Specify the project: --project or GOOGLE_CLOUD_PROJECT.';
      expect(await run(deployWithGcloud, '--dry-run')).toEqual(refusal(fault, 2));
    });

    it.each(refused)('rejects with one line: %s', async (options, fault) => {
      const args = `${options} --dry-run`.trim().split(/ (?=--)/);
      expect(await run(deployWithGcloud, ...args)).toEqual(refusal(fault));
    });
  });

  it('by npm run deploy takes no -replace, which both of its steps would apply', async () => {
    expect(await run(deployWithTerraform, '-replace=a.b')).toEqual(
      refusal(
        '-replace=a.b would be applied twice, with warm and with the rest: use npm run deploy:apply.',
        2,
      ),
    );
  });

  it.each(['foo', '--adopt', '-destroy', '-out=a'])(
    'by npm run deploy takes nothing but some options of Terraform: %s',
    async (option) => {
      const { code, stderr } = await run(deployWithTerraform, option);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`${option} cannot be passed on.`),
      ]);
    },
  );
});
