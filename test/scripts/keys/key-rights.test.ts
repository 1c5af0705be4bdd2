// Tests of the rights of a new key on typed parameters: what they become, and which would open nothing.
import { parseByteSize } from '../../../scripts/cli/options.ts';
import * as rights from '../../../scripts/keys/key-rights.ts';
import { loadTypedEndpoints } from '../../support/sql/typed-endpoints.ts';

const catalogue = loadTypedEndpoints();

/** As options state them. */
const parseRights = (of: typeof catalogue, endpoints: string, restrictions: string[]) =>
  rights.parseRights(of, endpoints.split(','), restrictions.map(rights.parseRestriction));

it.each<[string, string, string[]]>([
  ['types.echo', 'int64=01,+2', ['01', '+2']],
  ['types.echo', 'numeric_list=1.50,2', ['1.50', '2']],
  ['types.echo', 'timestamp=2026-11-20T11:00:00+01:00', ['2026-11-20T11:00:00+01:00']],
  ['types.keywords', 'listed=one', ['one']],
  ['types.keywords', 'two_or_three=true', ['true']],
])('allowed values of %s are read from %s', (endpoint, restriction, allowed) => {
  const [name = ''] = restriction.split('=');
  expect(parseRights(catalogue, endpoint, [restriction])).toEqual({
    endpoints: [endpoint],
    parameters: { [name]: allowed },
  });
});

it('an endpoint that must be named is opened by its name beside *, whose restrictions it may lack', () => {
  const endpoints = catalogue.endpoints.map((one) => ({
    ...one,
    mustBeNamed: one.name !== 'types.echo',
  }));
  const ofNamed = { ...catalogue, endpoints };
  const both = '*,types.keywords';
  expect(parseRights(ofNamed, both, [])).toEqual({ endpoints: ['*', 'types.keywords'] });
  expect(parseRights(ofNamed, '*', ['int64=1']).parameters).toEqual({ int64: ['1'] });
  expect(() => parseRights(ofNamed, both, ['int64=1'])).toThrow('types.keywords has no parameter');
});

it('a group opens none of its endpoints that must be named, so it is unknown if there are no others', () => {
  const endpoints = catalogue.endpoints.map((one) => ({
    ...one,
    mustBeNamed: one.name === 'types.echo',
  }));
  const both = 'types.*,types.echo';
  const partly = { ...catalogue, endpoints };
  expect(parseRights(partly, both, [])).toEqual({ endpoints: ['types.*', 'types.echo'] });
  const closed = endpoints.map((one) => ({ ...one, mustBeNamed: true }));
  expect(() => parseRights({ ...catalogue, endpoints: closed }, 'types.*', [])).toThrow(
    'Unknown group types.*.',
  );
});

it.each([
  ['types.echo', 'int64=1.0', 'must be a whole number (INT64), such as 42'],
  ['types.echo', 'int64_list=x', 'must be a whole number (INT64), such as 42'],
  ['types.echo', 'date=2023-02-29', 'must be a day of the calendar (DATE), such as 2026-11-20'],
  ['types.keywords', 'listed=4', 'must be one of 1, 02, 3, one, two'],
  ['types.keywords', 'bounded=2.5', 'must be at most 2'],
  ['types.keywords', 'short=abcd', 'must NOT have more than 3 characters'],
  // What is read as another value is never this one.
  ['types.keywords', 'replaced=2026-11-22', 'must be one of 2026-11-20, 2026-11-21'],
  [
    'types.keywords',
    'replaced=tomorrow',
    'must be a day of the calendar (DATE), such as 2026-11-20',
  ],
])('allowed values of %s are rejected: %s', (endpoint, restriction, fault) => {
  const [name = '', value = ''] = restriction.split('=');
  expect(() => parseRights(catalogue, endpoint, [restriction])).toThrow(
    `"${value}" would never be allowed: ${name} of ${endpoint} ${fault}.`,
  );
});

const UNKNOWN = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'nope'];
it.each(UNKNOWN)('a restriction of %s is one of an unknown parameter', (name) => {
  expect(() => parseRights(catalogue, 'types.keywords', [`${name}=a`, `${name}=b`])).toThrow(
    `types.keywords has no parameter ${name}, so this restriction would deny the key this endpoint.`,
  );
});

it.each([
  ['=a', 'It must be name=value,value.'],
  ['listed', 'It must be name=value,value.'],
  ['listed=', 'It needs values, separated by commas and none empty.'],
  ['listed=1,,2', 'It needs values, separated by commas and none empty.'],
  ['listed=1=2', '"1=2" would never be allowed: listed of types.keywords must be a whole number'],
])('the restriction %s is refused with the reason', (restriction, fault) => {
  expect(() => parseRights(catalogue, 'types.keywords', [restriction])).toThrow(fault);
});

it.each([
  ['50B', 50],
  ['50MB', 50_000_000],
  ['1.5GB', 1_500_000_000],
  ['10GiB', 10_737_418_240],
  ['1kB', 1000],
])('%s are %d bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});
