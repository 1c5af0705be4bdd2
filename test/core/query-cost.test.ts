// What BigQuery bills for the bytes that a query reads.
import { costUsd } from '../../functions/core/query-runner.ts';

const TIB = 1_099_511_627_776;

it.each<[string, number | number[], number, number]>([
  ['a TiB costs the price', TIB, 6.25, 6.25],
  ['tables are added', [TIB, TIB / 2], 8, 12],
  ['a byte costs as much as 10 MiB', 1, 6.25, 0.000059604644775390625],
  ['so do 10 MiB', 10_485_760, 6.25, 0.000059604644775390625],
  ['which count for each table', [1, 10_485_759], 6.25, 0.00011920928955078125],
  ['no bytes cost nothing', [0, 0], 6.25, 0],
])('%s', (_, bytes, price, usd) => {
  expect(costUsd(bytes, price)).toBe(usd);
});
