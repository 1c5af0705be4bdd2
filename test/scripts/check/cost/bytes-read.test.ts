// The bytes of the partitions that a query reads, of tables with every kind of partition, and of tables without.
import { bytesRead } from '../../../../scripts/check/cost/bytes-read.ts';
import type { TableDefinition } from '../../../../scripts/local-bigquery/index.ts';
import { casesBeside, expectLast } from '../../../support/cases.ts';

const cases = casesBeside(import.meta.filename);

type Read = [definition: TableDefinition, ...windows: string[]];

it.each(cases('reads'))(
  'the bytes %s',
  expectLast((_: string, all: Read[]) => {
    const NOW_MS = Date.parse('2026-11-20T10:15:00Z');
    const micros = (text: string): bigint =>
      BigInt(Date.parse(text.includes('T') ? `${text}Z` : text)) * 1000n;
    const reads = all.map(([definition, ...windows]) => {
      const source = { name: 'logs', fields: [], definition };
      const ranges = windows.map((window) => {
        const [from = '', until = '9999-12-31'] = window.split(' to ');
        return { from: micros(from), until: micros(until) };
      });
      const values = ranges.length > 0 ? { ranges, hasNull: false } : undefined;
      return { table: { fullName: 'd.logs', fields: [], source }, values };
    });
    const tables = [false, true].map((asFull) => bytesRead(reads, NOW_MS, 24, { asFull }));
    return tables.flat().map((bytes) => bytes / 1e9);
  }),
);
