// What Terraform refuses in the variables of infra/ before it plans anything: it evaluates their validations itself.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@cdktn/hcl2json';
import { testDirectory } from '../support/temporary-directory.ts';
import { WITHOUT_TERRAFORM, terraform, withTerraform } from '../support/terraform.ts';

/** Of RFC 8037, A.1 and A.2. */
const PRIVATE_KEY = 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g';
const PUBLIC_KEY = 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const pem = (base64: string, kind = 'PUBLIC', end = '\n'): string =>
  `-----BEGIN ${kind} KEY-----${end}${base64}${end}-----END ${kind} KEY-----${end}`;
const signing = { endpoints: ['*'], public_key: pem(PUBLIC_KEY) };

let folder: string;

/** variables.tf with the few values of other files that it looks at, and nothing that needs a provider. */
beforeAll(async () => {
  folder = testDirectory('infra-variables-');
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

describe(`Terraform${WITHOUT_TERRAFORM}`, () => {
  withTerraform().each(
    Object.entries<object>({
      'FORWARDED_FOR_POSITION above 1 needs query_ingress = "ALLOW_INTERNAL_AND_GCLB": a caller who reaches `query` without the load balancer could claim any address.':
        { settings: { FORWARDED_FOR_POSITION: '2' }, query_ingress: 'ALLOW_INTERNAL_ONLY' },
      'log_tables names a source that cannot be a view. Sources that can: orders, edge_logs.': {
        log_tables: { page_views: 'other-project.logs.views' },
      },
      'keys_database must differ from firestore_database': { keys_database: 'saved-queries' },
      'must differ from query_function': { warm_function: 'query' },
      'query_function must be 1 to': { query_function: 'Query' },
      'scheduler_job may contain only letters': { scheduler_job: 'warm it' },
      'sql_directory has no endpoints': { sql_directory: '../absent' },
      'CONSOLE must be one of on, examples, off. WARM_UNCHANGED must be one of on, off. This was': {
        settings: { CONSOLE: 'true', WARM_UNCHANGED: 'no' },
      },
      'BIGQUERY_RESERVATION must be': {
        settings: { BIGQUERY_RESERVATION: 'projects/a/locations/EU/reservations/b/c' },
      },
      'CORS_ORIGINS must be': { settings: { CORS_ORIGINS: 'example.com' } },
      'Numeric settings take a whole number within these bounds:': {
        settings: { KEY_CACHE_SECONDS: '3600' },
      },
      'QUERY_TIMEOUT_SECONDS 1 to 50': { settings: { QUERY_TIMEOUT_SECONDS: '51' } },
      'Unknown: {"partner":["expire_at"]}.': {
        api_keys: { partner: { endpoints: ['*'], expire_at: '2999-01-31T00:00:00Z' } },
      },
      'must be whole numbers from 1 to 1000000': {
        api_keys: { agent: { endpoints: ['*'], requests_per_minute: 1.5 } },
      },
      'Members without a type, such as allUsers, would publish the key.': {
        api_keys: { dashboard: { endpoints: ['*'], readers: ['allUsers'] } },
      },
    }),
  )('refuses with: %s', (message, variables) => {
    const { status, output } = plan(variables);
    expect(output).toContain(message);
    expect(status).toBe(1);
  });

  const PUBLIC = 'must be the PEM of an Ed25519 key';
  const SIGNS_ONLY = 'it has no sha256, and no secret';
  const LIFETIME = 'must be a whole number from 1 to 86400, and needs a public_key.';
  withTerraform().each<[message: string, key: object]>([
    [PUBLIC, { public_key: pem(PUBLIC_KEY.replace('VwAyEA', 'VuAyEA')) }],
    [PUBLIC, { public_key: pem(PUBLIC_KEY.replace('Ro=', 'Rp=')) }],
    [PUBLIC, { public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
    ['is a PRIVATE KEY', { public_key: pem(PRIVATE_KEY, 'PRIVATE') }],
    ['is a PRIVATE KEY', { public_key: PRIVATE_KEY }],
    ['is a PRIVATE KEY', { public_key: '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hE"}' }],
    [SIGNS_ONLY, { sha256: 'a'.repeat(64) }],
    [SIGNS_ONLY, { readers: ['group:team@example.com'] }],
    [LIFETIME, { token_seconds_max: 0 }],
    [LIFETIME, { token_seconds_max: 86_401 }],
    [LIFETIME, { token_seconds_max: 60, public_key: null }],
  ])('refuses a key that signs with "%s": %j', (message, key) => {
    const { status, output } = plan({ api_keys: { shop: { ...signing, ...key } } });
    expect([status, output]).toEqual([1, expect.stringContaining(message)]);
  });

  withTerraform()('refuses one public key for two names', () => {
    const other = { ...signing, public_key: pem(PUBLIC_KEY, 'PUBLIC', ' ') };
    const { status, output } = plan({ api_keys: { a: signing, b: other } });
    expect([status, output]).toEqual([1, expect.stringContaining('have the same public_key')]);
  });

  withTerraform().each<object>([
    {},
    {
      settings: { FORWARDED_FOR_POSITION: '2' },
      query_ingress: 'ALLOW_INTERNAL_AND_GCLB',
    },
    { query_function: 'sales', scheduler_job: 'Sales_1' },
    { settings: { MEMORY_CACHE_SECONDS: '0', KEY_CACHE_SECONDS: '0', WARM_UNCHANGED: 'off' } },
    { settings: { BIGQUERY_RESERVATION: 'projects/slots/locations/EU/reservations/prod' } },
    { settings: { CORS_ORIGINS: 'https://a.example, http://localhost:3000' } },
    { log_tables: { orders: 'other-project.crm.orders' } },
    { grant_projects: ['acme-crm', 'example.com:acme-crm'] },
    {
      api_keys: {
        dashboard: { endpoints: ['*'] },
        team: { endpoints: ['*'], readers: ['group:team@example.com'], sha256: null },
        partner: { endpoints: ['sales.total'], parameters: { year: [2026] }, expires_at: null },
        agent: { endpoints: ['*'], requests_per_minute: 1, misses_per_minute: 1_000_000 },
        bounded: { endpoints: ['*'], bytes_per_day: 9_007_199_254_740_991 },
        group: { endpoints: ['sales.*', 'web.visit-counts'], public_key: null },
        shop: { ...signing, token_seconds_max: 86_400, sha256: null },
      },
    },
  ])('accepts %j', (variables) => {
    expect(plan(variables)).toMatchObject({ status: 0 });
  });
});
