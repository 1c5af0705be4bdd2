// Tests of npm run deploy:apply: a plan that loses something is refused before anything is written.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { variablesOf } from '../../scripts/deploy/deployment-variables.ts';
import { type Plan, lossesOf } from '../../scripts/deploy/planned-losses.ts';
import { main } from '../../scripts/deploy-apply.ts';
import { type CommandResult, runCommand } from '../support/command.ts';
import { casesBeside } from '../support/cases.ts';
import { testDirectory } from '../support/temporary-directory.ts';

let folder: string;
let calls: string;

const OPTIONS = ['-var=project_id=my-project', '-auto-approve'];
const PLANNED = 'plan -out=PLAN -var=project_id=my-project';
const PARTITIONS = [{ type: 'DAY', field: 'timestamp', expiration_ms: 90 * 86_400_000 }];
const schema = (...columns: [name: string, type: string, mode?: string][]): string =>
  JSON.stringify(columns.map(([name, type, mode = 'NULLABLE']) => ({ name, type, mode })));
const ORDERS = {
  table_id: 'orders',
  deletion_protection: true,
  schema: schema(['timestamp', 'TIMESTAMP', 'REQUIRED'], ['total', 'FLOAT']),
  time_partitioning: PARTITIONS,
  view: [],
};
const VIEW = { ...ORDERS, schema: undefined, view: [{ query: 'SELECT 1' }] };

type Values = object | null;
const change = (type: string, action: string, before: Values, after: Values, more = {}) => ({
  ...{ address: `${type}.one`, type, index: 'orders' },
  change: { actions: action.split(' '), before, after, ...more },
});
const table = (action: string, after: Values, more: object = {}) =>
  change('google_bigquery_table', action, ORDERS, after, more);
const FUNCTION = 'google_cloudfunctions2_function';
/** The plan that terraform shows. */
function plan(changes: object[]): void {
  const shown = { format_version: '1.2', resource_changes: changes };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(shown));
  const body = `#!/bin/sh
printf '%s\\n' "$*" | sed -E 's/-chdir=infra //; s/[^ =]*saved-queries-[^ ]*\\/plan/PLAN/' >> '${calls}'
case "$*" in *"show -json"*) cat '${folder}/plan.json' ;; esac`;
  writeFileSync(join(folder, 'terraform'), body, { mode: 0o755 });
}

const run = (...args: string[]): Promise<CommandResult> =>
  runCommand(main, args, { PATH: `${folder}:/usr/bin:/bin` });
const called = (): string[] => readFileSync(calls, 'utf8').trimEnd().split('\n');

beforeEach(() => {
  folder = testDirectory('deploy-apply-');
  calls = join(folder, 'calls');
});

it('applies exactly the plan that it has shown', async () => {
  plan([change(FUNCTION, 'update', {}, {})]);
  expect(await run(...OPTIONS, '-parallelism=4', '-no-color')).toMatchObject({ code: 0 });
  expect(called()).toEqual([
    `${PLANNED} -parallelism=4 -no-color`,
    'show -json PLAN',
    'apply -parallelism=4 -no-color PLAN',
  ]);
});

it.each([
  ['nothing', 'no-op', 0],
  ['something', 'update', 2],
])('--plan ends with its own code if %s would change', async (_, action, code) => {
  plan([change(FUNCTION, action, {}, {})]);
  expect(await run('--plan', ...OPTIONS)).toEqual({ code, stdout: '', stderr: '' });
  expect(called()).toEqual([PLANNED, 'show -json PLAN']);
});

it('--plan keeps the plan where -out says', async () => {
  plan([]);
  expect((await run('--plan', '-out=kept.tfplan', ...OPTIONS)).code).toBe(0);
  expect(called()).toEqual([
    'plan -out=kept.tfplan -var=project_id=my-project',
    'show -json kept.tfplan',
  ]);
});

const NARROWER = { ...ORDERS, schema: schema(['timestamp', 'TIMESTAMP', 'REQUIRED']) };
const shorter = (expiration_ms: number) => ({
  ...ORDERS,
  time_partitioning: [{ ...PARTITIONS[0], expiration_ms }],
});

