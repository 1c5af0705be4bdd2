// Tests of the plan of a warming run: which entries are kept warm for which keys, and where a listing ends.
import fc from 'fast-check';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import type { LiveEntry } from '../../functions/core/result-store.ts';
import { createDueList } from '../../functions/warming/list-due.ts';
import { casesBeside } from '../support/cases.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { STATS, liveEntry } from '../support/world.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';
import { testCatalogue, testCatalogueWith } from '../support/sql/test-sql.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

function createList(
  limits: Partial<Record<'warmMaxEntries' | 'warmMaxEntriesPerKey', number>>,
  catalogue = testCatalogue(),
) {
  const all = { ...TEST_SCOPE, warmMaxEntries: 1000, warmMaxEntriesPerKey: 1000, ...limits };
  return createDueList({ ...all, catalogue, startedMs: NOW, demands: new Map() });
}

/** Computed five minutes ago, and read a second ago by the keys. */
function entryOf(project: string, keyNames: string[]): LiveEntry {
  return {
    ...liveEntry(STATS, { project }, '', NOW, NOW - 1000),
    ...{ cacheKey: cacheKey(TEST_SCOPE, STATS, { project }), version: undefined },
    readers: keyNames.map((keyName) => ({ keyName, readAtMs: NOW - 1000 })),
  };
}

/** The values of each that is due, which has its own key. */
function dueOf(list: ReturnType<typeof createList>) {
  const { due, live, skipped } = list.dueEntries();
  for (const { entry } of due)
    expect(entry.cacheKey).toBe(cacheKey(TEST_SCOPE, STATS, entry.parameters));
  const values = due.map(({ entry: { parameters } }) => Object.values(parameters).join());
  return { due: values.sort().join(' '), live, skipped };
}

/** Computed five minutes ago, and read a second ago by the keys, or when it says. */
interface Case {
  of: string | LiveEntry['parameters'];
  by?: string[] | Record<string, number>;
  computedAgoMs?: number;
  /** Of the query. */
  digest?: string;
  endpointId?: string;
  /** For what its key was computed, if not for itself. */
  keyOf?: string;
  dataset?: string;
}

/** `isOff`: no endpoint is warmed. */
type Terms = Parameters<typeof createList>[0] & { isOff?: true };

it.each(
  casesBeside(import.meta.filename)<[string, Terms, Case[], string, number, object]>('listed'),
)('%s', (_name, { isOff, ...limits }, entries, due, live, some) => {
  function caseOf(given: Case): LiveEntry {
    const { of, by = ['key'], computedAgoMs = 300_000, keyOf = of, dataset } = given;
    const [parameters, ofKey] = [of, keyOf].map((one) =>
      typeof one === 'string' ? { project: one } : one,
    ) as [LiveEntry['parameters'], LiveEntry['parameters']];
    const { digest = STATS.resultDigest, endpointId = STATS.id } = given;
    const names = Object.fromEntries(Object.keys(ofKey).map((name) => [name, parameter()]));
    const changed = { resultDigest: digest, ...(given.digest && { parameters: names }) };
    const scope = { ...TEST_SCOPE, ...(dataset && { dataset }) };
    const readAgo = Array.isArray(by)
      ? by.map((name) => [name, 1000] as const)
      : Object.entries(by);
    return {
      ...entryOf('', []),
      ...{ parameters, endpointId, resultDigest: digest, computedAtMs: NOW - computedAgoMs },
      cacheKey: cacheKey(scope, { ...STATS, ...changed }, ofKey),
      readers: readAgo.map(([keyName, agoMs]) => ({ keyName, readAtMs: NOW - agoMs })),
    };
  }

  const list = createList(limits, testCatalogueWith(isOff ? { cacheWarmingSeconds: 0 } : {}));
  for (const one of entries) expect(list.add(caseOf(one))).toBe(true);
  const skipped = { recent: 0, outdated: 0, overKeyCap: 0, ...some };
  expect(dueOf(list)).toEqual({ due, live, skipped });
});

// Whoever stays under the cap loses nothing to others, whatever those read.
it('keeps every entry warm that is within the cap of one of its readers', () => {
  const name = fc.nat(5).map((key) => `key-${key}`);
  const listing = fc.array(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), { maxLength: 60 });
  fc.assert(
    fc.property(listing, fc.integer({ min: 1, max: 12 }), (readersOf, cap) => {
      const list = createList({ warmMaxEntriesPerKey: cap });
      for (const [index, names] of readersOf.entries()) list.add(entryOf(`p${index}`, names));
      const isModest = (key: string): boolean =>
        readersOf.filter((names) => names.includes(key)).length <= cap;
      const due = new Set(dueOf(list).due.split(' '));
      for (const [index, names] of readersOf.entries()) {
        if (names.some(isModest)) expect(due.has(`p${index}`)).toBe(true);
      }
      const keys = new Set(readersOf.flat()).size;
      if (keys > 0) expect(due.size).toBeLessThanOrEqual(keys * cap);
    }),
  );
});

// The flood of one key does not hide the results of the others.
it('a listing continues past entries over the cap of their readers, for five times as many documents', () => {
  const list = createList({ warmMaxEntries: 3, warmMaxEntriesPerKey: 1 });
  for (let index = 0; index < 13; index += 1) list.add(entryOf(`flood-${index}`, ['greedy']));
  expect(list.add(entryOf('a', ['modest']))).toBe(true);
  expect(list.addUnreadable()).toBe(true);
  expect(list.addUnreadable()).toBe(false);
  expect(list.add(entryOf('b', ['late']))).toBe(false);
  expect(dueOf(list).due).toBe('a flood-0');
});
