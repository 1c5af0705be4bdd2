// Compares Terraform with the code: settings and their defaults, names, and time limits.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertFiles } from '@cdktn/hcl2json';
import { SETTINGS } from '../../functions/config.ts';
import { REASONS } from '../../functions/core/errors.ts';
import { withChecksum } from '../../functions/keys/checksum.ts';
import type { WarmReport } from '../../functions/warming/run.ts';
import { LOCAL_SETTINGS } from '../../scripts/cli/project.ts';
import { DEPLOYMENT, namesOf } from '../../scripts/deploy/defaults.ts';
import { infraSettings } from './infra-settings.ts';
import { tableUnder } from '../support/sql/readme-tables.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { WITHOUT_TERRAFORM, terraform, withTerraform } from '../support/terraform.ts';

interface Module {
  locals: Record<string, unknown>[];
  variable: Record<string, Record<string, unknown>[]>;
  resource: Record<string, Record<string, Record<string, unknown>[]>>;
}

const root = (await convertFiles('infra')) as unknown as Module;

const local = (name: string): unknown => root.locals.find((locals) => name in locals)?.[name];

function resource(type: string, name: string): Record<string, unknown> {
  return root.resource[type]?.[name]?.[0] ?? {};
}

it('names neither shipped endpoints nor shipped tables, so that both can be removed', () => {
  const shipped = [
    ...['functions.invocation-stats', 'service.usage', 'usage.api-counts'],
    ...['function_relay_logs', 'service_requests', 'edge_logs'],
  ];
  const files = readdirSync('infra', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!\.terraform).*\.(?:tf|hcl)$/.test(file),
  );
  expect(files).toContain('tests/data.tftest.hcl');
  for (const file of files) {
    const text = readFileSync(join('infra', file), 'utf8');
    expect([file, shipped.filter((name) => text.includes(name))]).toEqual([file, []]);
  }
});

describe('the environment variables of the functions', () => {
  it('have the settings, defaults and bounds of the code, from one generated file', async () => {
    expect(local('known_settings')).toBe('${jsondecode(file("${path.module}/settings.json"))}');
    // Otherwise run npm run infra:settings.
    expect(readFileSync('infra/settings.json', 'utf8')).toBe(await infraSettings());
  });

  it('include every setting of the code except the local ones', () => {
    const inFile = JSON.parse(readFileSync('infra/settings.json', 'utf8')) as object;
    const ofResources = local('settings_of_resources') as object;
    const names = Object.values(SETTINGS).map(({ name }) => name);
    expect([...Object.keys(inFile), ...Object.keys(ofResources)].sort()).toEqual(
      names.filter((name) => !LOCAL_SETTINGS.includes(name)).sort(),
    );
    expect(local('all_environment')).toBe(
      '${merge(local.setting_defaults, var.deployment == null ? {} : { DEPLOYMENT = var.deployment }, var.settings, local.settings_of_resources, local.defaults.process_environment)}',
    );
  });
});

describe('the names and locations of a deployment', () => {
  it('are read from one file by Terraform and the commands', () => {
    expect(local('defaults')).toBe('${jsondecode(file("${path.module}/defaults.json"))}');
    expect(DEPLOYMENT).toMatchObject({
      region: 'europe-west1',
      bigquery_dataset: 'saved_query_logs',
      bigquery_location: 'EU',
      firestore_database: 'saved-queries',
      keys_database: 'saved-queries-keys',
      query_function: 'query',
      warm_function: 'warm',
      scheduler_job: 'warm',
    });
  });

  it.each(['region', 'bigquery_location'])(
    'are taken from the variable %s if it is set',
    (name) => {
      expect(root.variable[name]?.[0]?.default).toBeNull();
      expect(local(name)).toBe(`\${coalesce(var.${name}, local.defaults.${name})}`);
    },
  );

  it('contain its name, if it has one, and then differ from those of all others', () => {
    expect(namesOf('staging')).toEqual({
      bigquery_dataset: 'saved_query_logs_staging',
      firestore_database: 'sq-staging-results',
      keys_database: 'sq-staging-keys',
      query_function: 'query-staging',
      warm_function: 'warm-staging',
      scheduler_job: 'warm-staging',
      prefix: 'sq-staging-',
      requests_dataset: 'saved_query_requests_staging',
      requests_sink: 'saved-query-requests-staging',
    });
    expect(namesOf().keys_database).toBe('saved-queries-keys');
  });

  it('are used by the resources', () => {
    expect([
      resource('google_cloudfunctions2_function', 'query').name,
      resource('google_cloudfunctions2_function', 'warm').name,
      resource('google_cloud_scheduler_job', 'warm').name,
    ]).toEqual([
      '${local.names.query_function}',
      '${local.names.warm_function}',
      '${local.names.scheduler_job}',
    ]);
  });

  it('are each read from their variable in only one place', () => {
    const text = readdirSync('infra')
      .filter((file) => file.endsWith('.tf') && !/^(main|variables)\.tf$/.test(file))
      .map((file) => readFileSync(join('infra', file), 'utf8'))
      .join('\n');
    expect(text).not.toMatch(/var\.(region|bigquery_location|names)/);
  });
});

