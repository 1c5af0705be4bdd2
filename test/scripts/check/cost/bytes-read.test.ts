// The bytes of the partitions that a query reads, of tables with every kind of partition, and of tables without.
import { bytesRead } from '../../../../scripts/check/cost/bytes-read.ts';
import type { TableDefinition } from '../../../../scripts/local-bigquery/index.ts';

const NOW = '2026-11-20T10:15:00Z';
const micros = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;

const by = (type: 'HOUR' | 'DAY' | 'MONTH') => ({ partitioning: { type, field: 'ts' } });

/** A window without an end has only its start; one of all rows has nothing. */
function read(definition: Partial<TableDefinition>, ...windows: string[]) {
  const source = { name: 'logs', fields: [], definition: definition as TableDefinition };
  const ranges = windows.map((window) => {
    const [from = '', until = '9999-12-31'] = window.split(' to ');
    return { from: micros(from), until: micros(until) };
  });
  const values = windows.length > 0 ? { ranges, hasNull: false } : undefined;
  return { table: { fullName: 'd.logs', fields: [], source }, values };
}

/** With a GB in each hour: those up to now, and those of full partitions. */
it.each<[string, ReturnType<typeof read>[], [number, number]]>([
  ['of the hours', [read(by('HOUR'), '2026-11-20T08:30')], [2.25, 3]],
  ['of the days', [read(by('DAY'), '2026-11-19T23:59')], [34.25, 48]],
  ['of the months', [read(by('MONTH'), '2026-11-05')], [466.25, 720]],
  ['of days that are over', [read(by('DAY'), '2026-11-18 to 2026-11-19')], [24, 24]],
  [
    'of shards',
    [read({ shards: { prefix: 'logs_', format: 'YYYYMMDD' } }, '2026-11-20')],
    [10.25, 24],
  ],
  ['of a year, if there is no bound', [read(by('HOUR'))], [8759.25, 8760]],
  ['of a year, if it begins before', [read(by('HOUR'), '1980-01-01')], [8759.25, 8760]],
  ['of nothing that is to come', [read(by('DAY'), '2026-11-21')], [0, 0]],
  ['of all rows without partitions', [read({ partitioning: null })], [24, 24]],
  [
    'of two windows in a day once',
    [
      read(
        by('DAY'),
        '2026-11-19T01:00 to 2026-11-19T02:00',
        '2026-11-19T03:00 to 2026-11-19T04:00',
      ),
    ],
    [24, 24],
  ],
  [
    'of a table that is read twice',
    [read(by('DAY'), '2026-11-20'), read(by('DAY'), '2026-11-20')],
    [20.5, 48],
  ],
  [
    'by the size that a table states',
    [read({ ...by('HOUR'), gbPerDay: 48 }, '2026-11-20T08:30')],
    [4.5, 6],
  ],
])('counts the bytes %s', (_, reads, expected) => {
  const all = [false, true].map((asFull) => bytesRead(reads, Date.parse(NOW), 24, { asFull }));
  expect(all.map((tables) => tables.map((bytes) => bytes / 1e9))).toEqual(
    expected.map((gb) => [gb]),
  );
});
