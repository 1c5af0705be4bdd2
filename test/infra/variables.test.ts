// What Terraform refuses in the variables of infra/ before it plans anything: it evaluates their validations itself.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@cdktn/hcl2json';
import { tableUnder } from '../support/sql/readme-tables.ts';
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
  for (const name of ['settings', 'defaults']) {
    cpSync(`infra/${name}.json`, join(folder, `${name}.json`));
  }
  const localsOf = async (file: string): Promise<Record<string, unknown>> => {
    const read = (await parse(file, readFileSync(`infra/${file}`, 'utf8'))) as { locals: [object] };
    return { ...read.locals[0] };
  };
  const { defaults, known_settings, setting_defaults, setting_ranges } = await localsOf('main.tf');
  const values = {
    ...{ defaults, known_settings, setting_defaults, setting_ranges },
    partition_days_max: (await localsOf('tables.tf')).partition_days_max,
    expiring_partitions: { edge_logs: 'HOUR', orders: 'DAY' },
    bigquery_location: 'EU',
    names: '${merge(local.defaults, var.names)}',
    sources: ['orders', 'edge_logs'],
  };
  writeFileSync(join(folder, 'locals.tf.json'), JSON.stringify({ locals: values }));
  cpSync('test/sql', join(folder, 'sql'), { recursive: true });
});