const WITH_STRUCT = {
  ...ORDERS,
  schema: JSON.stringify([
    ...(JSON.parse(ORDERS.schema) as object[]),
    { name: 'address', type: 'RECORD', fields: [{ name: 'city' }, { name: 'street' }] },
  ]),
};
const CITY = WITH_STRUCT.schema.replace(',{"name":"street"}', '');

/** A change, a key and rights that come with other changes, and what is made again. */
const WITHOUT_LOSS = [
  table('update', WITH_STRUCT),
  table('update', shorter(0)),
  change('google_bigquery_table', 'delete create', VIEW, VIEW),
  change('google_firestore_document', 'create', null, {}),
  change('google_secret_manager_secret', 'delete', {}, null),
  change('google_service_account', 'delete', {}, null),
  change('google_monitoring_alert_policy', 'delete', {}, null),
  change('google_storage_bucket_object', 'create delete', {}, {}),
  change('google_project_iam_member', 'delete', {}, null),
];
const losses = (changes: object[]) => lossesOf({ resource_changes: changes } as Plan);

const states: Record<string, Values> = {
  ...{ ORDERS, NARROWER, WITH_STRUCT, CITY: { ...ORDERS, schema: CITY } },
  ...{ UNKNOWN: { ...NARROWER, schema: undefined }, NONE: null },
  ...{ '8 days': shorter(8 * 86_400_000), 'for ever': shorter(0) },
};
type More = { action_reason?: string; replace_paths?: unknown };
type Loss = [
  what: string,
  action: string,
  before: string,
  after: string,
  text: string,
  more?: More,
];
const ofTables = casesBeside(import.meta.filename)<Loss>('losses').map(
  ([what, action, before, after, text, { action_reason, ...more } = {}]) => {
    const planned = table(action, states[after] ?? null, { before: states[before], ...more });
    return [what, { ...planned, action_reason }, text] as const;
  },
);
it.each([
  ...ofTables,
  ...[
    ...['google_firestore_database', 'google_firestore_document', 'google_bigquery_dataset'],
    ...[FUNCTION, 'google_cloud_run_v2_service', 'google_cloud_run_v2_service_iam_member'],
    ...['google_storage_bucket', 'google_new_thing'],
  ].flatMap((type) => [
    [`a deleted ${type}`, change(type, 'delete', {}, null), `deletes ${type}.one`] as const,
    [`a replaced ${type}`, change(type, 'delete create', {}, {}), `replaces ${type}.one`] as const,
  ]),
])('%s is a loss, beside what comes with it', (_, planned, text) => {
  expect(losses([planned, ...WITHOUT_LOSS])).toEqual([text]);
});

it('a plan with a loss is refused in each mode, named and not applied, unless it is allowed', async () => {
  plan([table('update', NARROWER), ...WITHOUT_LOSS]);
  const loss = 'drops the column total of google_bigquery_table.one.';
  for (const mode of [[], ['--ask'], ['--plan']]) {
    const { code, stderr } = await run(...mode, ...OPTIONS);
    expect([code, stderr]).toEqual([
      1,
      `Error: This plan is refused, and nothing of it was applied. It\n  ${loss}\nIf that is meant, run the command again with --allow-loss: infra/README.md, "Change a table".\n`,
    ]);
    expect(called().at(-1)).toBe('show -json PLAN');
  }
  const { code, stdout } = await run(...OPTIONS, '--allow-loss');
  expect([code, called().at(-1)]).toEqual([0, 'apply PLAN']);
  expect(stdout).toBe(`Allowed by --allow-loss:\n  ${loss}\n`);
});

