// Tests of npm run deploy:apply: a plan that loses something is refused before anything is written.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../functions/core/errors.ts';
import { variablesOf } from '../../scripts/deploy/deployment-variables.ts';
import { type Plan, lossesOf } from '../../scripts/deploy/planned-losses.ts';
import { main } from '../../scripts/deploy-apply.ts';
import { printedBy, runCommand, wordsOf } from '../support/command.ts';
import { casesBeside } from '../support/cases.ts';
import { FakeSqlTree } from '../support/sql/fake-sql-tree.ts';
import { runTranscript, transcriptsOf } from '../support/sql/transcripts.ts';

type Values = object | null;

/** A change as terraform plans it. */
const change = (type: string, action: string, before: Values, after: Values, more = {}) => ({
  ...{ address: `${type}.one`, type, index: 'orders' },
  change: { actions: action.split(' '), before, after, ...more },
});

/** The plan that terraform shows; it writes down how it is called. `look` is what else it does. */
function plan(directory: string, changes: object[], look = ''): void {
  const shown = { format_version: '1.2', resource_changes: changes };
  writeFileSync(join(directory, 'plan.json'), JSON.stringify(shown));
  const body = `#!/bin/sh
${look}
printf '%s\\n' "$*" | sed -E 's/-chdir=infra //; s/[^ =]*saved-queries-[^ ]*\\/plan/PLAN/' >> '${directory}/calls'
case "$*" in *"show -json"*) cat '${directory}/plan.json' ;; esac`;
  writeFileSync(join(directory, 'terraform'), body, { mode: 0o755 });
}

const pathOf = ({ directory }: FakeSqlTree) => ({ PATH: `${directory}:/usr/bin:/bin` });

it.each(transcriptsOf('test/scripts/cases/deploy-apply.txt'))('%s', (_, transcript) =>
  runTranscript(transcript, new FakeSqlTree(), {
    plan(tree, args) {
      const [type = '', action = ''] = wordsOf(args);
      plan(tree.directory, [change(type, action, {}, {})]);
      return undefined;
    },
    async apply(tree, args) {
      rmSync(join(tree.directory, 'calls'), { force: true });
      return printedBy(await runCommand(main, wordsOf(args), pathOf(tree)));
    },
    calls: (tree, text) =>
      (tree.read('calls').match(/.*\n/g) ?? []).filter((line) => line.includes(text)).join(''),
    async variables({ directory }, args, _, env) {
      const [, name, given = ''] = /^(?:--deployment=(\S*))? ?(.*)$/.exec(args) ?? [];
      return variablesOf(name, wordsOf(given), env, directory).then(
        (options) => `${options.join(' ')}\n`,
        (error: unknown) => `${errorMessage(error)}\n`,
      );
    },
  }),
);

type Loss = [
  what: string,
  action: string,
  before: string,
  after: string,
  text: string,
  more?: { type?: string; action_reason?: string; replace_paths?: unknown },
];