/** Plans with these variables beside the required ones. */
function plan(variables: object): { status: number | null; output: string } {
  const all = {
    project_id: 'my-project',
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
      'keys_database must differ from firestore_database': {
        names: { keys_database: 'saved-queries' },
      },
      'and warm_function from query_function': { names: { warm_function: 'query' } },
      'names has an unknown name': { names: { query_fuction: 'sales' } },
      'deployment must be 1 to 16 lower-case letters and digits': { deployment: 'eu-staging' },
      'and not default, example, public or terraform': { deployment: 'public' },
      'public_access must be ALL_USERS, BOTH or NO_INVOKER_CHECK': {
        public_access: 'LOAD_BALANCER',
      },
      'uptime_check must be the host of your load balancer': {
        uptime_check: true,
        query_ingress: 'ALLOW_INTERNAL_ONLY',
      },
      'adds the service query-public': {
        public_access: 'BOTH',
        names: { warm_function: 'query-public' },
      },
      'query_function must be 1 to': { names: { query_function: 'Query' } },
      'scheduler_job may contain only letters': { names: { scheduler_job: 'warm it' } },
      'region must be a region of Google Cloud such as europe-west1. If it is new, add it to regions in infra/defaults.json.':
        { region: 'europ-west1' },
      'bigquery_location must be EU, US or a region of Google Cloud': { bigquery_location: 'eu' },
      'secret_locations must be regions of Google Cloud': { secret_locations: ['europe'] },
      'Firestore refuses a name like a UUID': {
        names: { firestore_database: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' },
      },
      'log_retention_days may be at most 416 for edge_logs (by HOUR), 10000 for orders (by DAY).': {
        log_retention_days: 417,
      },
      'DEPLOYMENT must be 1 to 63 lower-case letters, digits, - and _. PRICE_PER_TIB must be a number':
        { settings: { DEPLOYMENT: 'EU', PRICE_PER_TIB: '6,25' } },
      'BIGQUERY_RESERVATION must be in bigquery_location, EU': {
        settings: { BIGQUERY_RESERVATION: 'projects/a/locations/US/reservations/b' },
      },
      'separated by commas and without the default port.': {
        settings: { CORS_ORIGINS: 'http://a.example:80' },
      },
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
    }),
  )('refuses with: %s', (message, variables) => {
    const { status, output } = plan(variables);
    expect(output).toContain(message);
    expect(status).toBe(1);
  });

  const PUBLIC = 'public_key of the key shop must be the PEM of an Ed25519 key';
  const PRIVATE = `${PUBLIC}, as this prints: openssl pkey -in private.pem -pubout. A PRIVATE KEY must not be`;
  const SIGNS_ONLY = 'no key has both sha256 and public_key: shop.';
  const LIFETIME = 'token_seconds_max of the key shop must be a whole number from 1 to 86400.';
  withTerraform().each<[message: string, key: object]>([
    [PUBLIC, { public_key: pem(PUBLIC_KEY.replace('VwAyEA', 'VuAyEA')) }],
    [PUBLIC, { public_key: pem(PUBLIC_KEY.replace('Ro=', 'Rp=')) }],
    [PUBLIC, { public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
    [PRIVATE, { public_key: pem(PRIVATE_KEY, 'PRIVATE') }],
    [PRIVATE, { public_key: PRIVATE_KEY }],
    [PRIVATE, { public_key: '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hE"}' }],
    [SIGNS_ONLY, { sha256: 'a'.repeat(64) }],
    [SIGNS_ONLY, { readers: ['group:team@example.com'] }],
    [LIFETIME, { token_seconds_max: 0 }],
    [LIFETIME, { token_seconds_max: 86_401 }],
    ['token_seconds_max needs a public_key: shop.', { token_seconds_max: 60, public_key: null }],
  ])('refuses a key that signs with "%s": %j', (message, key) => {
    const { status, output } = plan({ api_keys: { shop: { ...signing, ...key } } });
    expect([status, output]).toEqual([1, expect.stringContaining(message)]);
  });

  withTerraform()('refuses one public key for two names', () => {
    const other = { ...signing, public_key: pem(PUBLIC_KEY, 'PUBLIC', ' ') };
    const { status, output } = plan({ api_keys: { a: signing, b: other } });
    expect([status, output]).toEqual([
      1,
      expect.stringContaining('The same sha256 or public_key: a, b.'),
    ]);
  });

  const KEY_FAULTS: [fault: string, key: unknown][] = [
    ['The key partner has expire_at. Keys have only bytes_per_day, endpoints, ', { expire_at: 1 }],
    ['key partner has parameter. Keys have only', { parameter: { project: ['a'] } }],
    ['key partner has sha_256. Keys have only', { sha_256: 'a' }],
    ...[null, [], '*', ['group'], ['*.name'], ['group.na*'], ['a.b', 'C']].map(
      (endpoints): [string, object] => [
        'endpoints of the key partner must be a list',
        { endpoints },
      ],
    ),
    ...[{}, { p: [] }, { p: [''] }, { p: 'a' }, { P: ['a'] }, { p: ['a'], q: [] }].map(
      (parameters): [string, object] => [
        'parameters of the key partner must be a map',
        { parameters },
      ],
    ),
    ...['2027-01-31T00:00:00+01:00', '2027-02-31T00:00:00Z', '2027-01-31 T00:00:00Z', 1].map(
      (expires_at): [string, object] => [
        'expires_at of the key partner must be a time',
        { expires_at },
      ],
    ),
    ...[0, 1.5, 1_000_001, '60a', true].flatMap((limit): [string, object][] => [
      ['requests_per_minute of the key partner must be a whole', { requests_per_minute: limit }],
      ['misses_per_minute of the key partner must be a whole', { misses_per_minute: limit }],
    ]),
    ['bytes_per_day of the key partner must be', { bytes_per_day: 0.5 }],
    ['sha256 of the key partner must be 64', { sha256: 'sqk_4OHi4' }],
    ...[['allUsers'], ['group:a@b.test', 'allUsers'], 'group:a@b.test', ['']].map(
      (readers): [string, object] => [
        'readers of the key partner must be a list of IAM',
        { readers },
      ],
    ),
    [
      'no key has both sha256 and public_key: partner',
      { readers: ['user:a@b.test'], sha256: 'a'.repeat(64) },
    ],
  ];
  withTerraform()('names the key and the attribute at fault, all of them at once', () => {
    const valid = { valid: { endpoints: ['*'] } };
    const named = KEY_FAULTS.map(([, key], index) => [
      `k${index}`,
      { endpoints: ['*'], ...(key as object) },
    ]);
    const faulty = Object.fromEntries(named) as object;
    const { status, output } = plan({ api_keys: { ...valid, ...faulty } });
    expect(status).toBe(1);
    const missing = KEY_FAULTS.map(([fault], index) => fault.replace('partner', `k${index}`));
    expect(missing.filter((fault) => !output.includes(fault))).toEqual([]);
    expect(output).not.toMatch(/key valid/);
    const { output: others } = plan({
      api_keys: { Big: { sha256: 'a' }, b: { endpoints: ['*'], bytes_per_day: 0 } },
    });
    for (const fault of [
      'the name "Big" must',
      'endpoints of the key Big',
      'sha256 of the key Big',
      'bytes_per_day of the key b',
    ])
      expect(others).toContain(fault);
    for (const api_keys of [['a'], 'a', { a: 'b' }, [{ endpoints: ['*'] }]])
      expect(plan({ api_keys }).output).toMatch(
        /api_keys maps a name to an object|the name "0" must/,
      );
  });

  withTerraform().each<object>([
    {},
    {
      settings: { FORWARDED_FOR_POSITION: '2' },
      query_ingress: 'ALLOW_INTERNAL_AND_GCLB',
    },
    { names: { query_function: 'sales', scheduler_job: 'Sales_1', warm_function: null } },
    { settings: { MEMORY_CACHE_SECONDS: '0', KEY_CACHE_SECONDS: '0', WARM_UNCHANGED: 'off' } },
    { settings: { BIGQUERY_RESERVATION: 'projects/slots/locations/EU/reservations/prod' } },
    { settings: { CORS_ORIGINS: 'https://a.example:80, http://localhost:3000, http://b:443' } },
    {
      settings: { BIGQUERY_RESERVATION: 'projects/a/locations/eu/reservations/b', DEPLOYMENT: '' },
    },
    { region: 'asia-southeast3', bigquery_location: 'us-west4', secret_locations: ['me-west1'] },
    { names: { firestore_database: 'f47ac10b-58cc-4372-a567-0e02b2c3d47' } },
    { uptime_check: true },
    { uptime_check: 'api.example.com', query_ingress: 'ALLOW_INTERNAL_AND_GCLB' },
    { log_retention_days: null, request_retention_days: 10_000 },
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

it('The documentation says what npm run deploy:gcloud has for each variable', async () => {
  const text = readFileSync('infra/variables.tf', 'utf8');
  const { variable } = (await parse('variables.tf', text)) as { variable: object };
  const page = 'docs/reference/terraform-variables.md';
  const rows = tableUnder(page, '## Differences of `deploy:gcloud`', 'variable');
  const named = rows.flatMap(([names = '']) => names.split(', '));
  expect(named.sort()).toEqual(Object.keys(variable).sort());
});
