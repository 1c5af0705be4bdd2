// Tests which rows and times a first test is made of, so that its result shows something.
import { join } from 'node:path';
import { type Tables, firstCase, readSample } from '../../../scripts/new/first-case.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import { FakeSqlTree } from '../../support/sql/fake-sql-tree.ts';

interface Place {
  day: string;
  city: string;
}

const NOW = '2026-11-20T10:00:00Z';
const NEWEST = '2020-01-30T00:00:01Z';

const PLACES = Array.from({ length: 1000 }, (_, index): Place => {
  return { day: `2020-01-${String(1 + (index % 30)).padStart(2, '0')}`, city: `c${index}.` };
});

function treeWith(type: string, places: readonly Place[]): FakeSqlTree {
  const rows = places.map((row) => `${JSON.stringify(row)}\n`).join('');
  return new FakeSqlTree()
    .source('places', `day ${type}, city STRING`, {
      partitioning: { type: 'DAY', field: 'day' },
      requirePartitionFilter: false,
    })
    .write('sources/places/sample.ndjson', rows);
}

const TREE = treeWith('DATE', PLACES);

/** The time and the cities of the test of a query that has rows if a condition is true of the places. */
async function chosen(
  city: string,
  hasRows: (places: Place[], at: string) => boolean,
  { directory } = TREE,
) {
  const sources = await readSources(join(directory, 'sources'));
  const test = (await firstCase({
    all: await readSample(sources, directory, Date.parse(NOW)),
    parameters: { city },
    nowMs: Date.parse(NOW),
    hasRows: (tables: Tables, atMs: number) => {
      const places = [...tables.values()].flat() as Place[];
      return Promise.resolve(hasRows(places, new Date(atMs).toISOString().replace('.000', '')));
    },
  })) as { now: string; tables: { places: Place[] } };
  return { now: test.now, cities: test.tables.places.map((place) => place.city) };
}

it.each<[string, (places: Place[], at: string) => boolean, string, number, string]>([
  ['rows with the value', (all) => all.length > 0, NOW, 5, 'c7.'],
  ['more rows', (all) => all.length > 5, NOW, 50, 'c7.'],
  ['many rows', (all) => all.length > 50, NOW, 500, 'c7.'],
  ['the time of the newest row', (_, at) => at === NEWEST, NEWEST, 5, 'c7.'],
  ['five rows if there is no result', () => false, NOW, 5, 'c7.'],
  ['five rows if it needs too many', (all) => all.length > 900, NOW, 5, 'c7.'],
])('a first test has %s', async (_, hasRows, now, count, city) => {
  const { cities, ...test } = await chosen('c7.', hasRows);
  expect([test.now, cities.length]).toEqual([now, count]);
  expect(cities).toContain(city);
});

it.each([
  ['DATETIME', '2020-01-30T00:00:00'],
  ['TIMESTAMP', '2020-01-30 00:00:00'],
  ['TIMESTAMP', '2020-01-30T05:30:00+05:30'],
])('the time of the newest row of a %s is one in UTC: %s', async (type, day) => {
  const tree = treeWith(type, [{ day, city: 'c7.' }]);
  expect((await chosen('c7.', (_, at) => at === NEWEST, tree)).now).toBe(NEWEST);
});
