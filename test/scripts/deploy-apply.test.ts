// Tests of npm run deploy:apply: a plan that loses something is refused before anything is written.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { variablesOf } from '../../scripts/deploy/deployment-variables.ts';
import { main } from '../../scripts/deploy-apply.ts';
import { type CommandResult, refusal, runCommand } from '../support/command.ts';
import { testDirectory } from '../support/temporary-directory.ts';

let folder: string;
let calls: string;

const ADOPTED = join('infra', 'adopted.tf.json');
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
const KEY = 'google_firestore_document';
const WITH_STRUCT = {
  ...ORDERS,
  schema: JSON.stringify([
    ...(JSON.parse(ORDERS.schema) as object[]),
    { name: 'address', type: 'RECORD', fields: [{ name: 'city', type: 'STRING' }] },
  ]),
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
const runsAs = (email: string) => ({
  name: 'query',
  service_config: [{ service_account_email: email }],
});
const job = (email: string) => ({
  name: 'warm',
  http_target: [{ oidc_token: [{ service_account_email: email }] }],
});

/** The plan that terraform shows, with what it prints as it applies it, and whether it fails then. */
function plan(
  changes: object[],
  given: {
    isProtected?: boolean | string;
    errors?: string;
    ends?: string;
    deployment?: string | undefined;
  } = {},
): void {
  const { isProtected = true, errors = '', ends = 'exit 0', deployment } = given;
  const variables = {
    ...(deployment === undefined ? {} : { deployment: { value: deployment } }),
    deletion_protection: { value: isProtected },
    project_id: { value: 'my-project' },
  };
  const shown = { format_version: '1.2', variables, resource_changes: changes };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(shown));
  writeFileSync(join(folder, 'errors'), errors);
  const body = `#!/bin/sh
printf '%s\\n' "$*" | sed -E 's/-chdir=infra //; s/[^ =]*saved-queries-plan-[^ ]*\\/(plan|state)/\\U\\1/' >> '${calls}'
case "$*" in
  *"show -json"*) cat '${folder}/plan.json' ;;
  *"state pull"*) cat '${folder}/state.json' ;;
  *"state push"*) for file in "$@"; do :; done; cp "$file" '${folder}/pushed.json'
    sed -i 's/"deletion_protection":true/"deletion_protection":false/' '${folder}/plan.json' ;;
  *" plan "*) [ ! -e ${ADOPTED} ] || cp ${ADOPTED} '${folder}/blocks.json' ;;
  *" apply "*) [ -e ${ADOPTED} ] || { cat '${folder}/errors' >&2; ${ends}; } ;;
esac`;
  writeFileSync(join(folder, 'terraform'), body, { mode: 0o755 });
}

const run = (...args: string[]): Promise<CommandResult> =>
  runCommand(main, args, { PATH: `${folder}:/usr/bin:/bin` });
const called = (): string[] => readFileSync(calls, 'utf8').trimEnd().split('\n');
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));

beforeEach(() => {
  folder = testDirectory('deploy-apply-');
  calls = join(folder, 'calls');
});

afterEach(() => expect(existsSync(ADOPTED)).toBe(false));

