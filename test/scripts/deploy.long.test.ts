// Tests of the two ways to deploy: the commands that they run, and that both deploy the same.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestLine } from '../../functions/http/request-log.ts';
import { functionEnvironment } from '../../scripts/deploy/gcloud-deployment.ts';
import { DEPLOYMENT as PLACES, INGRESS } from '../../scripts/deploy/defaults.ts';
import { main as deployWithTerraform } from '../../scripts/deploy.ts';
import { main as deployWithGcloud } from '../../scripts/deploy-gcloud.ts';
import type { Main } from '../../scripts/cli/command.ts';
import { type Block, infra } from '../infra/read-infra.ts';
import { refusal, runCommand, runScript, wordsOf } from '../support/command.ts';
import { DEPLOYMENT, commandsOf } from '../support/service/gcloud-deployment.ts';
import { casesBeside } from '../support/cases.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { readExpectations } from '../support/sql/read-expectations.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { runTranscript, transcriptsOf } from '../support/sql/transcripts.ts';

describe('gcloud and Terraform', () => {
  const defaultOf = (variable: string): unknown => infra.variable(variable).default;

  it('give both functions the same settings, from one file', () => {
    const nested = (block: Block | undefined, name: string): Block =>
      (block?.[name] as Block[])[0] ?? {};
    for (const target of ['query', 'warm']) {
      const planned = infra.resource('google_cloudfunctions2_function', target);
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
    expect(instances).toEqual(['query_min_instances', 'query_max_instances'].map(defaultOf));
    const days = ['request_retention_days', 'log_retention_days'].map(defaultOf);
    expect(days).toEqual([90, 90]);
  });

  it('accept the same ingress settings for query', () => {
    /** ALLOW_INTERNAL_ONLY is internal-only to gcloud. */
    const gcloudIngress = (setting: string): string =>
      setting.replace('ALLOW_', '').toLowerCase().replaceAll('_', '-');
    const [{ condition }] = infra.variable('query_ingress').validation as [{ condition: string }];
    const strings = [...condition.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
    expect(INGRESS).toEqual(strings.map(gcloudIngress));
    const { 'ingress-settings': ingress } = PLACES.function_options.query;
    expect(ingress).toBe(gcloudIngress(String(defaultOf('query_ingress'))));
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
      SOURCE_TABLES:
        'web_visits=other-project.1_prod.abc,requests=my-project.saved_query_requests.run_googleapis_com_stdout',
    });
  });

  it('route no request lines that no source reads, or that are in another table', async () => {
    const sources = DEPLOYMENT.sources.filter(({ name }) => name !== 'requests');
    const logTables = { ...DEPLOYMENT.logTables, requests: 'other-project.logs.requests' };
    for (const without of [{ sources }, { logTables }]) {
      expect(JSON.stringify(await commandsOf({ ...DEPLOYMENT, ...without }))).not.toContain(
        'sinks',
      );
    }
  });

  it('make the table of the request lines with the fields that the view reads, which each line has', () => {
    type Field = { name: string; type: string; fields?: Field[] };
    const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
    const table = read('infra/requests.schema.json') as Field[];
    const made = table.find(({ name }) => name === 'jsonPayload')?.fields ?? [];
    const { columns } = read('sql/sources/service_requests/table.json') as {
      columns: Record<string, string>;
    };
    const shown = read('sql/sources/service_requests/schema.json') as Field[];
    expect(made).toEqual(
      Object.entries(columns).map(([column, path]) => ({
        name: path.replace(/^jsonPayload\./, ''),
        type: shown.find(({ name }) => name === column)?.type,
        mode: 'NULLABLE',
      })),
    );
    // Fields of functions/http/request-log.ts. No error, no names of parameters, nothing of the client.
    const fields: (keyof RequestLine)[] = [
      ...(['endpoint', 'keyName', 'keyId', 'outcome'] as const),
      ...(['status', 'reason', 'durationMs', 'bytesBilled'] as const),
    ];
    expect(made.map(({ name }) => name)).toEqual(fields.map((name) => name.toLowerCase()));
  });

  it('grant the same roles, except for secrets', async () => {
    const ofTerraform = new Set(
      readFileSync('infra/iam.tf', 'utf8').match(/(?<=")roles\/[A-Za-z.]+(?=")/g) ?? [],
    );
    ofTerraform.delete('roles/secretmanager.secretAccessor');
    // With gcloud both functions may read the tables behind views, and so their metadata.
    ofTerraform.delete('roles/bigquery.metadataViewer');
    const ofGcloud = JSON.stringify(await commandsOf(DEPLOYMENT)).match(/roles\/[\w.]+/g);
    expect([...new Set(ofGcloud)].sort()).toEqual([...ofTerraform].sort());
  });
});

