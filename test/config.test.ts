// Tests of the settings: defaults, accepted values and refused values.
import { ConfigError, SETTINGS, parseConfig } from '../functions/config.ts';
import { jobSecondsOf } from '../functions/endpoints/endpoint.ts';

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

describe('settings', () => {
  it('have defaults, except for the project', () => {
    expect(parseConfig(REQUIRED)).toMatchObject({
      ...{ project: 'project', maxBytesBilled: 10_737_418_240, logLevel: 'info' },
      ...{ corsOrigins: ['*'], reservation: undefined, sourceTables: new Map() },
    });
  });

  it('count as unset when empty', () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(parseConfig({ ...empty, ...REQUIRED })).toEqual(parseConfig(REQUIRED));
  });

  it.each<[keyof typeof SETTINGS, string, unknown?]>([
    ['project', 'other'],
    ['dataset', 'project.dataset'],
    ['bigQueryApiEndpoint', 'https://bigquery-mine.p.googleapis.com'],
    ['bigQueryApiEndpoint', 'http://127.0.0.1:9050'],
    ['reservation', 'projects/admin/locations/EU/reservations/warm'],
    ['logLevel', 'debug'],
    ['maxBytesBilled', '10485760', 10_485_760],
    ['maxBytesBilled', '9007199254740991', 9_007_199_254_740_991],
    ['keyCacheSeconds', '0', 0],
    [
      'sourceTables',
      'a=p.d.t, c=q.com:p.d.my ü',
      new Map(Object.entries({ a: 'p.d.t', c: 'q.com:p.d.my ü' })),
    ],
    [
      'corsOrigins',
      'https://a.example, http://localhost:3000',
      ['https://a.example', 'http://localhost:3000'],
    ],
    ['corsOrigins', '*,https://a.example', ['*', 'https://a.example']],
  ])('accept for %s %s', (key, value, expected = value) => {
    expect(parseConfig({ ...REQUIRED, [SETTINGS[key].name]: value })[key]).toEqual(expected);
  });

  it.each<[string, string, ...(string | undefined)[]]>([
    ['GOOGLE_CLOUD_PROJECT', 'must not be empty', ' '],
    ['GOOGLE_CLOUD_PROJECT', 'must be set', undefined, ''],
    ['SOURCE_TABLES', 'must be source=project.dataset.table, separated by commas', 'a', 'a=d.t'],
    [
      'BIGQUERY_RESERVATION',
      'must be projects/PROJECT/locations/LOCATION/reservations/RESERVATION',
      'x',
    ],
    // Revocation has to work within a minute.
    ['KEY_CACHE_SECONDS', 'must be a whole number from 0 to 60', '61'],
    ['LOG_LEVEL', 'must be one of debug, info, warning, error', 'INFO'],
    [
      'MAX_BYTES_BILLED',
      'must be a whole number from 10485760 to 9007199254740991',
      ...['10485759', '9007199254740992', '10GB'],
    ],
    [
      'WARM_BYTES_PER_DAY',
      'must be 0, or a number of bytes from 10000000 (10 MB), such as 50000000000',
      ...['50', '9999999', '50GB', '-1', '1e9', '1000000000000000000'],
    ],
    [
      'QUERY_TIMEOUT_SECONDS',
      'must be a whole number from 1 to 59',
      ...['0', '60', '1.5', '-1', '1e3', '0x10', ' 25'],
    ],
    // BigQuery itself allows a query six hours.
    ['JOB_TIMEOUT_SECONDS', 'must be a whole number from 1 to 21600', '0', '21601'],
    // With http, access tokens would cross the network unencrypted.
    [
      'BIGQUERY_API_ENDPOINT',
      'must be an origin such as https://bigquery.example.com',
      ...['http://bigquery.example.com', 'bigquery.example.com', 'https://bigquery.example.com/v2'],
    ],
    [
      'CORS_ORIGINS',
      'must be * or origins such as https://example.com, separated by commas',
      ...['a.example', 'https://a.example/', 'https://a.example/path', 'https://*.example'],
      ...['https://a.example https://b.example', 'https://a.example,', 'null', 'HTTPS://A.example'],
    ],
  ])('%s %s', (name, fault, ...values) => {
    for (const value of values) {
      const message = faultOf({ ...REQUIRED, [name]: value });
      expect([value, message]).toEqual([value, `Settings: ${name} ${fault}.`]);
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

it.each([
  ['the setting', { cachingSeconds: 900 }, 600],
  ['what its endpoint allows', { cachingSeconds: 900, jobTimeoutSeconds: 120 }, 120],
  ['not more than the setting', { cachingSeconds: 900, jobTimeoutSeconds: 900 }, 600],
  ['only as long as its rows could be served', { cachingSeconds: 60 }, 60],
])('the time of a query is %s', (_, endpoint, seconds) => {
  expect(jobSecondsOf(endpoint, 600)).toBe(seconds);
});