describe('the variables of a deployment', () => {
  let infra: string;
  beforeEach(() => (infra = testDirectory('infra-')));
  const write = (file: string, text: string) =>
    writeFileSync(
      join(infra, file),
      file === 'staging.tfvars' ? `${text}\nproject_id = "p"` : text,
    );
  const options = (given: string[] = [], env = {}, name: string | undefined = 'staging') =>
    variablesOf(name, given, env, infra);

  it.each<
    [place: string, file: string, text: string, given?: string[], env?: Record<string, string>]
  >([
    ['infra/terraform.tfvars', 'terraform.tfvars', 'query_ingres = "ALLOW_INTERNAL_ONLY"'],
    ['infra/a.auto.tfvars', 'a.auto.tfvars', 'query_ingres = "a"'],
    ['infra/b.auto.tfvars.json', 'b.auto.tfvars.json', '{"query_ingres": "a"}'],
    ['-var-file=c.tfvars', 'c.tfvars', 'query_ingres = "a"', ['-var-file=c.tfvars']],
    ['-var=query_ingres=a=b', 'd', '', ['-var=query_ingres=a=b']],
    ['TF_VAR_… in the environment', 'd', '', [], { TF_VAR_query_ingres: 'a' }],
  ])('must be those of infra/: %s', async (place, file, text, given = [], env = {}) => {
    write(file, text);
    for (const name of [undefined, 'staging']) {
      write('staging.tfvars', '');
      await expect(variablesOf(name, given, env, infra)).rejects.toThrow(
        `${place} sets query_ingres, which is no variable of infra/. Variables: alert_emails, `,
      );
    }
  });

  it('must have the project, wherever it is stated', async () => {
    const without = (given: string[] = [], env = {}) => variablesOf(undefined, given, env, infra);
    await expect(without()).rejects.toThrow(
      'Set project_id first: cp infra/example.tfvars infra/terraform.tfvars',
    );
    await expect(without(['-var-file=absent.tfvars'])).rejects.toThrow(
      'absent.tfvars cannot be read: no such file or directory',
    );
    write('terraform.tfvars', 'region =');
    await expect(without()).rejects.toThrow('terraform.tfvars cannot be read: ');
    write('terraform.tfvars', '# project_id = "p"');
    await expect(without()).rejects.toThrow('Set project_id first');
    expect(await without(['-var=project_id=p'])).toEqual(['-var=project_id=p']);
    expect(await without([], { TF_VAR_project_id: 'p' })).toEqual([]);
    write('terraform.tfvars', 'project_id = "p"');
    expect(await without()).toEqual([]);
  });

  it('are in a file of its own', async () => {
    await expect(options()).rejects.toThrow(
      'Set the variables of staging first: cp infra/example.tfvars infra/staging.tfvars',
    );
    write('staging.tfvars', '');
    expect(await options()).toEqual(['-var-file=staging.tfvars', '-var=deployment=staging']);
    await expect(options(['-var=deployment=b'])).rejects.toThrow('states the name already');
  });

  it.each(['default', 'terraform', 'public', 'a-b', 'A', '1a', '', 'abcdefghijklmnopq'])(
    'have no file "%s"',
    async (name) => {
      write('terraform.tfvars', '');
      await expect(options([], {}, name)).rejects.toThrow(/^--deployment (?:cannot|must) be /);
    },
  );

  it.each([
    ['terraform.tfvars', 'api_keys = {\n  a = { endpoints = ["*"] }\n}\n  settings = {}\n'],
    ['a.auto.tfvars', '# region = "a"\n/* x */ api_keys={}\nsettings = { region = "b" }'],
    ['terraform.tfvars.json', '{"settings": {"A": "b"}, "api_keys": {}}'],
  ])('are no others, which %s would set', async (file, text) => {
    write(file, text);
    const fault = `infra/${file} sets api_keys, settings, which Terraform would use for this deployment too. Set the same in infra/staging.tfvars (null for the default).`;
    // In a comment, and of another object.
    write('staging.tfvars', '/*\napi_keys = {}\n*/\nlog_tables = {\n settings = "a.b.c"\n}');
    await expect(options()).rejects.toThrow(fault);
    write('staging.tfvars', 'api_keys = {}');
    await expect(options()).rejects.toThrow('sets settings, which Terraform would use');
    expect(await options(['-var=settings={}'])).toEqual([
      ...['-var-file=staging.tfvars', '-var=settings={}', '-var=deployment=staging'],
    ]);
    write('staging.tfvars', 'api_keys = null\nsettings = { A = "b" }');
    expect(await options()).toHaveLength(2);
    await expect(options([], { TF_VAR_log_tables: '{}' })).rejects.toThrow(
      'TF_VAR_… in the environment sets log_tables',
    );
  });

  it('give nothing the name that it has in another deployment', async () => {
    write('terraform.tfvars', 'names = { keys_database = "shop-keys" }\nregion = "europe-west1"');
    write('staging.tfvars', 'names = { keys_database = "shop-keys" }\nregion = "europe-west1"');
    await expect(options()).rejects.toThrow('sets the same keys_database as infra/staging.tfvars');
    write('staging.tfvars', 'names = null\nregion = "europe-west1"');
    expect(await options()).toHaveLength(2);
  });
});