it('applies exactly the plan that it has shown', async () => {
  plan([change(FUNCTION, 'update', runsAs('saved-queries-query@a'), {})]);
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
  plan([change(FUNCTION, action, runsAs('saved-queries-query@a'), {})]);
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
const RETYPED = {
  ...ORDERS,
  schema: schema(['timestamp', 'TIMESTAMP'], ['total', 'NUMERIC'], ['id', 'STRING', 'REQUIRED']),
};
const shorter = (expiration_ms: number) => ({
  ...ORDERS,
  time_partitioning: [{ ...PARTITIONS[0], expiration_ms }],
});

const GRANT = 'google_cloud_run_v2_service_iam_member';
const GRANTED = { name: 'projects/p/locations/l/services/query', member: 'allUsers' };

const LOSSES: [what: string, changes: object[], id: string, text: string][] = [
  [
    'a column that is removed',
    [table('update', NARROWER)],
    'column:orders.total',
    'drops the column total of the table orders with its values',
  ],
  [
    'a table with other columns',
    [table('delete create', RETYPED, { replace_paths: [['schema']] })],
    'table:orders',
    'replaces the table orders by an empty one: the column timestamp is NULLABLE TIMESTAMP instead of REQUIRED TIMESTAMP, the column total is NULLABLE NUMERIC instead of NULLABLE FLOAT, the column id is new and REQUIRED',
  ],
  [
    'a table with other partitions',
    [table('create delete', ORDERS, { replace_paths: [['time_partitioning', 0, 'field']] })],
    'table:orders',
    'replaces the table orders by an empty one: time_partitioning.0.field changes',
  ],
  [
    'a table for -replace',
    [{ ...table('delete create', ORDERS), action_reason: 'replace_by_request' }],
    'table:orders',
    'replaces the table orders by an empty one: -replace asks for it',
  ],
  [
    'a table whose source is gone',
    [table('delete', null)],
    'table:orders',
    'deletes the table orders with its rows: nothing in sql/sources needs it',
  ],
  [
    'a table that becomes a view',
    [table('delete', null), change('google_bigquery_table', 'create', null, VIEW)],
    'table:orders',
    'deletes the table orders with its rows: a view takes its place',
  ],
  [
    'partitions that are kept for less time',
    [table('update', shorter(8 * 86_400_000))],
    'partitions:orders',
    'deletes the partitions of the table orders that are older than 8 days (so far 90 are kept)',
  ],
  [
    'columns that the plan does not know yet',
    [table('update', { ...NARROWER, schema: undefined })],
    'column:orders.timestamp',
    'drops the column timestamp of the table orders with its values',
  ],
  [
    'a database',
    [change('google_firestore_database', 'delete create', {}, {})],
    'google_firestore_database.one',
    'deletes google_firestore_database.one with its content',
  ],
  [
    'a key that is another one under its name',
    [
      change('random_bytes', 'delete create', {}, {}),
      change(KEY, 'delete create', { document_id: 'a' }, { document_id: 'b' }),
    ],
    'key:orders',
    'replaces the API key orders: the one that callers have ends',
  ],
  [
    'a renamed key, whose document would be deleted and created in any order',
    [
      change(KEY, 'delete', { document_id: 'a' }, null),
      { ...change(KEY, 'create', null, { document_id: 'a' }), index: 'sales' },
    ],
    'key:orders',
    'deletes the API key orders and creates it as sales, in any order: use the block "moved" at the top of infra/keys.tf',
  ],
  [
    'a function with another name',
    [change(FUNCTION, 'delete create', { name: 'query' }, { name: 'sales' })],
    'function:query',
    'deletes the function query: its URL ends',
  ],
  [
    'a function that is made again',
    [change(FUNCTION, 'delete create', { name: 'query' }, { name: 'query' })],
    'function:query',
    'deletes the function query: it does not answer until it is there again',
  ],
  [
    'a database that an earlier apply has not finished',
    [
      {
        ...change('google_firestore_database', 'delete create', {}, {}),
        action_reason: 'replace_because_tainted',
      },
    ],
    'google_firestore_database.one',
    "deletes google_firestore_database.one with its content, because an earlier apply did not finish it (if it is whole: terraform -chdir=infra untaint 'google_firestore_database.one')",
  ],
  [
    'a STRUCT, whose fields go with it',
    [
      table(
        'update',
        {
          ...ORDERS,
          schema: schema(['timestamp', 'TIMESTAMP', 'REQUIRED'], ['total', 'FLOAT']),
        },
        { before: WITH_STRUCT },
      ),
    ],
    'column:orders.address',
    'drops the column address of the table orders with its values',
  ],
  [
    'a bucket of another project that is taken over',
    [
      change(
        'google_storage_bucket',
        'no-op',
        { project: 'theirs' },
        { project: 'theirs' },
        {
          importing: { id: 'a' },
        },
      ),
    ],
    'adopt:google_storage_bucket.one',
    'takes over google_storage_bucket.one, which is in the project theirs',
  ],
  [
    'a revoked key that is taken over',
    [
      change(
        KEY,
        'update',
        { fields: '{"revokedAt":1}', deletion_policy: null },
        { fields: '{}' },
        {
          importing: { id: 'a' },
        },
      ),
    ],
    'adopt:google_firestore_document.one',
    'takes over google_firestore_document.one, which this deployment would have created otherwise, and changes fields',
  ],
  [
    'an account that is made again',
    [change('google_service_account', 'delete create', {}, {})],
    'google_service_account.one',
    'deletes google_service_account.one with its content',
  ],
  [
    'a type of resources that the command does not know',
    [change('google_new_thing', 'delete', {}, null)],
    'google_new_thing.one',
    'deletes google_new_thing.one with its content',
  ],
  [
    'a service for callers',
    [change('google_cloud_run_v2_service', 'delete', { name: 'query-public' }, null)],
    'function:query-public',
    'deletes the function query-public: its URL ends',
  ],
  [
    'a grant to everyone',
    [change(GRANT, 'delete create', GRANTED, { ...GRANTED, member: 'user:a@b' })],
    'access:query',
    'ends the access of all callers to query at its URL',
  ],
  [
    'a function of another account',
    [change(FUNCTION, 'update', runsAs('website@a'), runsAs('saved-queries-query@a'))],
    'function:query',
    'takes over the function query, which this deployment did not create: it runs as website@a',
  ],
  [
    'a job of another account',
    [change('google_cloud_scheduler_job', 'update', job('cron@a'), job('saved-queries-x@a'))],
    'job:warm',
    'takes over the job warm, which this deployment did not create: it runs as cron@a',
  ],
];

describe.each(LOSSES)('%s', (_, changes, id, text) => {
  // What comes with it: code, a key, and a grant that goes.
  const all = [
    ...changes,
    change('google_storage_bucket_object', 'create delete', {}, {}),
    change('google_firestore_document', 'create', null, {}),
    change('google_project_iam_member', 'delete', {}, null),
  ];
  const STATE = { version: 4, serial: 7, lineage: 'a', resources: [] };
  beforeEach(() => writeFileSync(join(folder, 'state.json'), JSON.stringify(STATE)));

  it.each([[[]], [['--ask']], [['--plan']]])(
    'is refused, named and not applied: %j',
    async (mode) => {
      plan(all);
      const { code, stderr } = await run(...mode, ...OPTIONS);
      const lines = stderr.split('\n');
      expect([code, lines[0]]).toEqual([
        1,
        'Error: This plan is refused, and nothing of it was applied:',
      ]);
      expect(lines).toContain(`  ${id}: ${text}.`);
      expect(stderr).toContain(`--allow-loss '${id}'`);
      expect(called()).toEqual([PLANNED, 'show -json PLAN']);
    },
  );

  it('is applied if it is allowed', async () => {
    plan(all);
    const { stderr } = await run('--plan', ...OPTIONS);
    const ids = [...stderr.matchAll(/--allow-loss '(.*?)'/g)].map(([, one = '']) => one);
    const { code, stdout } = await run(...OPTIONS, ...ids.map((one) => `--allow-loss=${one}`));
    expect([code, called().at(-1)]).toEqual([0, 'apply PLAN']);
    expect(stdout).toContain(`  ${id}: ${text}.`);
  });
});

it.each<[string, object[]]>([
  ['a grant to one account', [change(GRANT, 'delete create', { member: 'user:a@b' }, {})]],
  ['a new column', [table('update', { ...ORDERS, schema: RETYPED.schema })]],
  ['partitions that are kept longer', [table('update', shorter(0))]],
  ['a view', [change('google_bigquery_table', 'delete create', VIEW, VIEW)]],
  ['a key', [change('google_firestore_document', 'delete', {}, null)]],
  [
    'a key that -replace generates again',
    [
      {
        ...change('random_bytes', 'delete create', {}, {}),
        action_reason: 'replace_by_request',
      },
      change(KEY, 'delete create', { document_id: 'a' }, { document_id: 'b' }),
    ],
  ],
  [
    'what was created before and is taken over',
    [
      change(
        'google_storage_bucket',
        'update',
        { project: 'my-project', force_destroy: false },
        { force_destroy: true },
        {
          importing: { id: 'a' },
        },
      ),
    ],
  ],
  ['an account less', [change('google_service_account', 'delete', {}, null)]],
  ['an alert', [change('google_monitoring_alert_policy', 'delete', {}, null)]],
])('%s is no loss', async (_, changes) => {
  plan(changes);
  expect(await run(...OPTIONS)).toMatchObject({ code: 0 });
});

it('ends the protection of a table whose loss is allowed, and of no other, in the state alone', async () => {
  plan([table('delete', null)]);
  const instance = (table_id: string) => ({
    attributes: { table_id, deletion_protection: true },
    dependencies: ['a'],
  });
  const resource = (type: string, ...ids: string[]) => ({
    ...{ type, name: 'log' },
    instances: ids.map(instance),
  });
  const others = { version: 4, lineage: 'a', outputs: { b: 1 } };
  const state = (...resources: object[]) => ({ ...others, serial: 7, resources });
  const database = resource('google_firestore_database', 'orders');
  writeFileSync(
    join(folder, 'state.json'),
    JSON.stringify(state(resource('google_bigquery_table', 'orders', 'visits'), database)),
  );
  const allowed = ['--allow-loss', 'table:orders', '--allow-loss', 'column:visits.id'];
  expect((await run('--ask', ...allowed, ...OPTIONS)).stdout).toContain(
    'The plan does not lose column:visits.id.\n',
  );
  rmSync(calls);
  expect(await run(...allowed, ...OPTIONS)).toMatchObject({ code: 0 });
  const PLAN = [PLANNED, 'show -json PLAN'];
  expect(called()).toEqual([...PLAN, 'state pull', 'state push STATE', ...PLAN, 'apply PLAN']);
  const open = {
    ...instance('orders'),
    attributes: { table_id: 'orders', deletion_protection: false },
  };
  const tables = {
    type: 'google_bigquery_table',
    name: 'log',
    instances: [open, instance('visits')],
  };
  expect(read('pushed.json')).toEqual({ ...state(tables, database), serial: 8 });
});

it('allows losses without protection, but nothing that others created', async () => {
  for (const isProtected of [false, 'false']) {
    plan([table('update', NARROWER)], { isProtected });
    expect(await run(...OPTIONS)).toMatchObject({ code: 0 });
  }
  plan([change(FUNCTION, 'update', runsAs('website@a'), {})], { isProtected: false });
  expect((await run(...OPTIONS)).stderr).toContain('function:query');
});

it('takes over functions of its own accounts only, also with a name', async () => {
  const ofStaging = change(FUNCTION, 'update', runsAs('sq-staging-query@a'), {});
  for (const [deployment, code] of [
    ['staging', 0],
    ['other', 1],
    [undefined, 1],
  ] as const) {
    plan([ofStaging], { deployment });
    expect(await run(...OPTIONS)).toMatchObject({ code });
  }
});

describe('the variables of a deployment with a name', () => {
  let infra: string;
  beforeEach(() => (infra = testDirectory('infra-')));
  const write = (file: string, text: string) => writeFileSync(join(infra, file), text);
  const options = (given: string[] = [], env = {}, name = 'staging') =>
    variablesOf(name, given, env, infra);

  it('are in a file of its own', async () => {
    await expect(options()).rejects.toThrow(
      'Set the variables of staging first: cp infra/example.tfvars infra/staging.tfvars',
    );
    write('staging.tfvars', 'project_id = "p"');
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
    const fault = `infra/${file} sets api_keys, settings, which Terraform would use for staging too. Set them in infra/staging.tfvars as well (null for the default).`;
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
    write('terraform.tfvars', 'keys_database = "shop-keys"\nregion = "europe-west1"');
    write('staging.tfvars', 'keys_database = "shop-keys"\nregion = "europe-west1"');
    await expect(options()).rejects.toThrow('sets the same keys_database as infra/staging.tfvars');
    write('staging.tfvars', 'keys_database = null\nregion = "europe-west1"');
    expect(await options()).toHaveLength(2);
  });
});

it('takes over no database that may be of another deployment', async () => {
  const database = (name: string) =>
    change('google_firestore_database', 'update', { name }, { name }, { importing: { id: name } });
  plan([database('sq-staging-keys')], { deployment: 'staging' });
  expect(await run(...OPTIONS)).toMatchObject({ code: 0 });
  plan([database('saved-queries-keys')], { deployment: 'staging', isProtected: false });
  expect((await run(...OPTIONS)).stderr).toContain(
    'takes over the database saved-queries-keys, which may be of another deployment',
  );
});

describe('what exists although the state does not have it', () => {
  const created = (type: string, address: string, after: Values) => ({
    ...change(type, 'create', null, after),
    address,
  });
  const CHANGES = [
    created('google_bigquery_dataset', 'google_bigquery_dataset.logs', { dataset_id: 'logs' }),
    created('google_firestore_document', 'google_firestore_document.api_key["shop"]', {
      ...{ database: 'keys', collection: 'apiKeys', document_id: 'ab12' },
    }),
    created('google_service_account', 'google_service_account.query', { account_id: 'q' }),
    created('google_storage_bucket', 'google_storage_bucket.source', { name: 'c' }),
  ];
  // As Terraform writes it, in colours.
  const errors = `\u001b[31m╷\u001b[0m\u001b[0m
\u001b[31m│\u001b[0m \u001b[0m\u001b[1m\u001b[31mError: \u001b[0m\u001b[0m\u001b[1mError creating Dataset: googleapi: Error 409: Already Exists: Dataset my-project:logs, duplicate
│ 
│   with google_bigquery_dataset.logs,
│   on bigquery.tf line 9, in resource "google_bigquery_dataset" "logs":
╵
╷
│ Error: Error creating Document: googleapi: Error 409: Document already exists
│ 
│   with google_firestore_document.api_key["shop"],
╵
╷
│ Error: Error creating Bucket: googleapi: Error 403: Forbidden
│ 
│   with google_storage_bucket.source,
╵
`;

  it('is named, and taken over with --adopt by one plan that is checked too', async () => {
    plan(CHANGES, { errors, ends: 'exit 1' });
    const { code, stderr } = await run(...OPTIONS);
    expect([code, stderr]).toEqual([
      1,
      'Error: These exist, but the state does not have them: google_bigquery_dataset.logs, google_firestore_document.api_key["shop"]. If an earlier run was interrupted, run it again with --adopt, which takes them over.\n',
    ]);
    expect(await run('--adopt', ...OPTIONS)).toMatchObject({ code: 0 });
    expect(read('blocks.json')).toEqual({
      import: [
        { to: 'google_bigquery_dataset.logs', id: 'projects/my-project/datasets/logs' },
        {
          to: 'google_firestore_document.api_key["shop"]',
          id: 'projects/my-project/databases/keys/documents/apiKeys/ab12',
        },
      ],
    });
    expect(called().slice(-3)).toEqual([PLANNED, 'show -json PLAN', 'apply PLAN']);
  });

  it('stops at what cannot be imported', async () => {
    const other = created('google_new_thing', 'google_new_thing.one', {});
    const exists = '│ Error: Error 409: Already Exists\n│   with google_new_thing.one,\n';
    plan([other], { errors: exists, ends: 'exit 1' });
    expect((await run('--adopt', ...OPTIONS)).stderr).toBe(
      'Error: google_new_thing.one exists already, and cannot be taken over: delete it, or rename it.\n',
    );
  });

  it('is not looked for after another fault', async () => {
    const faults = [
      ['Error 403', 'google_bigquery_dataset.logs'],
      ['Error 409: unable to queue the operation, ABORTED', 'google_bigquery_dataset.logs'],
      ['Error 409: Already Exists', 'google_logging_metric.that_the_plan_does_not_create'],
    ];
    for (const [fault, address] of faults) {
      plan(CHANGES, { errors: `│ Error: ${fault}\n│   with ${address},\n`, ends: 'exit 1' });
      expect(await run('--adopt', ...OPTIONS)).toEqual(refusal('terraform apply failed.'));
    }
  });

  it('can be imported, for each type that cannot be created twice', () => {
    const [, table = ''] =
      /IMPORT_IDS[^{]*\{\n([^]*?)\n\};/.exec(
        readFileSync('scripts/deploy/import-blocks.ts', 'utf8'),
      ) ?? [];
    // These are created again without a fault, or are not named by their creator.
    const repeatable =
      /^(terraform_data|random_bytes)$|_iam_member$|_access$|^google_(firestore_(field|backup_schedule)|monitoring_\w+|project_service|secret_manager_secret_version|storage_bucket_object)$/;
    const types = readdirSync('infra')
      .filter((file) => file.endsWith('.tf'))
      .flatMap((file) => [
        ...readFileSync(join('infra', file), 'utf8').matchAll(/^resource "(\w+)"/gm),
      ])
      .map(([, type = '']) => type)
      .filter((type) => !repeatable.test(type));
    expect([...table.matchAll(/^ {2}(\w+):/gm)].map(([, type]) => type).sort()).toEqual(
      [...new Set(types)].sort(),
    );
  });
});

describe('a local state that a killed run has left', () => {
  const workspace = 'test-of-a-broken-state';
  const place = join('infra', 'terraform.tfstate.d', workspace);
  const file = join(place, 'terraform.tfstate');
  const STATE = '{"version": 4}';
  const runThere = (...args: string[]) => {
    const env = { PATH: `${folder}:/usr/bin:/bin`, TF_WORKSPACE: workspace };
    return runCommand(main, [...args, ...OPTIONS], env);
  };

  beforeEach(() => {
    plan([]);
    mkdirSync(place, { recursive: true });
  });

  afterEach(() => rmSync(place, { recursive: true }));

  it.each(['', '{"version": 4, "ser'])(
    'is neither used nor lost, and --adopt goes on from its backup: %j',
    async (broken) => {
      writeFileSync(file, broken);
      writeFileSync(`${file}.backup`, STATE);
      const { code, stderr } = await runThere();
      expect([code, stderr]).toEqual([
        1,
        `Error: ${resolve(file)} is empty or cut off: an earlier run was ended while it wrote the file. Run it again with --adopt, which continues from ${resolve(file)}.backup and takes over what exists.\n`,
      ]);
      expect([existsSync(calls), readFileSync(file, 'utf8')]).toEqual([false, broken]);
      expect(await runThere('--adopt')).toMatchObject({ code: 0 });
      expect(readFileSync(file, 'utf8')).toBe(STATE);
    },
  );

  it('is removed with --adopt if there is no backup', async () => {
    writeFileSync(file, '');
    expect((await runThere()).stderr).toContain('which begins without a state and takes over');
    expect(await runThere('--adopt')).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
  });

  it('is used if it is whole', async () => {
    writeFileSync(file, STATE);
    writeFileSync(`${file}.backup`, '{}');
    expect(await runThere('--adopt')).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(STATE);
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

it('plans that a killed run has left are removed after a day', async () => {
  plan([]);
  const old = testDirectory('saved-queries-plan-old-');
  const young = testDirectory('saved-queries-plan-young-');
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  utimesSync(old, yesterday, yesterday);
  await run(...OPTIONS);
  expect([old, young].map((path) => existsSync(path))).toEqual([false, true]);
});

it.each(['-out=a', '-destroy', '-detailed-exitcode', '-state=a', '-backup=a'])(
  'does not take %s',
  async (option) => {
    expect(await run(option)).toEqual(refusal(`${option} cannot be passed on.`, 2));
    if (option === '-out=a') return;
    // With --plan, 2 says that something would change.
    expect(await run('--plan', option)).toEqual(refusal(`${option} cannot be passed on.`));
  },
);