it.each<Loss>([
  ...casesBeside(import.meta.filename)<Loss>('losses'),
  ...[
    ...['google_firestore_database', 'google_firestore_document', 'google_bigquery_dataset'],
    ...['google_cloudfunctions2_function', 'google_cloud_run_v2_service'],
    ...['google_cloud_run_v2_service_iam_member', 'google_storage_bucket', 'google_new_thing'],
  ].flatMap((type): Loss[] => [
    [`a deleted ${type}`, 'delete', 'ANY', 'NONE', `deletes ${type}.one`, { type }],
    [`a replaced ${type}`, 'delete create', 'ANY', 'ANY', `replaces ${type}.one`, { type }],
  ]),
])('%s is a loss, beside what comes with it', (_, action, before, after, text, planned = {}) => {
  const table = 'google_bigquery_table';
  const schema = (...columns: [name: string, type: string, mode?: string][]): string =>
    JSON.stringify(columns.map(([name, type, mode = 'NULLABLE']) => ({ name, type, mode })));
  const partitions = { type: 'DAY', field: 'timestamp', expiration_ms: 90 * 86_400_000 };
  const ORDERS = {
    table_id: 'orders',
    deletion_protection: true,
    schema: schema(['timestamp', 'TIMESTAMP', 'REQUIRED'], ['total', 'FLOAT']),
    time_partitioning: [partitions],
    view: [],
  };
  const VIEW = { ...ORDERS, schema: undefined, view: [{ query: 'SELECT 1' }] };
  const NARROWER = { ...ORDERS, schema: schema(['timestamp', 'TIMESTAMP', 'REQUIRED']) };
  const shorter = (expiration_ms: number) => ({
    ...ORDERS,
    time_partitioning: [{ ...partitions, expiration_ms }],
  });
  const WITH_STRUCT = {
    ...ORDERS,
    schema: JSON.stringify([
      ...(JSON.parse(ORDERS.schema) as object[]),
      { name: 'address', type: 'RECORD', fields: [{ name: 'city' }, { name: 'street' }] },
    ]),
  };
  const CITY = { ...ORDERS, schema: WITH_STRUCT.schema.replace(',{"name":"street"}', '') };
  const states: Record<string, Values> = {
    ...{ ORDERS, NARROWER, WITH_STRUCT, CITY, ANY: {}, NONE: null },
    UNKNOWN: { ...NARROWER, schema: undefined },
    ...{ '8 days': shorter(8 * 86_400_000), 'for ever': shorter(0) },
  };
  const stateOf = (name: string): Values => {
    const state = states[name];
    if (state === undefined) throw new Error(`There is no state ${name}.`);
    return state;
  };

  /** A change, a key and rights that come with other changes, and what is made again. */
  const withoutLoss = [
    change(table, 'update', ORDERS, WITH_STRUCT),
    change(table, 'update', ORDERS, shorter(0)),
    change(table, 'delete create', VIEW, VIEW),
    change('google_firestore_document', 'create', null, {}),
    change('google_secret_manager_secret', 'delete', {}, null),
    change('google_service_account', 'delete', {}, null),
    change('google_monitoring_alert_policy', 'delete', {}, null),
    change('google_storage_bucket_object', 'create delete', {}, {}),
    change('google_project_iam_member', 'delete', {}, null),
  ];
  const { type = table, action_reason, ...more } = planned;
  const loss = change(type, action, stateOf(before), stateOf(after), more);
  const resource_changes = [{ ...loss, action_reason }, ...withoutLoss];
  expect(lossesOf({ resource_changes } as Plan)).toEqual([text]);
});

it.each([
  ['keeps everything after something like yes', 'yes please\n', [], 1],
  ['keeps everything after nothing', '', ['-auto-approve=false'], 1],
  ['applies after yes', 'yes\n', [], 0],
  ['leaves that to others with --ask', 'yes\n', ['--ask'], 0],
])('the question %s', (_, input, args, code) => {
  const tree = new FakeSqlTree();
  plan(tree.directory, [change('google_cloudfunctions2_function', 'create', null, {})]);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/deploy-apply.ts', '-var=project_id=my-project', ...args],
    { input, encoding: 'utf8', env: pathOf(tree) },
  );
  const said = code === 0 ? '' : 'Error: Nothing was applied.\n';
  expect([status, stdout.includes('Apply these changes?'), stderr]).toEqual([code, true, said]);
  const applies = input === 'yes\n' && args.length === 0;
  expect(tree.read('calls').endsWith('apply PLAN\n')).toBe(applies);
});

it('plans are for this user only, and are removed', async () => {
  const tree = new FakeSqlTree();
  plan(
    tree.directory,
    [],
    `case "$*" in *" plan "*) ls -ld "$(dirname "$(echo "$*" | sed 's/.*-out=//; s/ .*//')")" > '${tree.directory}/mode' ;; esac`,
  );
  await runCommand(main, ['-var=project_id=my-project', '-auto-approve'], pathOf(tree));
  const [mode, path = ''] = [/^\S+/, /\S+$/].map(
    (part) => part.exec(tree.read('mode').trim())?.[0],
  );
  expect([mode, existsSync(path)]).toEqual(['drwx------', false]);
});
