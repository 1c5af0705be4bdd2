// Tests of the settings: defaults, accepted values and refused values.
import { SETTINGS, parseConfig } from '../functions/config.ts';
import { jobSecondsOf } from '../functions/endpoints/endpoint.ts';
import { casesBeside } from './support/cases.ts';

const cases = casesBeside(import.meta.filename);

const REQUIRED = { GOOGLE_CLOUD_PROJECT: 'project' };

function faultOf(env: Record<string, string | undefined>): string {
  try {
    parseConfig(env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('The settings are accepted.');
}

it('settings have defaults, except for the project', () => {
  expect(parseConfig(REQUIRED)).toMatchObject({
    ...{ project: 'project', maxBytesBilled: 10_737_418_240, logLevel: 'info' },
    ...{ corsOrigins: ['*'], reservation: undefined, sourceTables: new Map() },
  });
});

it('settings count as unset when empty', () => {
  const names = Object.values(SETTINGS).map(({ name }) => name);
  const empty = Object.fromEntries(names.map((name) => [name, '']));
  expect(parseConfig({ ...empty, ...REQUIRED })).toEqual(parseConfig(REQUIRED));
});

it.each(cases<[keyof typeof SETTINGS, string, unknown?]>('accepted'))(
  'settings accept for %s %s',
  (key, value, expected = value) => {
    const read = parseConfig({ ...REQUIRED, [SETTINGS[key].name]: value })[key];
    expect(read instanceof Map ? Object.fromEntries(read) : read).toEqual(expected);
  },
);

it.each(cases<[string, string, ...(string | null)[]]>('refused'))(
  'settings: %s %s',
  (name, fault, ...values) => {
    for (const value of values) {
      const message = faultOf({ ...REQUIRED, [name]: value ?? undefined });
      expect([value, message]).toEqual([value, `Settings: ${name} ${fault}.`]);
    }
  },
);

it('settings report all faults at once', () => {
  expect(faultOf({ LOG_LEVEL: 'all', LEASE_SECONDS: 'x', CORS_ORIGINS: 'x' })).toBe(
    'Settings: GOOGLE_CLOUD_PROJECT must be set; ' +
      'LEASE_SECONDS must be a whole number from 1 to 300; ' +
      'CORS_ORIGINS must be * or origins such as https://example.com, separated by commas; ' +
      'LOG_LEVEL must be one of debug, info, warning, error.',
  );
});

it.each([
  ['the setting', { cachingSeconds: 900 }, 600],
  ['what its endpoint allows', { cachingSeconds: 900, jobTimeoutSeconds: 120 }, 120],
  ['not more than the setting', { cachingSeconds: 900, jobTimeoutSeconds: 900 }, 600],
  ['only as long as its rows could be served', { cachingSeconds: 60 }, 60],
])('the time of a query is %s', (_, endpoint, seconds) => {
  expect(jobSecondsOf(endpoint, 600)).toBe(seconds);
});
