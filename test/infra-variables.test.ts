// What Terraform refuses in the variables of infra/ before it plans anything: it evaluates their validations itself.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from '@cdktn/hcl2json';
import { WITHOUT_TERRAFORM, terraform, withTerraform } from './support/terraform.ts';

let folder: string;

/** variables.tf with the few values of other files that it looks at, and nothing that needs a provider. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'infra-variables-'));
  cpSync('infra/variables.tf', join(folder, 'variables.tf'));
  cpSync('infra/settings.json', join(folder, 'settings.json'));
  const { locals } = (await parse('main.tf', readFileSync('infra/main.tf', 'utf8'))) as {
    locals: [Record<string, string>];
  };
  const { known_settings, setting_defaults, setting_ranges } = locals[0];
  const values = {
    known_settings,
    setting_defaults,
    setting_ranges,
    bigquery_dataset: 'saved_query_logs',
    firestore_database: 'saved-queries',
    query_function: 'query',
    defaults: { keys_database: 'saved-queries-keys', warm_function: 'warm' },
    sources: ['orders', 'edge_logs'],
  };
  writeFileSync(join(folder, 'locals.tf.json'), JSON.stringify({ locals: values }));
  writeFileSync(join(folder, 'function.zip'), '');
  cpSync('test/sql', join(folder, 'sql'), { recursive: true });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Plans with these variables beside the required ones. */
function plan(variables: object): { status: number | null; output: string } {
  const all = {
    project_id: 'my-project',
    source_zip: 'function.zip',
    sql_directory: 'sql',
    ...variables,
  };
  writeFileSync(join(folder, 'terraform.tfvars.json'), JSON.stringify(all));
  const { status, output } = terraform(folder, ['plan', '-input=false', '-no-color']);
  // Terraform draws a frame and breaks lines.
  return { status, output: output.replaceAll(/[│╷╵\s]+/g, ' ') };
}

const POSITION =
  'FORWARDED_FOR_POSITION above 1 needs query_ingress = "ALLOW_INTERNAL_AND_GCLB": a caller who reaches `query` without the load balancer could state any address.';

const RANGES = 'Settings that are a number take a whole number within these bounds:';

describe(`Terraform${WITHOUT_TERRAFORM}`, () => {
  withTerraform.each<[string, object, string]>([
    [
      'an ingress that Cloud Run does not know',
      { query_ingress: 'all' },
      'query_ingress must be ALLOW_ALL, ALLOW_INTERNAL_AND_GCLB or ALLOW_INTERNAL_ONLY.',
    ],
    [
      'addresses stated by a load balancer that anyone can pass by',
      { settings: { FORWARDED_FOR_POSITION: '2' } },
      POSITION,
    ],
    [
      'addresses stated by a load balancer that nobody uses',
      { settings: { FORWARDED_FOR_POSITION: '2' }, query_ingress: 'ALLOW_INTERNAL_ONLY' },
      POSITION,
    ],
    [
      'a view for a source that does not exist',
      { log_tables: { page_views: 'other-project.logs.views' } },
      'log_tables names a source that cannot be a view here. Known are orders, edge_logs.',
    ],
    [
      'a grant in what is no project',
      { grant_projects: ['acme-crm.crm'] },
      'Each of grant_projects must be the id of a project.',
    ],
    [
      'keys beside the results, which query may write',
      { keys_database: 'saved-queries' },
      'keys_database must be another database than firestore_database',
    ],
    ['two functions of one name', { warm_function: 'query' }, 'another name than query_function'],
    ['a name that Cloud Run refuses', { query_function: 'Query' }, 'query_function must be 1 to'],
    ['a job with a blank', { scheduler_job: 'warm it' }, 'scheduler_job may have letters'],
    ['no saved queries', { sql_directory: '../absent' }, 'sql_directory has no endpoints'],
    [
      'a log level that there is not',
      { settings: { LOG_LEVEL: 'warn' } },
      'LOG_LEVEL must be one of debug, info, warning, error.',
    ],
    ['a switch that is neither on nor off', { settings: { CONSOLE: 'true' } }, 'CONSOLE must be'],
    ['what is no origin', { settings: { CORS_ORIGINS: 'example.com' } }, 'CORS_ORIGINS must be'],
    ['a number that is too large', { settings: { KEY_CACHE_SECONDS: '3600' } }, RANGES],
    [
      'a query that would outlive its function',
      { settings: { QUERY_TIMEOUT_SECONDS: '51' } },
      'QUERY_TIMEOUT_SECONDS 1 to 50',
    ],
    ['a number that is too small', { settings: { MAX_BYTES_BILLED: '1000' } }, RANGES],
    [
      'misspelt attributes of keys, by name',
      { api_keys: { partner: { endpoints: ['*'], expire_at: '2999-01-31T00:00:00Z' } } },
      'Not known: {"partner":["expire_at"]}.',
    ],
    [
      'everyone as reader of a key',
      { api_keys: { dashboard: { endpoints: ['*'], readers: ['allUsers'] } } },
      'Members without a type, such as allUsers, would publish the key.',
    ],
  ])('refuses %s', (_, variables, message) => {
    const { status, output } = plan(variables);
    expect(output).toContain(message);
    expect(status).toBe(1);
  });

  withTerraform.each<[string, object]>([
    ['the defaults', {}],
    [
      'a load balancer that nobody passes by',
      {
        settings: { FORWARDED_FOR_POSITION: '2' },
        query_ingress: 'ALLOW_INTERNAL_AND_GCLB',
      },
    ],
    ['functions and a job of other names', { query_function: 'sales', scheduler_job: 'Sales_1' }],
    ['no cache', { settings: { MEMORY_CACHE_SECONDS: '0', KEY_CACHE_SECONDS: '0' } }],
    ['other origins', { settings: { CORS_ORIGINS: 'https://a.example, http://localhost:3000' } }],
    ['a view for any source', { log_tables: { orders: 'other-project.crm.orders' } }],
    ['grants in other projects', { grant_projects: ['acme-crm', 'example.com:acme-crm'] }],
    [
      'keys with nothing, something and everything left out',
      {
        api_keys: {
          dashboard: { endpoints: ['*'] },
          team: { endpoints: ['*'], readers: ['group:team@example.com'], sha256: null },
          partner: { endpoints: ['sales.total'], parameters: { year: [2026] }, expires_at: null },
        },
      },
    ],
  ])('accepts %s', (_, variables) => {
    expect(plan(variables)).toMatchObject({ status: 0 });
  });
});