it('warm times out before the scheduler gives up, and the scheduler before its next call', () => {
  const { schedule, function_options: functions } = DEPLOYMENT;
  expect(schedule).toMatchObject({ schedule: '*/5 * * * *', 'attempt-deadline': '295s' });
  const seconds = parseInt(functions.warm.timeout);
  expect(seconds).toBeLessThan(295);
  expect(seconds).toBeGreaterThan(Number(SETTINGS.warmBudgetSeconds.default));
});

it('the timeout of query exceeds its query plus its Firestore calls', () => {
  const firestoreSeconds = 4 * Number(SETTINGS.firestoreTimeoutSeconds.default);
  const longest = Number(SETTINGS.queryTimeoutSeconds.default) + firestoreSeconds;
  expect(parseInt(DEPLOYMENT.function_options.query.timeout)).toBeGreaterThan(longest);
});

it('has the index for the listing of warm: the latest reads first', () => {
  expect(resource('google_firestore_field', 'last_read_at').index_config).toEqual([
    { indexes: [{ order: 'DESCENDING', query_scope: 'COLLECTION' }] },
  ]);
});

describe('API keys', () => {
  const only = (database: string): string =>
    `resource.name == "projects/\${var.project_id}/databases/\${${database}}"`;

  it('can be read by query and written by no function', () => {
    const grants = Object.entries(root.resource.google_project_iam_member ?? {}).flatMap(
      ([name, [grant]]) =>
        String(grant?.role).startsWith('roles/datastore.')
          ? [[name, grant?.role, (grant?.condition as [{ expression: string }])[0].expression]]
          : [],
    );
    expect(grants).toEqual([
      ['firestore', 'roles/datastore.user', only('google_firestore_database.store.name')],
      ['keys_reader', 'roles/datastore.viewer', only('google_firestore_database.keys.name')],
    ]);
    const { member } = resource('google_project_iam_member', 'keys_reader');
    expect(member).toBe('${google_service_account.query.member}');
  });

  it('are documents of the database in which query looks them up', () => {
    const documents = resource('google_firestore_document', 'api_key');
    const own = 'google_firestore_database.keys.name';
    expect([documents.database, documents.collection]).toEqual([`\${${own}}`, 'apiKeys']);
    expect(local('settings_of_resources')).toMatchObject({ KEYS_DATABASE: `\${${own}}` });
  });

  it('are generated with the checksum that the service expects', () => {
    const [key = ''] =
      /sqk_[\w-]{49}/.exec(readFileSync('infra/tests/keys.tftest.hcl', 'utf8')) ?? [];
    expect(withChecksum(key.slice(0, -6))).toBe(key);
  });

  it('have that checksum if they are generated elsewhere, with the lines in keys.tf', () => {
    const lines = readFileSync('infra/keys.tf', 'utf8').match(/(?<=^# +)(body|key)=.*/gm) ?? [];
    const key = execFileSync('bash', ['-c', `${lines.join('\n')}\nprintf %s "$key"`], {
      encoding: 'utf8',
    });
    expect(key).toMatch(/^sqk_[\w-]{49}$/);
    expect(withChecksum(key.slice(0, -6))).toBe(key);
  });
});

describe('changing a deployment', () => {
  it.each(['query', 'warm'])(
    'puts the tables, views and rights that queries need before the code of %s, also with -target',
    (name) => {
      // The datasets come before their tables, and the sink writes what no query needs at once.
      const ofSink = [
        'google_bigquery_table.requests',
        'google_bigquery_dataset_iam_member.requests_writer',
      ];
      const needed = Object.entries(root.resource)
        .filter(([type]) => /^google_bigquery_(?!dataset$)/.test(type))
        .flatMap(([type, resources]) => Object.keys(resources).map((one) => `${type}.${one}`))
        .filter((one) => !ofSink.includes(one));
      const { depends_on } = resource('google_cloudfunctions2_function', name);
      const first = (depends_on as string[]).map((one) => one.replaceAll(/[${}]/g, ''));
      expect(needed.length).toBeGreaterThan(5);
      expect(first).toEqual(expect.arrayContaining(needed));
    },
  );

  it.each([
    ...['google_storage_bucket_object.bundle', 'google_firestore_document.api_key'],
    'google_bigquery_dataset_access.log_views',
    ...['google_bigquery_dataset_iam_member.source_reader', 'google_bigquery_table_iam_member'],
  ])('writes no %s before the tables, which a protection may refuse to change', (address) => {
    const [type = '', name] = address.split('.');
    for (const [one = {}] of Object.entries(root.resource[type] ?? {}).flatMap(([key, blocks]) =>
      name === undefined || name === key ? [blocks] : [],
    )) {
      expect(String(one.depends_on)).toContain('google_bigquery_table.log}');
    }
  });

  it('replaces no table before its old one is deleted: what is created first passes that on', () => {
    const all = Object.entries(root.resource).flatMap(([type, resources]) =>
      Object.entries(resources).map(([name, [one]]) => ({ address: `${type}.${name}`, one })),
    );
    const needs = (address: string): string[] => {
      const text = JSON.stringify(all.find((other) => other.address === address)?.one);
      return all
        .map((other) => other.address)
        .filter((name) => name !== address && text.includes(name));
    };
    const found = new Set(
      all.flatMap(({ address, one }) =>
        JSON.stringify(one).includes('"create_before_destroy":true') ? [address] : [],
      ),
    );
    expect([...found]).toContain('google_secret_manager_secret_version.api_key');
    for (const address of found) for (const needed of needs(address)) found.add(needed);
    expect([...found].filter((address) => address.includes('bigquery'))).toEqual([]);
  });

  it('updates the alerts before it deletes a channel that they use', () => {
    expect(resource('google_monitoring_notification_channel', 'email').lifecycle).toEqual([
      { create_before_destroy: true },
    ]);
  });

  it('creates a view after the table of the same name is deleted', () => {
    expect(resource('google_bigquery_table', 'log_view').depends_on).toEqual([
      '${google_bigquery_table.log}',
      '${google_bigquery_table.requests}',
    ]);
  });

  it('keeps the bundles of earlier versions in the bucket', () => {
    const bundle = resource('google_storage_bucket_object', 'bundle');
    expect(bundle.name).toContain('filesha256(local.bundle)');
    expect(bundle.deletion_policy).toBe('ABANDON');
  });

  it('moves the document of a renamed key, with the block at the top of keys.tf', () => {
    const text = readFileSync('infra/keys.tf', 'utf8').replaceAll(/^# ?/gm, '');
    const [block = ''] = /^ *moved \{[^}]*\}/m.exec(text) ?? [];
    const [, from, to] = /from = (\S+)\["OLD"\]\n *to {3}= (\S+)\["NEW"\]/.exec(block) ?? [];
    expect([from, to]).toEqual(Array(2).fill('google_firestore_document.api_key'));
  });
});

it('the build account has exactly the roles that a build needs', () => {
  const grant = resource('google_project_iam_member', 'build');
  expect(String(grant.for_each).match(/roles\/[\w.]+/g)).toEqual([
    'roles/artifactregistry.writer',
    'roles/logging.logWriter',
    'roles/storage.objectViewer',
  ]);
  expect(grant).toMatchObject({
    role: '${each.value}',
    member: '${google_service_account.build.member}',
  });
});

describe('alerts', () => {
  interface Alert {
    combiner?: string;
    conditions: Record<string, unknown>[];
    content: string;
  }
  const alert = (name: string): Alert => (local('alerts') as Record<string, Alert>)[name] as Alert;

  it("fire on 429, except for a key's own limit, and name every reason", () => {
    expect(alert('query_exhausted').conditions.map(({ log }) => log)).toEqual([
      '${local.query_lines} AND jsonPayload.event="request" AND jsonPayload.reason=("QUERY_QUOTA_EXHAUSTED" OR "KEY_LOOKUPS_EXHAUSTED")',
    ]);
    const with429 = Object.entries(REASONS).filter(([, { code }]) => code === 429);
    const reasons = with429.map(([reason]) => reason);
    expect(reasons.sort()).toEqual([
      'BYTES_PER_DAY',
      'JOBS_RUNNING',
      'KEY_LOOKUPS_EXHAUSTED',
      'QUERY_QUOTA_EXHAUSTED',
      'RATE_LIMITED',
    ]);
    const { content } = alert('query_exhausted');
    expect(reasons.filter((one) => !content.includes(one))).toEqual([]);
  });

  it('fire on an unusual number and share of 401', () => {
    const filter = '${local.query_requests} AND metric.labels.response_code="401"';
    const { conditions, combiner } = alert('query_unauthenticated');
    expect(conditions.map(({ filter, share_of, above }) => [filter, share_of, above])).toEqual([
      [filter, '${local.query_requests}', '${local.thresholds.unauthenticated_share}'],
      [filter, undefined, '${local.thresholds.unauthenticated - 1}'],
    ]);
    expect(combiner).toBe('AND');
  });

  it('fire on warming that fails partly or leaves results over', () => {
    const [failed, leftOver, cut] = ['failed', 'leftOver', 'listingCut'] satisfies [
      ...(keyof WarmReport)[],
    ];
    const filter = `\${local.warm_service} AND jsonPayload.event="warm" AND (jsonPayload.${failed}>0 OR jsonPayload.${leftOver}>0 OR jsonPayload.${cut}=true)`;
    expect(alert('warm_incomplete').conditions.map(({ log }) => log)).toEqual([filter]);
  });
});

it('all bytes that warm reports are counted, including those of its metadata queries', () => {
  const fields: (keyof WarmReport)[] = ['bytesProcessed', 'questionBytes'];
  const metrics = Object.values(local('metrics') as Record<string, Record<string, string>>);
  const values = metrics.map(({ value, filter = '' }) => [
    value,
    /jsonPayload\.event=(?:"warm"|\("request" OR "warm"\))/.test(filter),
  ]);
  for (const field of fields) expect(values).toContainEqual([field, true]);
  const charts = readFileSync('infra/dashboard.json', 'utf8');
  expect(charts).toContain('${metrics.bytes_processed}_sum');
  expect(charts).toContain('${metrics.question_bytes}_sum');
});

it('the deletion guard is destroyed before anything else', () => {
  const names = Object.entries(root.resource).flatMap(([type, resources]) =>
    Object.keys(resources).map((name) => `${type}.${name}`),
  );
  // The locals that a text names count as the text.
  const textOf = (value: unknown, seen: readonly string[] = []): string =>
    JSON.stringify(value).replaceAll(/local\.(\w+)/g, (all, name: string) =>
      seen.includes(name) ? all : textOf(local(name) ?? '', [...seen, name]),
    );
  const found = new Set(['terraform_data.protection']);
  for (const address of found) {
    const [type = '', name = ''] = address.split('.');
    const text = textOf(resource(type, name));
    for (const other of names) if (new RegExp(`${other}\\b`).test(text)) found.add(other);
  }
  expect([...found].sort()).toEqual(names.sort());
});

withTerraform()(
  `Terraform refuses to destroy what is protected, until an apply has ended the protection${WITHOUT_TERRAFORM}`,
  () => {
    const folder = testDirectory('infra-protection-');
    const main = readFileSync('infra/main.tf', 'utf8');
    const [guard = ''] = /^resource "terraform_data" "protection" \{\n.*?^\}\n/ms.exec(main) ?? [];
    const text = guard.replace(/^ {2}depends_on = \[.*?^ {2}\]\n/ms, '');
    const variable = 'variable "deletion_protection" { type = bool }';
    writeFileSync(join(folder, 'main.tf'), `${variable}\n${text}`);
    const run = (command: string, isProtected: boolean) =>
      terraform(folder, [
        ...[command, '-auto-approve', '-input=false', '-no-color'],
        `-var=deletion_protection=${isProtected}`,
      ]);
    expect(run('apply', true)).toMatchObject({ status: 0 });
    const refused = run('destroy', true);
    expect(refused.status).toBe(1);
    expect(refused.output).toContain('This deployment is protected, and nothing was removed');
    expect(run('destroy', false)).toMatchObject({ status: 1 });
    expect(run('apply', false)).toMatchObject({ status: 0 });
    expect(run('destroy', false)).toMatchObject({ status: 0 });
  },
);

describe('documentation', () => {
  const readme = readFileSync('infra/README.md', 'utf8');
  const cost = readFileSync('docs/reference/cost.md', 'utf8');

  it('names the versions that versions.tf allows, and the lock file', () => {
    const versions = readFileSync('infra/versions.tf', 'utf8');
    expect(versions).toContain('version = ">= 7.45.0, < 9.0.0"');
    expect(versions).toContain('required_version = ">= 1.11.0"');
    expect(readme).toContain('Terraform 1.11 and the google provider 7.45 and 8.0');
    expect(readme).toContain('`.terraform.lock.hcl`');
    expect(readFileSync('.gitignore', 'utf8')).not.toContain('lock');
  });

  it('describes when each alert fires, and counts the log-based metrics', () => {
    const names = Object.values(
      local('alerts') as Record<string, { name: string; conditions: object[] }>,
    );
    const thresholds: Record<string, number> = DEPLOYMENT.alert_thresholds;
    const alerts = names.map(({ name }) =>
      name.replace(/\$\{local\.percent\.(\w+)\}/, (_, share: string) =>
        String((thresholds[share] ?? 0) * 100),
      ),
    );
    const { display_name: uptime } = resource('google_monitoring_alert_policy', 'uptime');
    expect(
      tableUnder('docs/reference/operations.md', '## Alerts', 'alert')
        .map(([name]) => name)
        .sort(),
    ).toEqual([...alerts, String(uptime).replace('Saved queries${local.label}: ', '')].sort());
    const conditions = names.flatMap(({ conditions }) => conditions);
    expect(cost).toContain('have eleven conditions, of which four match log lines');
    expect([names.length, conditions.length]).toEqual([8, 11]);
    expect(conditions.filter((condition) => 'log' in condition)).toHaveLength(4);
    expect(Object.keys(local('metrics') as object)).toHaveLength(5);
    expect(cost).toContain('five log-based metrics');
  });

  it('lists every granted role', () => {
    const granted = readFileSync('infra/iam.tf', 'utf8').matchAll(/"roles\/([A-Za-z.]+)"/g);
    const listed = tableUnder('docs/reference/operations.md', '## Permissions', 'who').flatMap(
      ([, , roles = '']) => roles.match(/[A-Za-z]+\.[A-Za-z]+/g) ?? [],
    );
    expect(new Set(listed)).toEqual(new Set([...granted].map(([, role]) => role)));
  });

  it('names the bucket of functions.tf for the bundles of a rollback', () => {
    const bucket = String(resource('google_storage_bucket', 'source').name);
    expect(bucket).toBe('${var.project_id}-${local.names.prefix}source');
    expect(readme).toContain('gs://PROJECT-saved-queries-source/function-HASH.zip');
  });
});
