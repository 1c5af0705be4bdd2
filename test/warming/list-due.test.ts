// Tests of the plan of a warming run: which entries are kept warm for which keys, and where a listing ends.
import fc from 'fast-check';
import { loadCatalogue } from '../../scripts/compile/inspect-catalogue.ts';
import { cacheKey } from '../../functions/cache/cache-key.ts';
import type { LiveEntry, Reader } from '../../functions/core/result-store.ts';
import { withReader } from '../../functions/cache/readers.ts';
import { createDueList } from '../../functions/warming/list-due.ts';
import { TEST_SCOPE } from '../support/service/config.ts';
import { liveEntry } from '../support/world.ts';
import { parameter } from '../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const { endpoints } = loadCatalogue(TEST_SQL);
const [endpoint] = endpoints;
if (endpoint === undefined) throw new Error('There is no endpoint.');

const TERMS = { catalogue: { endpoints }, startedMs: NOW, demands: new Map<string, number>() };

function planner(limits: { warmMaxEntries?: number; warmMaxEntriesPerKey?: number } = {}) {
  const all = { ...TEST_SCOPE, warmMaxEntries: 1000, warmMaxEntriesPerKey: 1000, ...limits };
  return createDueList({ ...all, ...TERMS });
}

/** Due, read a second ago by the keys. */
function entry(name: string, keyNames: string[], fields: Partial<LiveEntry> = {}): LiveEntry {
  const of = endpoint as (typeof endpoints)[number];
  const parameters = { project: name };
  return {
    ...liveEntry(of, parameters, '', NOW, NOW - 1000),
    cacheKey: cacheKey(TEST_SCOPE, of, parameters),
    readers: keyNames.map((keyName): Reader => ({ keyName, readAtMs: NOW - 1000 })),
    version: undefined,
    ...fields,
  };
}

function dueProjects(of: ReturnType<typeof createDueList>): unknown[] {
  return of
    .dueEntries()
    .due.map(({ entry: { parameters } }) => parameters.project)
    .sort();
}

// Eight keys over their limits must not take the results of others out of warming.
it('keeps a result warm for readers that are not recorded because eight keys over their cap are', () => {
  const keys = Array.from({ length: 8 }, (_, index) => `key-${index}`);
  const plan = planner({ warmMaxEntriesPerKey: 1 });
  for (const key of keys) plan.add(entry(`of-${key}`, [key]));
  plan.add(entry('full', keys));
  const others = { readers: withReader(entry('shared', keys).readers, 'ninth', endpoint, NOW) };
  plan.add(entry('shared', keys, others));
  expect(dueProjects(plan)).toEqual([...keys.map((key) => `of-${key}`), 'shared']);
});

it('does not count reads older than cachingSeconds towards the cap of a key', () => {
  const plan = planner({ warmMaxEntriesPerKey: 1 });
  const gone = { keyName: 'gone', readAtMs: NOW - 900_001 };
  const here = { keyName: 'here', readAtMs: NOW };
  plan.add(entry('a', [], { readers: [here, gone] }));
  plan.add(entry('b', [], { readers: [here, gone] }));
  expect(plan.dueEntries().skipped.overKeyCap).toBe(1);
});

it('counts a read by an unrecorded key for the recorded readers', () => {
  const plan = planner();
  plan.add(entry('a', [], { readers: [{ keyName: 'first', readAtMs: NOW - 900_001 }] }));
  expect(dueProjects(plan)).toEqual(['a']);
});

// Whoever stays under the cap loses nothing to others, whatever those read.
it('keeps every entry warm that is within the cap of one of its readers', () => {
  const name = fc.nat(5).map((key) => `key-${key}`);
  const listing = fc.array(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), { maxLength: 60 });
  fc.assert(
    fc.property(listing, fc.integer({ min: 1, max: 12 }), (readersOf, cap) => {
      const plan = planner({ warmMaxEntriesPerKey: cap });
      for (const [index, names] of readersOf.entries()) plan.add(entry(`p${index}`, names));
      const isModest = (key: string): boolean =>
        readersOf.filter((names) => names.includes(key)).length <= cap;
      const due = new Set(dueProjects(plan));
      for (const [index, names] of readersOf.entries()) {
        if (names.some(isModest)) expect(due.has(`p${index}`)).toBe(true);
      }
      const keys = new Set(readersOf.flat()).size;
      expect(due.size).toBeLessThanOrEqual(keys * cap);
    }),
  );
});