describe('the question', () => {
  /** Exit code and output of the command as its own process. */
  const ask = (input: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/deploy-apply.ts', '-var=project_id=my-project', ...args],
      { input, encoding: 'utf8', env: { PATH: `${folder}:/usr/bin:/bin` } },
    );
    return [status, stdout.includes('Apply these changes?'), stderr];
  };

  beforeEach(() => plan([change(FUNCTION, 'create', null, {})]));

  it.each([
    ['no', 'no\n'],
    ['nothing', ''],
    ['something like yes', 'yes please\n'],
  ])('keeps everything after %s', (_, input) => {
    expect(ask(input)).toEqual([1, true, 'Error: Nothing was applied.\n']);
    expect(called()).toEqual([PLANNED, 'show -json PLAN']);
  });

  it('applies after yes, and with --ask leaves that to others', () => {
    expect(ask('yes\n')).toEqual([0, true, '']);
    expect(called().at(-1)).toBe('apply PLAN');
    expect(ask('yes\n', '--ask')).toEqual([0, true, '']);
    expect(called().at(-1)).toBe('show -json PLAN');
  });

  it('is not asked with -auto-approve or for a plan without changes, and cannot be asked with -input=false', () => {
    expect(ask('', '-auto-approve')).toEqual([0, false, '']);
    expect(ask('no\n', '-auto-approve=false')[0]).toBe(1);
    expect(ask('', '-input=false')).toEqual([
      1,
      false,
      'Error: Nothing was applied: without a question, -auto-approve is needed.\n',
    ]);
    plan([change(FUNCTION, 'no-op', {}, {})]);
    expect(ask('')).toEqual([0, false, '']);
  });
});

it('plans are for this user only, and are removed', async () => {
  plan([]);
  const stub = readFileSync(join(folder, 'terraform'), 'utf8');
  const look = `case "$*" in *" plan "*) ls -ld "$(dirname "$(echo "$*" | sed 's/.*-out=//; s/ .*//')")" > '${folder}/mode' ;; esac\n`;
  writeFileSync(join(folder, 'terraform'), stub.replace('\n', `\n${look}`));
  await run(...OPTIONS);
  const [mode, path = ''] = [/^\S+/, /\S+$/].map(
    (part) => part.exec(readFileSync(join(folder, 'mode'), 'utf8').trim())?.[0] ?? '',
  );
  expect([mode, existsSync(path)]).toEqual(['drwx------', false]);
});

it.each([
  '-out=a',
  '-destroy',
  '-detailed-exitcode',
  '-state=a',
  '-backup=a',
  '--adopt',
  'column:orders.total',
])('does not take %s', async (option) => {
  const fault = `Error: ${option} cannot be passed on. Options of Terraform, as -name=value: auto-approve, `;
  const { code, stderr } = await run(option);
  expect([code, stderr]).toEqual([2, expect.stringContaining(fault)]);
  if (option === '-out=a') return;
  // With --plan, 2 says that something would change.
  expect(await run('--plan', option)).toMatchObject({ code: 1 });
});
