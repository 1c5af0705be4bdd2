// Tests of the settings: defaults, accepted values and refused values.
import { ConfigError, SETTINGS, parseConfig } from '../functions/config.ts';

const REQUIRED = { GOOGLE_CLOUD_PROJECT: 'project' };

function faultOf(env: Record<string, string | undefined>): string {
  try {
    parseConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('The settings are accepted.');
}

const RESERVATION = 'projects/admin/locations/EU/reservations/warm';

const DEFAULTS = {
  project: 'project',
  dataset: 'logs',
  location: 'US',
  maxBytesBilled: 10_737_418_240,
  maxResultMib: 8,
  maxReadingMib: 16,
  maxUnreadMib: 64,
  queryTimeoutSeconds: 25,
  firestoreDatabase: '(default)',
  keysDatabase: 'saved-queries-keys',
  firestoreTimeoutSeconds: 2,
  leaseSeconds: 10,
  memoryCacheSeconds: 15,
  memoryCacheMib: 64,
  keyCacheSeconds: 60,
  forwardedForPosition: 1,
  corsOrigins: ['*'],
  logLevel: 'info',
  console: 'off',
  mcp: 'off',
  reservation: undefined,
  warmUnchanged: 'on',
  warmFullSeconds: 21_600,
  sourceTables: new Map(),
  bigQueryApiEndpoint: undefined,
  bigQueryEmulatorHost: undefined,
  firestoreEmulatorHost: undefined,
  catalogue: undefined,
};

describe('settings', () => {
  it('have defaults, except for the project', () => {
    expect(parseConfig(REQUIRED)).toMatchObject(DEFAULTS);
  });

  it('count as unset when empty', () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(parseConfig({ ...empty, ...REQUIRED })).toMatchObject(DEFAULTS);
  });

  it('ignore unrelated variables', () => {
    expect(parseConfig({ ...REQUIRED, PATH: '/bin', LOG_LEVELS: 'all' })).toMatchObject(DEFAULTS);
  });

  it.each([
    ['GOOGLE_CLOUD_PROJECT', 'other', 'project'],
    ['BIGQUERY_DATASET', 'project.dataset', 'dataset'],
    ['BIGQUERY_LOCATION', 'EU', 'location'],
    ['BIGQUERY_API_ENDPOINT', 'https://bigquery-mine.p.googleapis.com', 'bigQueryApiEndpoint'],
    ['BIGQUERY_API_ENDPOINT', 'http://127.0.0.1:9050', 'bigQueryApiEndpoint'],
    ['BIGQUERY_EMULATOR_HOST', 'http://127.0.0.1:9050', 'bigQueryEmulatorHost'],
    ['BIGQUERY_RESERVATION', RESERVATION, 'reservation'],
    ['FIRESTORE_DATABASE', 'queries', 'firestoreDatabase'],
    ['FIRESTORE_EMULATOR_HOST', '127.0.0.1:8081', 'firestoreEmulatorHost'],
    ['KEYS_DATABASE', 'keys', 'keysDatabase'],
    ['CATALOGUE', '/home/me/catalogue.json', 'catalogue'],
    ['LOG_LEVEL', 'debug', 'logLevel'],
    ['LOG_LEVEL', 'warning', 'logLevel'],
    ['CONSOLE', 'on', 'console'],
    ['MCP', 'on', 'mcp'],
    ['WARM_UNCHANGED', 'off', 'warmUnchanged'],
  ])('accept %s=%s as it is', (name, value, key) => {
    expect(parseConfig({ ...REQUIRED, [name]: value })).toMatchObject({ [key]: value });
  });

  it.each([
    ['MAX_BYTES_BILLED', '10485760', 'maxBytesBilled', 10_485_760],
    ['MAX_BYTES_BILLED', '9007199254740991', 'maxBytesBilled', 9_007_199_254_740_991],
    ['MAX_RESULT_MIB', '1', 'maxResultMib', 1],
    ['MAX_RESULT_MIB', '1024', 'maxResultMib', 1024],
    ['MAX_READING_MIB', '16384', 'maxReadingMib', 16_384],
    ['MAX_UNREAD_MIB', '16384', 'maxUnreadMib', 16_384],
    ['FORWARDED_FOR_POSITION', '2', 'forwardedForPosition', 2],
    ['QUERY_TIMEOUT_SECONDS', '1', 'queryTimeoutSeconds', 1],
    ['QUERY_TIMEOUT_SECONDS', '59', 'queryTimeoutSeconds', 59],
    ['FIRESTORE_TIMEOUT_SECONDS', '60', 'firestoreTimeoutSeconds', 60],
    ['LEASE_SECONDS', '300', 'leaseSeconds', 300],
    ['MEMORY_CACHE_SECONDS', '0', 'memoryCacheSeconds', 0],
    ['MEMORY_CACHE_MIB', '1', 'memoryCacheMib', 1],
    ['KEY_CACHE_SECONDS', '0', 'keyCacheSeconds', 0],
    ['WARM_FULL_SECONDS', '0', 'warmFullSeconds', 0],
    [
      'SOURCE_TABLES',
      'a=p.d.t, my-b=q.com:p.d.ü, c=p.d.my c',
      'sourceTables',
      new Map([
        ['a', 'p.d.t'],
        ['my-b', 'q.com:p.d.ü'],
        ['c', 'p.d.my c'],
      ]),
    ],
    ['CORS_ORIGINS', 'https://a.example', 'corsOrigins', ['https://a.example']],
    [
      'CORS_ORIGINS',
      'https://a.example, http://localhost:3000',
      'corsOrigins',
      ['https://a.example', 'http://localhost:3000'],
    ],
    ['CORS_ORIGINS', '*,https://a.example', 'corsOrigins', ['*', 'https://a.example']],
  ])('accept %s=%s', (name, value, key, expected) => {
    expect(parseConfig({ ...REQUIRED, [name]: value })).toMatchObject({ [key]: expected });
  });

  it.each([
    ['GOOGLE_CLOUD_PROJECT', ' ', 'must not be empty'],
    ['GOOGLE_CLOUD_PROJECT', undefined, 'must be set'],
    ['GOOGLE_CLOUD_PROJECT', '', 'must be set'],
    ['BIGQUERY_DATASET', ' ', 'must not be empty'],
    ['BIGQUERY_LOCATION', '\t', 'must not be empty'],
    ['FIRESTORE_DATABASE', ' ', 'must not be empty'],
    ['KEYS_DATABASE', ' ', 'must not be empty'],
    ['SOURCE_TABLES', 'a', 'must be source=project.dataset.table, separated by commas'],
    ['SOURCE_TABLES', 'a=d.t', 'must be source=project.dataset.table, separated by commas'],
    [
      'BIGQUERY_RESERVATION',
      'warm',
      'must be projects/PROJECT/locations/LOCATION/reservations/RESERVATION',
    ],
    ['MAX_RESULT_MIB', '0', 'must be a whole number from 1 to 1024'],
    ['MAX_READING_MIB', '16385', 'must be a whole number from 1 to 16384'],
    ['MAX_UNREAD_MIB', '16385', 'must be a whole number from 1 to 16384'],
    ['FORWARDED_FOR_POSITION', '0', 'must be a whole number from 1 to 10'],
    ['FORWARDED_FOR_POSITION', '11', 'must be a whole number from 1 to 10'],
    ['FIRESTORE_TIMEOUT_SECONDS', '61', 'must be a whole number from 1 to 60'],
    ['LEASE_SECONDS', '0', 'must be a whole number from 1 to 300'],
    ['MEMORY_CACHE_SECONDS', '301', 'must be a whole number from 0 to 300'],
    ['MEMORY_CACHE_MIB', '0', 'must be a whole number from 1 to 16384'],
    // Revocation has to work within a minute.
    ['KEY_CACHE_SECONDS', '61', 'must be a whole number from 0 to 60'],
    ['CONSOLE', 'true', 'must be one of on, examples, off'],
    ['MCP', 'true', 'must be one of on, off'],
    ['LOG_LEVEL', 'INFO', 'must be one of debug, info, warning, error'],
    ['LOG_LEVEL', 'verbose', 'must be one of debug, info, warning, error'],
  ])('reject %s=%j and name the setting', (name, value, fault) => {
    expect(faultOf({ ...REQUIRED, [name]: value })).toBe(`Settings: ${name} ${fault}.`);
  });

  it.each<[string, string, string[]]>([
    [
      'MAX_BYTES_BILLED',
      'a whole number from 10485760 to 9007199254740991',
      ['10485759', '9007199254740992', '10GB'],
    ],
    [
      'QUERY_TIMEOUT_SECONDS',
      'a whole number from 1 to 59',
      ['0', '60', '1.5', '-1', '1e3', '0x10', ' 25'],
    ],
    // With http, access tokens would cross the network unencrypted.
    [
      'BIGQUERY_API_ENDPOINT',
      'an origin such as https://bigquery.example.com',
      ['http://bigquery.example.com', 'bigquery.example.com', 'https://bigquery.example.com/v2'],
    ],
    [
      'CORS_ORIGINS',
      '* or origins such as https://example.com, separated by commas',
      [
        'a.example',
        'https://a.example/',
        'https://a.example/path',
        'https://*.example',
        'https://a.example https://b.example',
        'https://a.example,',
        'null',
        'HTTPS://A.example',
      ],
    ],
  ])('%s must be %s', (name, what, values) => {
    for (const value of values) {
      const fault = faultOf({ ...REQUIRED, [name]: value });
      expect([value, fault]).toEqual([value, `Settings: ${name} must be ${what}.`]);
    }
  });

  it('report all faults at once', () => {
    expect(faultOf({ LOG_LEVEL: 'all', LEASE_SECONDS: 'x', CORS_ORIGINS: 'x' })).toBe(
      'Settings: GOOGLE_CLOUD_PROJECT must be set; ' +
        'LEASE_SECONDS must be a whole number from 1 to 300; ' +
        'CORS_ORIGINS must be * or origins such as https://example.com, separated by commas; ' +
        'LOG_LEVEL must be one of debug, info, warning, error.',
    );
  });
});