it.each([
  ['of an endpoint that is gone', { endpointId: 'gone' }],
  [
    'of another dataset',
    { cacheKey: cacheKey({ ...TEST_SCOPE, dataset: 'b' }, endpoint, { project: 'a' }) },
  ],
  ['of other parameters', { cacheKey: cacheKey(TEST_SCOPE, endpoint, { project: 'b' }) }],
])('ignores an entry %s', (_name, fields) => {
  const plan = planner();
  expect(plan.add(entry('a', ['key'], fields))).toBe(true);
  const skipped = { recent: 0, outdated: 1, overKeyCap: 0 };
  expect(plan.dueEntries()).toEqual({ due: [], live: 0, skipped });
});

it('ignores entries of an endpoint whose warming is disabled', () => {
  const off = endpoints.map((each) => ({ ...each, cacheWarmingSeconds: 0 }));
  const limits = { ...TEST_SCOPE, warmMaxEntries: 9, warmMaxEntriesPerKey: 9 };
  const plan = createDueList({ ...limits, ...TERMS, catalogue: { endpoints: off } });
  plan.add(entry('a', ['key']));
  expect(plan.dueEntries()).toMatchObject({ due: [], live: 0 });
});

describe('for a changed query', () => {
  const changed = { ...endpoint, resultDigest: 'before' };
  const before = (parameters: LiveEntry['parameters'], fields: Partial<LiveEntry> = {}) => {
    const names = Object.fromEntries(Object.keys(parameters).map((name) => [name, parameter()]));
    const of = { ...changed, parameters: names };
    return entry('', ['key'], {
      ...{ resultDigest: 'before', parameters, cacheKey: cacheKey(TEST_SCOPE, of, parameters) },
      ...fields,
    });
  };
  const VALUES = { project: 'a', function_id: '', interval: '1hr' };
  const keyNow = cacheKey(TEST_SCOPE, endpoint, VALUES);
  const planned = (...entries: LiveEntry[]) => {
    const plan = planner();
    for (const found of entries) plan.add(found);
    const { due, live, skipped } = plan.dueEntries();
    return { keys: due.map((one) => one.entry.cacheKey), live, skipped };
  };
  const NONE = { recent: 0, outdated: 0, overKeyCap: 0 };

  it('plans what callers read before, under its new key, however recently it was computed', () => {
    const young = before(VALUES, { computedAtMs: NOW - 1000 });
    expect(planned(young)).toEqual({ keys: [keyNow], live: 1, skipped: NONE });
  });

  it('plans it with the defaults of new parameters, and without empty removed ones', () => {
    expect(planned(before({ project: 'a', gone: '', interval: '1hr' })).keys).toEqual([keyNow]);
  });

  it.each([
    ['gave a parameter that is gone', { ...VALUES, gone: 'x' }],
    ['gave a value that is refused now', { ...VALUES, project: 'a b' }],
    ['gave no value to what is required now', { ...VALUES, project: '' }],
  ])('ignores entries whose callers %s', (_name, parameters) => {
    const skipped = { ...NONE, outdated: 1 };
    expect(planned(before(parameters))).toEqual({ keys: [], live: 0, skipped });
  });

  it('ignores entries that are already stored under the new key, wherever they are listed', () => {
    const stored = entry('a', ['key'], { parameters: VALUES, cacheKey: keyNow });
    for (const listing of [
      [before(VALUES), stored],
      [stored, before(VALUES)],
    ]) {
      const skipped = { ...NONE, outdated: 1 };
      expect(planned(...listing)).toEqual({ keys: [keyNow], live: 1, skipped });
    }
  });

  it('plans an entry once if it was read under several queries', () => {
    const of = { ...changed, resultDigest: 'long before' };
    const older = { resultDigest: of.resultDigest, cacheKey: cacheKey(TEST_SCOPE, of, VALUES) };
    const skipped = { ...NONE, outdated: 1 };
    const plan = planned(before(VALUES), before(VALUES, older));
    expect(plan).toEqual({ keys: [keyNow], live: 1, skipped });
  });
});

// The flood of one key does not hide the results of the others.
it('a listing continues past entries over the cap of their readers, for five times as many documents', () => {
  const plan = planner({ warmMaxEntries: 3, warmMaxEntriesPerKey: 1 });
  for (let index = 0; index < 13; index += 1) plan.add(entry(`flood-${index}`, ['greedy']));
  expect(plan.add(entry('a', ['modest']))).toBe(true);
  expect(plan.addUnreadable()).toBe(true);
  expect(plan.addUnreadable()).toBe(false);
  expect(plan.add(entry('b', ['late']))).toBe(false);
  expect(dueProjects(plan)).toEqual(['a', 'flood-0']);
});
