// Tests of the cache key: which requests share an entry.
import fc from 'fast-check';
import { SETTINGS } from '../../functions/config.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const SOURCE_TABLES = new Map([
  ['events', 'p.a.events'],
  ['other', 'p.a.other'],
]);
const SCOPE = { project: 'p', dataset: 'logs', location: 'US', sourceTables: SOURCE_TABLES };
const ENDPOINT = {
  sql: 'SELECT * FROM events',
  id: '11111111-2222-4333-8444-555555555555',
  resultDigest: 'd1',
  parameters: { project: parameter(), function_id: parameter(), interval: parameter() },
};
const VALUES = { project: 'abc', function_id: null, interval: '1day' };
const KEY = cacheKey(SCOPE, ENDPOINT, VALUES);
const reverse = <T extends object>(of: T): T =>
  Object.fromEntries(Object.entries(of).reverse()) as T;
const REVERSED = reverse(ENDPOINT.parameters);

describe('the cache key', () => {
  it('is 64 hexadecimal digits, and so a valid Firestore document id', () => {
    expect(KEY).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['a value that is NULL is left out', ENDPOINT, { project: 'abc', interval: '1day' }],
    ['there are undeclared parameters', ENDPOINT, { ...VALUES, debug: '1' }],
    ['the parameters are in another order', { ...ENDPOINT, parameters: REVERSED }, VALUES],
    ['the values are in another order', ENDPOINT, reverse(VALUES)],
  ])('is the same if %s', (_name, endpoint, values) => {
    expect(cacheKey(SCOPE, endpoint, values)).toBe(KEY);
  });

  it.each([
    ['the id', { ...ENDPOINT, id: '11111111-2222-4333-8444-555555555556' }, VALUES],
    ['the definition', { ...ENDPOINT, resultDigest: 'd2' }, VALUES],
    ['the letter case of a value', ENDPOINT, { ...VALUES, project: 'ABC' }],
    ['blanks in a value', ENDPOINT, { ...VALUES, project: 'abc ' }],
    ['an empty value', ENDPOINT, { ...VALUES, project: '' }],
    // An absent STRING is empty; an absent value of any other type is NULL.
    ['an empty value in place of NULL', ENDPOINT, { ...VALUES, function_id: '' }],
    ['an empty array in place of NULL', ENDPOINT, { ...VALUES, function_id: [] }],
    ['an array of the value', ENDPOINT, { ...VALUES, project: ['abc'] }],
    ['which parameter has the value', ENDPOINT, { ...VALUES, project: '', function_id: 'abc' }],
    ['the id and the definition together', { ...ENDPOINT, id: 'a', resultDigest: 'bc' }, VALUES],
  ])('differs by %s', (_name, endpoint, values) => {
    expect(cacheKey(SCOPE, endpoint, values)).not.toBe(KEY);
  });

  const behind = (table: string) => new Map([...SOURCE_TABLES, ['events', table]]);

  it.each([
    ['the dataset', { ...SCOPE, dataset: 'logs_staging' }],
    ['the project of the dataset', { ...SCOPE, dataset: 'other.logs' }],
    ['the project in which a dataset without one is', { ...SCOPE, project: 'other' }],
    ['a project with a domain', { ...SCOPE, project: 'example.com:p' }],
    ['the location', { ...SCOPE, location: 'EU' }],
    ['where the dataset ends', { ...SCOPE, dataset: 'log', location: 'sUS' }],
    ['the table behind a view that it reads', { ...SCOPE, sourceTables: behind('p.b.events') }],
    ['a view that it reads in place of a table', { ...SCOPE, sourceTables: new Map() }],
  ])('differs by %s', (_name, scope) => {
    expect(cacheKey(scope, ENDPOINT, VALUES)).not.toBe(KEY);
  });

  it.each([
    [
      'the table behind another view',
      { ...SCOPE, sourceTables: new Map([...SOURCE_TABLES, ['other', 'p.b.other']]) },
    ],
    [
      'a view that it does not read',
      { ...SCOPE, sourceTables: new Map([...SOURCE_TABLES].slice(0, 1)) },
    ],
    ['the order of the views', { ...SCOPE, sourceTables: new Map([...SOURCE_TABLES].reverse()) }],
    ['how the same dataset is written', { ...SCOPE, dataset: 'p.logs' }],
  ])('is the same with another value of %s', (_name, scope) => {
    expect(cacheKey(scope, ENDPOINT, VALUES)).toBe(KEY);
  });

  it('differs by the table behind a view that warm.sql alone reads, or whose name has an escape', () => {
    const other = { ...SCOPE, sourceTables: new Map([...SOURCE_TABLES, ['other', 'p.b.other']]) };
    for (const endpoint of [
      { ...ENDPOINT, warming: { batchOver: [], maxKeys: 2, sql: 'SELECT * FROM other' } },
      { ...ENDPOINT, sql: 'SELECT * FROM `o\\x74her`' },
    ]) {
      expect(cacheKey(other, endpoint, VALUES)).not.toBe(cacheKey(SCOPE, endpoint, VALUES));
    }
  });

  it('has a decision for each setting of a deployment', () => {
    const INPUTS = ['project', 'dataset', 'location', 'sourceTables'];
    // These change how, when or whether a result is computed, kept or sent, and none of its bytes.
    const HARMLESS =
      'catalogue deployment pricePerTib maxBytesBilled maxResultMib maxReadingMib maxUnreadMib reservation queryTimeoutSeconds jobTimeoutSeconds ' +
      'firestoreDatabase keysDatabase firestoreTimeoutSeconds leaseSeconds memoryCacheSeconds memoryCacheMib keyCacheSeconds ' +
      'forwardedForPosition corsOrigins logLevel console mcp warmConcurrency warmBudgetSeconds warmMaxEntries ' +
      'warmMaxEntriesPerKey warmUnchanged warmIncremental warmFullSeconds warmBytesPerDay bigQueryApiEndpoint bigQueryEmulatorHost firestoreEmulatorHost';
    const decided = [...INPUTS, ...HARMLESS.split(' ')];
    expect(Object.keys(SETTINGS).filter((name) => !decided.includes(name))).toEqual([]);
  });

  // Two tenants that share a key see each other's rows.
  it('is unique for every set of parameter values', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', '\\', ',', '[', ']', 'a', '\0') }),
    );
    const values = fc.record({ project: text, function_id: text, interval: text });
    fc.assert(
      fc.property(values, values, (one, other) => {
        const isSame =
          one.project === other.project &&
          one.function_id === other.function_id &&
          one.interval === other.interval;
        return (cacheKey(SCOPE, ENDPOINT, one) === cacheKey(SCOPE, ENDPOINT, other)) === isSame;
      }),
      { numRuns: 2000 },
    );
  });

  it('cannot collide through delimiters in the values', () => {
    const delimiter = fc.constantFrom('', '&', '=', ',', ';', '|', ':', '"', '","', '"],["', '\0');
    const separator = fc
      .tuple(delimiter, fc.constantFrom('', 'interval'), delimiter)
      .map((parts) => parts.join(''))
      .filter((text) => text !== '');
    fc.assert(
      fc.property(separator, (between) => {
        const one = { project: 'p', function_id: `1${between}2`, interval: '3' };
        const other = { project: 'p', function_id: '1', interval: `2${between}3` };
        expect(cacheKey(SCOPE, ENDPOINT, one)).not.toBe(cacheKey(SCOPE, ENDPOINT, other));
      }),
      { numRuns: 500 },
    );
  });
});
