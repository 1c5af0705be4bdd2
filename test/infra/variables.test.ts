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

/** Each plan has faults in many variables at once; Terraform reports them all. */
const REFUSED: [variables: object, messages: string[]][] = [
  [
    {
      settings: { FORWARDED_FOR_POSITION: '2' },
      query_ingress: 'ALLOW_INTERNAL_ONLY',
      ...{ deployment: 'eu-staging', secret_locations: ['europe'], log_retention_days: 417 },
    },
    [
      'FORWARDED_FOR_POSITION above 1 needs query_ingress = "ALLOW_INTERNAL_AND_GCLB": a caller who reaches `query` without the load balancer could claim any address.',
      'deployment must be 1 to 16 lower-case letters and digits',
      'secret_locations must be regions of Google Cloud',
      'log_retention_days may be at most 416 for edge_logs (by HOUR), 10000 for orders (by DAY).',
    ],
  ],
  [
    {
      sql_directory: '../absent',
      names: { keys_database: 'saved-queries', warm_function: 'query' },
    },
    [
      'sql_directory has no endpoints',
      'keys_database must differ from firestore_database',
      'and warm_function from query_function',
    ],
  ],
  [
    {
      names: {
        query_fuction: 'sales',
        ...{ query_function: 'Query', scheduler_job: 'warm it' },
        firestore_database: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
      },
    },
    [
      'names has an unknown name',
      'query_function must be 1 to',
      'scheduler_job may contain only letters',
      'Firestore refuses a name like a UUID',
    ],
  ],
  [
    {
      ...{ deployment: 'public', region: 'europ-west1', bigquery_location: 'eu' },
      ...{ uptime_check: true, query_ingress: 'ALLOW_INTERNAL_ONLY' },
    },
    [
      'and not default, example, public or terraform',
      'region must be a region of Google Cloud such as europe-west1. If it is new, add it to regions in infra/defaults.json.',
      'bigquery_location must be EU, US or a region of Google Cloud',
      'uptime_check must be the host of your load balancer',
    ],
  ],
  [
    {
      ...{ public_access: 'BOTH', names: { warm_function: 'query-public' } },
      settings: {
        ...{ DEPLOYMENT: 'EU', PRICE_PER_TIB: '6,25', CORS_ORIGINS: 'http://a.example:80' },
        BIGQUERY_RESERVATION: 'projects/a/locations/US/reservations/b',
        ...{ CONSOLE: 'true', WARM_UNCHANGED: 'no' },
        ...{ KEY_CACHE_SECONDS: '3600', QUERY_TIMEOUT_SECONDS: '51' },
      },
    },
    [
      'adds the service query-public',
      'DEPLOYMENT must be 1 to 63 lower-case letters, digits, - and _.',
      'PRICE_PER_TIB must be a number',
      'separated by commas and without the default port.',
      'BIGQUERY_RESERVATION must be in bigquery_location, EU',
      'CONSOLE must be one of on, examples, off. WARM_UNCHANGED must be one of on, off. This was',
      'Numeric settings take a whole number within these bounds:',
      'QUERY_TIMEOUT_SECONDS 1 to 50',
    ],
  ],
  [
    {
      public_access: 'LOAD_BALANCER',
      log_tables: { page_views: 'other-project.logs.views' },
      settings: {
        BIGQUERY_RESERVATION: 'projects/a/locations/EU/reservations/b/c',
        CORS_ORIGINS: 'example.com',
      },
    },
    [
      'public_access must be ALL_USERS, BOTH or NO_INVOKER_CHECK',
      'log_tables names a source that cannot be a view. Sources that can: orders, edge_logs.',
      'BIGQUERY_RESERVATION must be',
      'CORS_ORIGINS must be',
    ],
  ],
];

