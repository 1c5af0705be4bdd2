// Tests of the cache key: which requests share an entry.
import fc from 'fast-check';
import { SETTINGS } from '../../functions/config.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import { casesBeside } from '../support/cases.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';

const cases = casesBeside(import.meta.filename);

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

/** What differs from these; `tables` are those behind the views, `reversed` what has another order, `without` a value that is left out. */
interface Change {
  endpoint?: Partial<typeof ENDPOINT>;
  scope?: Partial<typeof SCOPE>;
  tables?: Record<string, string>;
  values?: Record<string, string | string[] | null>;
  reversed?: 'parameters' | 'values' | 'tables';
  without?: string;
}

it('the cache key is 64 hexadecimal digits, and so a valid Firestore document id', () => {
  expect(KEY).toMatch(/^[0-9a-f]{64}$/);
});

it.each([
  ...cases<[string, Change]>('same').map((one) => ['is the same with', ...one] as const),
  ...cases<[string, Change]>('different').map((one) => ['differs by', ...one] as const),
])('the cache key %s %s', (expected, _name, change) => {
  const { endpoint, scope, tables, values, reversed, without } = change;
  const inOrder = (of: object, name: Change['reversed']) => {
    const entries = Object.entries(of) as [string, never][];
    return reversed === name ? entries.reverse() : entries;
  };
  const sources = tables ?? Object.fromEntries(SOURCE_TABLES);
  const parameters = Object.fromEntries(inOrder(ENDPOINT.parameters, 'parameters'));
  const given = inOrder({ ...VALUES, ...values }, 'values');
  const key = cacheKey(
    { ...SCOPE, ...scope, sourceTables: new Map(inOrder(sources, 'tables')) },
    { ...ENDPOINT, parameters, ...endpoint },
    Object.fromEntries(given.filter(([name]) => name !== without)),
  );
  expect(key === KEY ? 'is the same with' : 'differs by').toBe(expected);
});

it('the cache key differs by the table behind a view that warm.sql alone reads, or whose name has an escape', () => {
  const other = { ...SCOPE, sourceTables: new Map([...SOURCE_TABLES, ['other', 'p.b.other']]) };
  for (const endpoint of [
    { ...ENDPOINT, warming: { batchOver: [], maxKeys: 2, sql: 'SELECT * FROM other' } },
    { ...ENDPOINT, sql: 'SELECT * FROM `o\\x74her`' },
  ]) {
    expect(cacheKey(other, endpoint, VALUES)).not.toBe(cacheKey(SCOPE, endpoint, VALUES));
  }
});

it('the cache key has a decision for each setting of a deployment', () => {
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
it('the cache key is unique for every set of parameter values', () => {
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

it('the cache key cannot collide through delimiters in the values', () => {
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