const URL_OF = 'case "$*" in *"functions describe "*value*) echo "https://$3.example"; exit;; esac';

/** A folder with stand-ins for the programs that a deployment calls, each of which writes down how it is called. */
function standIns() {
  const tree = new FakeSqlTree();
  const { directory } = tree;
  const calls = join(directory, 'calls');
  const PATH = `${directory}:/usr/bin:/bin`;
  const made = {
    ...{ tree, PATH, printed: '' },
    /** What each program does. */
    programs: new Map(['npm', 'terraform', 'gcloud', 'bq'].map((program) => [program, ''])),
    /** What was called since `write`. */
    calls: (): string[] =>
      existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [],
    /** As programs, and for a script as functions, which take a tenth of their time. */
    write: (): string => {
      rmSync(calls, { force: true });
      const functions = [...made.programs].map(([program, body]) => {
        const last = /^(?:gcloud|bq)$/.test(program) ? URL_OF : '';
        const text = `printf '%s\\n' "${program} $*" >> '${calls}'\n${body}\n${last}\n`;
        writeFileSync(join(directory, program), `#!/bin/sh\n${text}`, { mode: 0o755 });
        return `${program}() (\n${text})`;
      });
      return functions.join('\n');
    },
    /** Runs the script that a command prints, as it would itself, if its checks pass. Says how it failed. */
    deploy: async (main: Main, args: string, repeats = false): Promise<string> => {
      const functions = made.write();
      const env = { PATH, GOOGLE_CLOUD_PROJECT: '', TF_VAR_project_id: '' };
      const ofSql = main === deployWithGcloud ? ['--sql', TEST_SQL] : [];
      const words = [...ofSql, ...wordsOf(args), '--dry-run'];
      const { code, stdout, stderr } = await runCommand(main, words, env);
      if (code !== 0) return `${stderr}[${code}]\n`;
      rmSync(calls);
      // Each repetition needs some more processes.
      const once = stdout.replace(/^repeated\(\) \{\n.*?^\}\n/ms, 'repeated() { run "$@"; }\n');
      // Without the start files that bash reads where its input is a socket.
      const ended = spawnSync('bash', ['-c', `${functions}\n${repeats ? stdout : once}`], {
        encoding: 'utf8',
        env: { PATH },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      made.printed = `${ended.stdout}${ended.stderr}`;
      const errors = ended.stderr.match(/^(?:Error: |To roll back: |Google answered ).*\n/gm) ?? [];
      return `${errors.join('')}${ended.status === 0 ? '' : `[${ended.status}]\n`}`;
    },
  };
  return made;
}

// All commands of a deployment with gcloud are in deploy-commands.txt; Terraform's are in infra/tests.
it.each([
  ...transcriptsOf('test/scripts/cases/deploy-commands.txt'),
  ...transcriptsOf('test/scripts/cases/deploy.txt').map(
    ([name, transcript]) => [`npm run deploy ${name}`, transcript] as const,
  ),
  ...transcriptsOf('test/scripts/cases/deploy-gcloud.txt').map(
    ([name, transcript]) => [`npm run deploy:gcloud ${name}`, transcript] as const,
  ),
])('%s', (_, transcript) => {
  const made = standIns();
  const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  const commandsIn = async (state: 'missing' | 'existing'): Promise<string> => {
    const [missing, existing] = await commandsOf(DEPLOYMENT);
    const commands = (state === 'missing' ? missing : existing) ?? [];
    return asText(commands.map((argv) => argv.join(' ')));
  };
  return runTranscript(transcript, made.tree, {
    stub(__, programs, body) {
      for (const program of programs.split(' ')) made.programs.set(program, body);
      return undefined;
    },
    deploy: (__, args) => made.deploy(deployWithTerraform, args),
    gcloud: (__, args) => made.deploy(deployWithGcloud, args),
    repeating: (__, args) => made.deploy(deployWithGcloud, args, true),
    calls: (__, text) => asText(made.calls().filter((line) => line.includes(text))),
    without: (__, text) => asText(made.calls().filter((line) => !line.includes(text))),
    said: (__, text) => asText(made.printed.split('\n').filter((line) => line.includes(text))),
    missing: () => commandsIn('missing'),
    existing: () => commandsIn('existing'),
  });
});

it('a deployment with a name uses its own state, for this run only', async () => {
  const { tree, programs, calls, deploy } = standIns();
  programs.set('terraform', `echo "in \${TF_WORKSPACE-}" >> '${tree.directory}/calls'`);
  const variables = 'infra/jest.tfvars';
  writeFileSync(variables, 'project_id = "my-project"');
  const said = await deploy(deployWithTerraform, '--deployment jest');
  rmSync(variables);
  expect([said, calls().slice(4)]).toEqual([
    '',
    [
      'in ',
      'npm run --silent deploy:apply -- --ask --deployment=jest',
      'terraform -chdir=infra state show google_cloudfunctions2_function.query',
      'in jest',
      'npm run --silent deploy:apply -- -auto-approve --deployment=jest -target=google_cloudfunctions2_function.warm',
      'npm run warm -- run --wait --bundle=dist --terraform=infra --deployment=jest',
      'npm run --silent deploy:apply -- -auto-approve --deployment=jest',
    ],
  ]);
});

describe('npm run deploy:gcloud', () => {
  it('only runs the checks with --dry-run, and prints an equivalent script', async () => {
    const { programs, calls, PATH, write, deploy } = standIns();
    programs.set('npm', 'echo checked');
    for (const program of ['gcloud', 'bq']) {
      programs.set(program, `${URL_OF}\ncase "$*" in *describe*|*show*) exit 1;; esac`);
    }
    write();
    const options = [
      ...['--project', 'my-project', '--set', 'CORS_ORIGINS=https://a.test,https://b.test'],
      ...['--log-table', 'web_visits=my-project.1_prod.abc'],
    ];
    const itself = (...more: string[]) =>
      runScript('scripts/deploy-gcloud.ts', ['--sql', TEST_SQL, ...options, ...more], { PATH });
    // What the checks print is no part of the script.
    expect((await itself('--dry-run')).stdout).toMatch(/^#!.* bash\n/);
    expect(calls()).toEqual(['npm run check -- --sql test/sql', 'npm run types']);
    write();
    await itself();
    const byItself = calls();
    expect(await deploy(deployWithGcloud, options.join(' '))).toBe('');
    expect(calls()).toEqual(byItself);
    expect(byItself.length).toBeGreaterThan(30);
  });

  it('tries again after an answer of Google that passes', async () => {
    const passing = casesBeside(import.meta.filename)<string>('passing');
    const made = standIns();
    const { tree, programs, calls } = made;
    expect(await made.deploy(deployWithGcloud, '--project=my-project')).toBe('');
    const commands = calls().flatMap((line) =>
      line.startsWith('npm') ? [line] : [line, 'sleep 5', line],
    );
    // Each command of Google fails at its first call, each time with another of the answers.
    writeFileSync(join(tree.directory, 'answers'), `${passing.join('\n')}\n`);
    for (const [program, to] of [
      ['gcloud', '>&2'],
      ['bq', ''],
    ] as const) {
      const first = `[ "$(grep -cxF "${program} $*" '${tree.directory}/calls')" -gt 1 ]`;
      const answer = `$(($(grep -c . '${tree.directory}/calls') % ${passing.length} + 1))`;
      const fails = `sed -n "${answer}p" '${tree.directory}/answers' ${to}; exit 1`;
      programs.set(program, `${first} || { ${fails}; }`);
    }
    programs.set('sleep', '');
    const said = await made.deploy(deployWithGcloud, '--project=my-project', true);
    expect(said).toMatch(/^(?:Google answered ".*": trying again in 5 s\n)+$/);
    for (const answer of ['concurrent policy changes', 'ABORTED', 'has not been used in pro']) {
      expect(said).toContain(`Google answered "${answer}`);
    }
    expect(made.printed).toContain('with exponential backoff.\n');
    expect(calls()).toEqual(commands);
  });

  it.each(readExpectations('test/scripts/cases/deploy-refused.txt').refused ?? [])(
    'rejects with one line: %s',
    async (options, fault) => {
      const args = `--sql ${TEST_SQL} ${options} --dry-run`
        .split(/ (?=--)/)
        .flatMap((one) => one.split(/(?<=--sql) /));
      expect(await runCommand(deployWithGcloud, args)).toEqual(refusal(fault));
    },
  );
});
