// Tests of the plan of a warming run: which entries are kept warm for which keys, and where a listing ends.
import fc from 'fast-check';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import type { LiveEntry } from '../../functions/core/result-store.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { createDueList } from '../../functions/warming/list-due.ts';
import { casesBeside } from '../support/cases.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { liveEntry } from '../support/world.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const { endpoints } = loadCatalogue(TEST_SQL);
const endpoint = endpoints[0] as Endpoint;

/** `isOff`: no endpoint is warmed. */
type Terms = Partial<Record<'warmMaxEntries' | 'warmMaxEntriesPerKey', number>> & { isOff?: true };

function planner({ isOff, ...limits }: Terms = {}) {
  const all = { ...TEST_SCOPE, warmMaxEntries: 1000, warmMaxEntriesPerKey: 1000, ...limits };
  const warmed = endpoints.map((each) => ({ ...each, ...(isOff && { cacheWarmingSeconds: 0 }) }));
  const catalogue = { endpoints: warmed };
  return createDueList({ ...all, catalogue, startedMs: NOW, demands: new Map() });
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

function entryOf(given: Case): LiveEntry {
  const { of, by = ['key'], computedAgoMs = 300_000, keyOf = of, dataset } = given;
  const [parameters, ofKey] = [of, keyOf].map((one) =>
    typeof one === 'string' ? { project: one } : one,
  ) as [LiveEntry['parameters'], LiveEntry['parameters']];
  const { digest = endpoint.resultDigest, endpointId = endpoint.id } = given;
  const names = Object.fromEntries(Object.keys(ofKey).map((name) => [name, parameter()]));
  const definition = {
    ...endpoint,
    resultDigest: digest,
    ...(given.digest && { parameters: names }),
  };
  const readAgo = Array.isArray(by) ? by.map((name) => [name, 1000] as const) : Object.entries(by);
  return {
    ...liveEntry(endpoint, parameters, '', NOW, NOW - 1000),
    ...{ endpointId, resultDigest: digest, version: undefined },
    cacheKey: cacheKey({ ...TEST_SCOPE, ...(dataset && { dataset }) }, definition, ofKey),
    computedAtMs: NOW - computedAgoMs,
    readers: readAgo.map(([keyName, agoMs]) => ({ keyName, readAtMs: NOW - agoMs })),
  };
}

/** The values of each that is due, which has its own key. */
function dueOf(of: ReturnType<typeof createDueList>) {
  const { due, live, skipped } = of.dueEntries();
  for (const { entry } of due)
    expect(entry.cacheKey).toBe(cacheKey(TEST_SCOPE, endpoint, entry.parameters));
  const values = due.map(({ entry: { parameters } }) => Object.values(parameters).join());
  return { due: values.sort().join(' '), live, skipped };
}

it.each(
  casesBeside(import.meta.filename)<[string, Terms, Case[], string, number, object]>('listed'),
)('%s', (_name, terms, entries, due, live, some) => {
  const plan = planner(terms);
  for (const one of entries) expect(plan.add(entryOf(one))).toBe(true);
  const skipped = { recent: 0, outdated: 0, overKeyCap: 0, ...some };
  expect(dueOf(plan)).toEqual({ due, live, skipped });
});

// Whoever stays under the cap loses nothing to others, whatever those read.
it('keeps every entry warm that is within the cap of one of its readers', () => {
  const name = fc.nat(5).map((key) => `key-${key}`);
  const listing = fc.array(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), { maxLength: 60 });
  fc.assert(
    fc.property(listing, fc.integer({ min: 1, max: 12 }), (readersOf, cap) => {
      const plan = planner({ warmMaxEntriesPerKey: cap });
      for (const [index, names] of readersOf.entries())
        plan.add(entryOf({ of: `p${index}`, by: names }));
      const isModest = (key: string): boolean =>
        readersOf.filter((names) => names.includes(key)).length <= cap;
      const due = new Set(dueOf(plan).due.split(' '));
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
  const plan = planner({ warmMaxEntries: 3, warmMaxEntriesPerKey: 1 });
  for (let index = 0; index < 13; index += 1)
    plan.add(entryOf({ of: `flood-${index}`, by: ['greedy'] }));
  expect(plan.add(entryOf({ of: 'a', by: ['modest'] }))).toBe(true);
  expect(plan.addUnreadable()).toBe(true);
  expect(plan.addUnreadable()).toBe(false);
  expect(plan.add(entryOf({ of: 'b', by: ['late'] }))).toBe(false);
  expect(dueOf(plan).due).toBe('a flood-0');
});
