// Results without series of names: what their values, units, totals and zones mean for a chart.
import type { ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';
import { each, fourHours, hourly, hours, orders, result } from './results.ts';

/** One column of the four hours from ten o'clock, with these values. */
const values = (column: string, ...ofHours: unknown[]): ChartInput =>
  hourly(
    column,
    fourHours().map(([at], index) => [at, ofHours[index]]),
  );
const byCountry = (columns: string, ...rows: unknown[][]): ChartInput =>
  result(`country STRING, ${columns}`, rows);
const names = Array.from({ length: 20 }, (_, index) => [`/page-${index}`, 20 - index]);

export const VALUE_RESULTS = {
  // The range of an axis.
  'temperatures below zero, which fit the axis': values('temperature FLOAT64 °C', -9, -11, -10, -9),
  'temperatures on both sides of zero': values('temperature FLOAT64 °C', -1, 2, -3, 4),
  'one temperature at all times': values('temperature FLOAT64 °C', -20, -20, -20, -20),
  'measured values that are all zero': values('load FLOAT64 %', 0, 0, 0, 0),
  'counts that are all zero': values('count INT64', 0, 0, 0, 0),
  'counts below zero': values('change INT64', -1, 2, -3, 4),
  'amounts below zero, as texts of NUMERIC': values(
    'profit NUMERIC EUR',
    ...['-12.50', '-3.10', '-7.00', '-0.05'],
  ),
  'an average of whole numbers, which is not counted': values('avg_time INT64 ms', 91, 95, 92, 90),
  'an average as texts of NUMERIC, which is no amount': values(
    'avg_price NUMERIC EUR',
    ...['91.50', '95.10', '92.00', '90.05'],
  ),
  'a share in %, which is not counted': values('share INT64 %', 91, 95, 92, 90),
  'an amount and an average of one unit: the amount needs the zero': hourly(
    'reads INT64 bytes, avg_size FLOAT64 bytes',
    fourHours(900, 90),
  ),
  'points of temperatures, which fit the axis': result(
    'at TIMESTAMP, temperature FLOAT64 °C',
    each('2026-11-22T10:00:00Z 2026-11-22T10:07:13Z 2026-11-22T10:09:00Z 2026-11-22T12:00:00Z', -9),
  ),
  'three temperatures, which are bars': hourly('temperature FLOAT64 °C', hours(-20, -21, -19)),

  // Several columns.
  'two scales in one unit: one panel, because a line must be higher only where its value is':
    hourly('p50 FLOAT64 ms, p99 FLOAT64 ms', fourHours(1, 40000)),
  'two panels whose names would be alike in one list': hourly(
    'min_time FLOAT64 ms, max_time FLOAT64 ms, min_load FLOAT64 %, max_load FLOAT64 %',
    fourHours(1, 2, 3, 4),
  ),
  'two units of measured values': hourly(
    'temperature FLOAT64 °C, humidity FLOAT64 %',
    fourHours(-20, 91),
  ),
  'a column of nulls beside a good one': hourly(
    'p50 FLOAT64 ms, p95 FLOAT64 ms',
    fourHours(7, null),
  ),
  'two columns of nulls alone': hourly('p50 FLOAT64 ms, p95 FLOAT64 ms', fourHours(null, null)),
  'counts that are all null': values('count INT64', null, null, null, null),

  // Totals among names.
  'a ROLLUP total before its parts': byCountry(
    'orders INT64',
    ...[
      [null, 12],
      ['DE', 7],
      ['FR', 3],
      ['GB', 2],
    ],
  ),
  'a ROLLUP total of more names than fit': result('page STRING, views INT64', [
    [null, 210],
    ...names,
  ]),
  'a ROLLUP total of as many names as fit': result('page STRING, views INT64', [
    ...names.slice(0, 12),
    [null, 174],
  ]),
  'a ROLLUP total of amounts, which adds up in decimals': byCountry(
    'amount NUMERIC EUR',
    ...[
      ['DE', '0.10'],
      ['FR', '0.20'],
      [null, '0.30'],
    ],
  ),
  'a ROLLUP total of amounts of either sign': byCountry(
    'amount NUMERIC EUR',
    ...[
      ['DE', '-5.00'],
      ['FR', '2.00'],
      [null, '-3.00'],
    ],
  ),
  'a ROLLUP total with an average, which need not add up': byCountry(
    'orders INT64, avg_price FLOAT64 EUR',
    ...[
      ['DE', 3, 10],
      ['FR', 2, 20],
      [null, 5, 14],
    ],
  ),
  'a null name that is one cent more than the sum': byCountry(
    'amount NUMERIC EUR',
    ...[
      ['DE', '0.10'],
      ['FR', '0.20'],
      [null, '0.31'],
    ],
  ),
  'a null name whose orders add up, but not its visitors': byCountry(
    'orders INT64, visitors INT64',
    ...[
      ['DE', 3, 9],
      ['FR', 2, 8],
      [null, 5, 12],
    ],
  ),
  'a null name with the sum of averages, which is by chance': byCountry(
    'avg_price FLOAT64 EUR',
    ...[
      ['DE', 3],
      ['FR', 2],
      [null, 5],
    ],
  ),
  'an empty name with the sum of the others, which is no total': byCountry(
    'orders INT64',
    ...[
      ['DE', 3],
      ['FR', 2],
      ['', 5],
    ],
  ),
  'a null name beside one name alone, which is no sum': byCountry(
    'orders INT64',
    ...[
      ['DE', 3],
      [null, 3],
    ],
  ),
  'a null name of zero orders among zeros, which shows no sum': byCountry(
    'orders INT64',
    ...[
      ['DE', 0],
      ['FR', 0],
      [null, 0],
    ],
  ),
  'decimals by name, whose labels stand below each other': byCountry(
    'avg_price FLOAT64 EUR',
    ...[
      ['DE', 1234.5],
      ['FR', 812.25],
      ['GB', 77],
    ],
  ),
  'amounts of either sign by name': byCountry(
    'amount NUMERIC EUR',
    ...[
      ['DE', '12.50'],
      ['FR', '-3.10'],
    ],
  ),

  // Zones.
  'days of UTC in a TIMESTAMP, east of Greenwich': orders(
    'day TIMESTAMP, P1D, Asia/Tokyo',
    '2026-11-01T00:00:00Z 2026-11-02T00:00:00Z 2026-11-03T00:00:00Z 2026-11-04T00:00:00Z',
  ),
  'days of the own zone in a TIMESTAMP, east of Greenwich': orders(
    'day TIMESTAMP, P1D, Asia/Tokyo',
    '2026-10-31T15:00:00Z 2026-11-01T15:00:00Z 2026-11-02T15:00:00Z 2026-11-03T15:00:00Z',
  ),
  'days of the own zone in a TIMESTAMP, one of 23 hours': orders(
    'day TIMESTAMP, P1D, Europe/Berlin',
    '2026-03-27T23:00:00Z 2026-03-28T23:00:00Z 2026-03-29T22:00:00Z 2026-03-30T22:00:00Z',
  ),
  'hours over the one that is left out when the clock is set forward': orders(
    'at TIMESTAMP, PT1H, America/New_York',
    '2026-03-08T05:00:00Z 2026-03-08T06:00:00Z 2026-03-08T07:00:00Z 2026-03-08T08:00:00Z',
  ),
  'hours of which one comes twice when the clock is set back': orders(
    'at TIMESTAMP, PT1H, America/New_York',
    '2026-11-01T04:00:00Z 2026-11-01T05:00:00Z 2026-11-01T06:00:00Z 2026-11-01T07:00:00Z',
  ),
  'a missing day of UTC, east of Greenwich': orders(
    'day TIMESTAMP, P1D, Asia/Tokyo',
    '2026-11-01T00:00:00Z 2026-11-02T00:00:00Z 2026-11-04T00:00:00Z 2026-11-05T00:00:00Z',
  ),
  'a day that is over in Tokyo, but not in UTC, which its days are of': {
    ...orders(
      'day TIMESTAMP, P1D, Asia/Tokyo',
      '2026-11-27T00:00:00Z 2026-11-28T00:00:00Z 2026-11-29T00:00:00Z 2026-11-30T00:00:00Z',
    ),
    computedAtMs: Date.parse('2026-11-30T23:00:00Z'),
  },
  'fourteen trucks at -20 °C but the last: it is drawn': result(
    'truck STRING, temperature FLOAT64 °C',
    Array.from({ length: 14 }, (_, index) => [`t${index + 1}`, index === 13 ? 2 : -20]),
  ),
  'a cut list of names': result(
    'truck STRING, temperature FLOAT64 °C',
    [
      ['a', 1],
      ['b', 2],
    ],
    { isTruncated: true },
  ),
} satisfies Record<string, ChartInput>;
