// Compares Terraform with the code: settings and their defaults, names, the order of changes, and alerts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REASONS } from '../../functions/core/errors.ts';
import type { WarmReport } from '../../functions/warming/terms.ts';
import { namesOf } from '../../scripts/deploy/defaults.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { infra } from './read-infra.ts';
import { describeWithTerraform, terraform } from './terraform.ts';

it('the environment variables of the functions have the settings, defaults and bounds of the code', () => {
  // test/docs/generated.test.ts compares the file with the code.
  expect(infra.local('known_settings')).toBe('${jsondecode(file("${path.module}/settings.json"))}');
});

it('the names of a deployment contain its name, if it has one', () => {
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

describe('changing a deployment', () => {
  it.each(['query', 'warm'])(
    'puts the tables, views and rights that queries need before the code of %s, also with -target',
    (name) => {
      // The datasets come before their tables, and the sink writes what no query needs at once.
      const ofSink = [
        'google_bigquery_table.requests',
        'google_bigquery_dataset_iam_member.requests_writer',
      ];
      const needed = Object.entries(infra.resources)
        .filter(([type]) => /^google_bigquery_(?!dataset$)/.test(type))
        .flatMap(([type, resources]) => Object.keys(resources).map((one) => `${type}.${one}`))
        .filter((one) => !ofSink.includes(one));
      const { depends_on } = infra.resource('google_cloudfunctions2_function', name);
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
    for (const [one = {}] of Object.entries(infra.resources[type] ?? {}).flatMap(([key, blocks]) =>
      name === undefined || name === key ? [blocks] : [],
    )) {
      expect(String(one.depends_on)).toContain('google_bigquery_table.log}');
    }
  });

  it('replaces no table before its old one is deleted: what is created first passes that on', () => {
    const all = Object.entries(infra.resources).flatMap(([type, resources]) =>
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
});

/** The texts of a file of YAML by their names. */
const entriesOf = (file: string): Map<string, string> =>
  new Map(
    readFileSync(`infra/${file}.yaml`, 'utf8')
      .split(/^(?=\w+:$)/m)
      .map((text) => [text.split(':')[0] ?? '', text]),
  );

describe('alerts', () => {
  const alert = (name: string): string => entriesOf('alerts').get(name) ?? '';

  it("fire on 429, except for a key's own limit, and name every reason", () => {
    expect(alert('query_exhausted').match(/(?<=log: ).*/g)).toEqual([
      '${query_lines} AND jsonPayload.event="request" AND jsonPayload.reason=("QUERY_QUOTA_EXHAUSTED" OR "KEY_LOOKUPS_EXHAUSTED")',
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
    const [, content = ''] = alert('query_exhausted').split('content:');
    expect(reasons.filter((one) => !content.includes(one))).toEqual([]);
  });

  it('fire on warming that fails partly or leaves results over', () => {
    const [failed, leftOver, cut] = ['failed', 'leftOver', 'listingCut'] satisfies [
      ...(keyof WarmReport)[],
    ];
    const filter = `\${warm_service} AND jsonPayload.event="warm" AND (jsonPayload.${failed}>0 OR jsonPayload.${leftOver}>0 OR jsonPayload.${cut}=true)`;
    expect(alert('warm_incomplete').match(/(?<=log: ).*/g)).toEqual([filter]);
  });
});

it('all bytes that warm reports are counted, including those of its metadata queries', () => {
  const fields: (keyof WarmReport)[] = ['bytesProcessed', 'questionBytes'];
  const values = [...entriesOf('metrics').values()].map((metric) => [
    /value: (\w+)/.exec(metric)?.[1],
    /jsonPayload\.event=(?:"warm"|\("request" OR "warm"\))/.test(metric),
  ]);
  for (const field of fields) expect(values).toContainEqual([field, true]);
  const charts = readFileSync('infra/dashboard.json', 'utf8');
  expect(charts).toContain('${metrics.bytes_processed}_sum');
  expect(charts).toContain('${metrics.question_bytes}_sum');
});

it('the deletion guard is destroyed before anything else', () => {
  const names = Object.entries(infra.resources).flatMap(([type, resources]) =>
    Object.keys(resources).map((name) => `${type}.${name}`),
  );
  // The locals that a text names count as the text.
  const textOf = (value: unknown, seen: readonly string[] = []): string =>
    JSON.stringify(value).replaceAll(/local\.(\w+)/g, (all, name: string) =>
      seen.includes(name) ? all : textOf(infra.local(name) ?? '', [...seen, name]),
    );
  const found = new Set(['terraform_data.protection']);
  for (const address of found) {
    const [type = '', name = ''] = address.split('.');
    const text = textOf(infra.resource(type, name));
    for (const other of names) if (new RegExp(`${other}\\b`).test(text)) found.add(other);
  }
  expect([...found].sort()).toEqual(names.sort());
});

describeWithTerraform('Terraform', () => {
  it('refuses to destroy what is protected, until an apply has ended the protection', () => {
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
  });
});
