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
const isNewest = (_: Place[], at: string): boolean => at === NEWEST;

it.each<[string, (places: Place[], at: string) => boolean, string, number, string?, string?]>([
  ['rows with the value', (all) => all.length > 0, NOW, 5],
  ['more rows', (all) => all.length > 5, NOW, 50],
  ['many rows', (all) => all.length > 50, NOW, 500],
  ['the time of the newest row', isNewest, NEWEST, 5],
  ['five rows if there is no result', () => false, NOW, 5],
  ['five rows if it needs too many', (all) => all.length > 900, NOW, 5],
  ['the time of a DATETIME in UTC', isNewest, NEWEST, 1, 'DATETIME', '2020-01-30T00:00:00'],
  ['the time of a TIMESTAMP in UTC', isNewest, NEWEST, 1, 'TIMESTAMP', '2020-01-30 00:00:00'],
  [
    'the time in UTC of a TIMESTAMP with an offset',
    ...([isNewest, NEWEST, 1, 'TIMESTAMP', '2020-01-30T05:30:00+05:30'] as const),
  ],
])('a first test has %s', async (_, hasRows, now, count, type = 'DATE', only) => {
  const many = Array.from({ length: 1000 }, (__, index): Place => {
    return { day: `2020-01-${String(1 + (index % 30)).padStart(2, '0')}`, city: `c${index}.` };
  });
  const places = only === undefined ? many : [{ day: only, city: 'c7.' }];
  const { directory } = new FakeSqlTree()
    .source('places', `day ${type}, city STRING`, { partitioning: { type: 'DAY', field: 'day' } })
    .write('sources/places/sample.ndjson', places.map((row) => JSON.stringify(row)).join('\n'));
  const sources = await readSources(join(directory, 'sources'));
  const test = (await firstCase({
    all: await readSample(sources, directory, Date.parse(NOW)),
    parameters: { city: 'c7.' },
    nowMs: Date.parse(NOW),
    hasRows: (tables: Tables, atMs: number) => {
      const found = [...tables.values()].flat() as Place[];
      return Promise.resolve(hasRows(found, new Date(atMs).toISOString().replace('.000', '')));
    },
  })) as { now: string; tables: { places: Place[] } };
  expect([test.now, test.tables.places.length]).toEqual([now, count]);
  expect(test.tables.places.map(({ city }) => city)).toContain('c7.');
});
