// Only values of which a sum means something are added up: what is not known is not.
import { addUp } from '../../../functions/console/chart/plan/add-up.ts';
import { mayAddUp } from '../../../functions/console/chart/plan/may-add-up.ts';

// `name TYPE unit`, between commas.
it.each([
  [
    'adds up counts and amounts',
    true,
    'orders INT64, revenue NUMERIC, bytes_read BIGNUMERIC, tempo_count INT64, revenue NUMERIC EUR, cost NUMERIC $, size INT64 B, ' +
      'size INT64 MiB, size INT64 bytes, hits INT64 requests, n INT64 rows, sold NUMERIC items',
  ],
  [
    'adds up no statistics, measured quantities and names',
    false,
    'orders FLOAT64, name STRING, max_orders INT64, orders_p95 INT64, error_rate NUMERIC, temperature INT64, cpu_temp NUMERIC, ' +
      'Latency INT64, user_age INT64, price NUMERIC EUR, share INT64 %, wait INT64 ms, run INT64 s, reading INT64 °C, drop NUMERIC V, ' +
      'drive INT64 km/h, run INT64 seconds, run INT64 milliseconds, reading INT64 celsius, mass NUMERIC kg, n INT64 Things',
  ],
])('%s', (_, isAdded, list) => {
  const columns = list.split(', ');
  const added = columns.filter((column) => {
    const [name = '', type = '', unit] = column.split(' ');
    return mayAddUp({ name, type, mode: 'NULLABLE', unit });
  });
  expect(added).toEqual(isAdded ? columns : []);
});

it.each([
  [['0.10', '0.2'], '0.30'],
  [[9007199254740993n, 1], '9007199254740994'],
  [['-0.05', '0.02'], '-0.03'],
  [['-5.00', '5'], '0.00'],
  [[null, undefined, 'NaN', 2], '2'],
  [[null], undefined],
])('adds up %p with every digit', (values, expected) => {
  expect(addUp(values)).toBe(expected);
});