describe(`Terraform${WITHOUT_TERRAFORM}`, () => {
  withTerraform().each(REFUSED)('refuses %j', (variables, messages) => {
    const { status, output } = plan(variables);
    expect(messages.filter((message) => !output.includes(message))).toEqual([]);
    expect(status).toBe(1);
  });

  const PUBLIC = 'public_key of the key partner must be the PEM of an Ed25519 key';
  const PRIVATE = `${PUBLIC}, as this prints: openssl pkey -in private.pem -pubout. A PRIVATE KEY must not be`;
  const LIFETIME = 'token_seconds_max of the key partner must be a whole number from 1 to 86400.';
  const KEY_FAULTS: [fault: string, key: object][] = [
    [PUBLIC, { public_key: pem(PUBLIC_KEY.replace('VwAyEA', 'VuAyEA')) }],
    [PUBLIC, { public_key: pem(PUBLIC_KEY.replace('Ro=', 'Rp=')) }],
    [PUBLIC, { public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
    [PRIVATE, { public_key: pem(PRIVATE_KEY, 'PRIVATE') }],
    [PRIVATE, { public_key: PRIVATE_KEY }],
    [PRIVATE, { public_key: '{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hE"}' }],
    [LIFETIME, { token_seconds_max: 0 }],
    [LIFETIME, { token_seconds_max: 86_401 }],
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
  ];
  withTerraform()('names the key and the attribute at fault, all of them at once', () => {
    const valid = { valid: { endpoints: ['*'] } };
    const named = KEY_FAULTS.map(([, key], index) => [`k${index}`, { endpoints: ['*'], ...key }]);
    const faulty = Object.fromEntries(named) as object;
    const { status, output } = plan({ api_keys: { ...valid, ...faulty } });
    expect(status).toBe(1);
    const missing = KEY_FAULTS.map(([fault], index) => fault.replace('partner', `k${index}`));
    expect(missing.filter((fault) => !output.includes(fault))).toEqual([]);
    expect(output).not.toMatch(/key valid/);
    const all = { endpoints: ['*'] };
    const { output: others } = plan({
      api_keys: {
        Big: { sha256: 'a' },
        b: { ...all, bytes_per_day: 0 },
        c: { ...signing, readers: ['group:team@example.com'] },
        d: { ...all, readers: ['user:a@b.test'], sha256: 'b'.repeat(64) },
        e: { ...signing, sha256: 'a'.repeat(64) },
        f: { ...all, public_key: pem(PUBLIC_KEY, 'PUBLIC', ' ') },
        g: { ...all, token_seconds_max: 60 },
      },
    });
    const faults = [
      'the name "Big" must',
      'endpoints of the key Big',
      'sha256 of the key Big',
      'bytes_per_day of the key b',
      'no key has both sha256 and public_key: c, d, e.',
      'The same sha256 or public_key: c, f.',
      'token_seconds_max needs a public_key: g.',
    ];
    expect(faults.filter((fault) => !others.includes(fault))).toEqual([]);
    for (const api_keys of [['a'], 'a', { a: 'b' }, [{ endpoints: ['*'] }]])
      expect(plan({ api_keys }).output).toMatch(
        /api_keys maps a name to an object|the name "0" must/,
      );
  });

  withTerraform().each<object>([
    {},
    {
      settings: {
        ...{ FORWARDED_FOR_POSITION: '2', DEPLOYMENT: '', WARM_UNCHANGED: 'off' },
        ...{ MEMORY_CACHE_SECONDS: '0', KEY_CACHE_SECONDS: '0' },
        BIGQUERY_RESERVATION: 'projects/a/locations/eu/reservations/b',
        CORS_ORIGINS: 'https://a.example:80, http://localhost:3000, http://b:443',
      },
      ...{ query_ingress: 'ALLOW_INTERNAL_AND_GCLB', uptime_check: 'api.example.com' },
      names: {
        ...{ query_function: 'sales', scheduler_job: 'Sales_1', warm_function: null },
        firestore_database: 'f47ac10b-58cc-4372-a567-0e02b2c3d47',
      },
      log_tables: { orders: 'other-project.crm.orders' },
    },
    {
      ...{ region: 'asia-southeast3', bigquery_location: 'us-west4' },
      ...{ secret_locations: ['me-west1'], uptime_check: true },
      ...{ log_retention_days: null, request_retention_days: 10_000 },
      grant_projects: ['acme-crm', 'example.com:acme-crm'],
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
