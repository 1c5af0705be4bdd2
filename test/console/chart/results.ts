// Results of endpoints; `shown.txt` has what a chart of each must show.
import type { ChartColumn, ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';

/** `day DATE, revenue NUMERIC EUR`: name, type and unit. */
function columns(list: string): ChartColumn[] {
  return list.split(', ').map((column) => {
    const [name = '', type = '', unit] = column.split(' ');
    return { name, type, mode: 'NULLABLE', ...(unit === undefined ? {} : { unit }) };
  });
}

type Options = Partial<Omit<ChartInput, 'columns' | 'rows'>> & {
  /** Of the first column. */
  step?: string;
  missing?: 'zero';
};

export function result(
  list: string,
  rows: readonly (readonly unknown[])[],
  { step, missing, ...options }: Options = {},
): ChartInput {
  const described = columns(list);
  return {
    columns: described,
    rows: rows.map((values) =>
      Object.fromEntries(described.map(({ name }, index) => [name, values[index]])),
    ),
    timeZone: 'UTC',
    // After all buckets, unless a case sets another time.
    computedAtMs: Date.parse('2026-11-30T12:00:00Z'),
    ...(step === undefined ? {} : { bucket: { column: described[0]?.name ?? '', step, missing } }),
    ...options,
  };
}

export const hours = (...values: (number | null | undefined)[]): unknown[][] =>
  values.flatMap((value, index) =>
    value === undefined
      ? []
      : [[`2026-11-22T${String(10 + index).padStart(2, '0')}:00:00Z`, value]],
  );

export const COUNTRIES = 'DE FR GB IT ES PL NL SE AT CH DK FI'.split(' ');
export const perCountry = (
  size: number,
  value: (country: number, day: number) => unknown,
): unknown[][] =>
  [1, 2, 3, 4].flatMap((day) =>
    COUNTRIES.slice(0, size).map((country, index) => [
      `2026-11-0${day}`,
      country,
      value(index, day),
    ]),
  );
const NAMES = ['日本語の長い名前', '👩‍👩‍👧 family', 'עברית', '', null, 'a\nb\t<b>'];
const MILLISECONDS = Array.from({ length: 20 }, (_, index) =>
  String(20 + 40 * index).padStart(3, '0'),
);

/** Rows of the four hours from ten o'clock, each with these values. */
export const fourHours = (...values: unknown[]): unknown[][] =>
  hours(1, 2, 3, 4).map(([at]) => [at, ...values]);
/** A row for each time of a list with this value, by default the position in the list. */
export const each = (times: string, value?: unknown): unknown[][] =>
  times.split(' ').map((time, index) => [time, value ?? index]);

export const hourly = (list: string, rows: unknown[][], options?: Options): ChartInput =>
  result(`timestamp TIMESTAMP, ${list}`, rows, { step: 'PT1H', ...options });
/** Counts of the hours from ten o'clock. */
const counts = (values: Parameters<typeof hours>, options?: Options): ChartInput =>
  hourly('count INT64', hours(...values), options);
export const daily = (list: string, rows: unknown[][], options?: Options): ChartInput =>
  result(`day DATE, ${list}`, rows, { step: 'P1D', ...options });

const WITHOUT_FR_ON_2_NOV = perCountry(2, (country, day) => 10 * country + day).filter(
  (_, index) => index !== 3,
);
/** By country. */
const countries = (rows: unknown[][], options?: Options): ChartInput =>
  daily('country STRING, orders INT64', rows, options);
/** Of the buckets that start at these times: 0, 1 and so on. `buckets` is their column, their step and the time zone. */
export const orders = (buckets: string, starts: string): ChartInput => {
  const [column = '', step = '', timeZone = 'UTC'] = buckets.split(', ');
  return result(`${column}, orders INT64`, each(starts), { step, timeZone });
};
const daysAt = (time: string): string =>
  [1, 2, 3, 4].map((day) => `2026-11-0${day}T${time}Z`).join(' ');

export const RESULTS = {
  // Types and zones.
  'hours of a TIMESTAMP west of Greenwich': counts([1, 2, 3, 4], { timeZone: 'America/New_York' }),
  'hours of a DATETIME, which stands as it is in any zone': orders(
    'at DATETIME, PT1H, Asia/Kolkata',
    '2026-11-22T20:00:00 2026-11-22T21:00:00 2026-11-22T22:00:00 2026-11-22T23:00:00',
  ),
  'days of a DATE in America/Los_Angeles': orders(
    'day DATE, P1D, America/Los_Angeles',
    '2026-10-31 2026-11-01 2026-11-02 2026-11-03',
  ),
  'days of a DATE in Pacific/Auckland': orders(
    'day DATE, P1D, Pacific/Auckland',
    '2026-10-31 2026-11-01 2026-11-02 2026-11-03',
  ),
  'days of UTC in a TIMESTAMP, west of Greenwich': orders(
    'day TIMESTAMP, P1D, America/New_York',
    daysAt('00:00:00'),
  ),
  'days of the own zone in a TIMESTAMP, one of 25 hours': orders(
    'day TIMESTAMP, P1D, America/New_York',
    '2026-10-31T04:00:00Z 2026-11-01T04:00:00Z 2026-11-02T05:00:00Z 2026-11-03T05:00:00Z',
  ),
  'days of another zone in a TIMESTAMP, with the time that they start at': orders(
    'day TIMESTAMP, P1D, Asia/Tokyo',
    daysAt('05:00:00'),
  ),
  seconds: orders(
    'at TIMESTAMP, PT1S',
    '2026-11-22T10:00:08Z 2026-11-22T10:00:09Z 2026-11-22T10:00:10Z 2026-11-22T10:00:11Z',
  ),
  'weeks of another year': orders('week DATE, P1W', '2025-12-15 2025-12-22 2025-12-29 2026-01-05'),
  'months, one of them missing': orders(
    'month DATE, P1M',
    '2026-01-01 2026-02-01 2026-04-01 2026-05-01',
  ),
  'a month that misses in a zone ahead of UTC': orders(
    'month TIMESTAMP, P1M, Asia/Tokyo',
    '2026-01-31T15:00:00Z 2026-02-28T15:00:00Z 2026-04-30T15:00:00Z 2026-05-31T15:00:00Z',
  ),
  years: orders('year DATE, P1Y', '2021-01-01 2022-01-01 2023-01-01 2024-01-01'),

  // Gaps.
  'hours without a row': hourly(
    'latency FLOAT64 ms',
    hours(1, 2, undefined, undefined, 5, 6, undefined, 8),
  ),
  'hours without a row, where that means zero': counts([1, 2, undefined, undefined, 5, 6], {
    missing: 'zero',
  }),
  'a null, which is a gap in its line alone': hourly(
    'p50 FLOAT64 ms, p95 FLOAT64 ms',
    hours(1, null, 3, 4).map((row, index) => [...row, index]),
  ),
  'seconds that are a year apart': result(
    'timestamp TIMESTAMP, latency FLOAT64 ms',
    each('2023-01-01T00:00:00Z 2024-01-01T00:00:00Z 2025-01-01T00:00:00Z 2026-01-01T00:00:00Z'),
    { step: 'PT1S' },
  ),
  'rows without a time, and the others in any order': hourly('count INT64', [
    [null, 100],
    ['soon', 100],
    ...hours(1, 2, 3, 4).toReversed(),
  ]),

  // Buckets that are not whole.
  'an hour that is not over': counts([4, 4, 4, 1], {
    computedAtMs: Date.parse('2026-11-22T13:15:00Z'),
  }),
  'an hour that is just over': counts([4, 4, 4, 1], {
    computedAtMs: Date.parse('2026-11-22T14:00:00Z'),
  }),
  'a first bucket that the window cuts, and a last one of which rows were left out': counts(
    [1, 4, 4, 1],
    { windowStartMs: Date.parse('2026-11-22T10:40:00Z'), isTruncated: true },
  ),
  'a window that begins with a bucket, or before all of them': counts([4, 4, 4, 4], {
    windowStartMs: Date.parse('2026-11-22T10:00:00Z'),
  }),
  'the day of today, west of Greenwich': orders(
    'day DATE, P1D, America/New_York',
    '2026-11-27 2026-11-28 2026-11-29 2026-11-30',
  ),

  // Several rows of one time.
  'five countries a day': countries(perCountry(5, (c, day) => 10 * c + day)),
  'a country without a row on one day': countries(WITHOUT_FR_ON_2_NOV),
  'a country without a row on one day, where that means zero': countries(WITHOUT_FR_ON_2_NOV, {
    missing: 'zero',
  }),
  'twelve countries a day: the largest seven and the sum of the others': countries(
    perCountry(12, (c) => c + 1),
  ),
  'twelve countries with averages, which cannot be added up': daily(
    'country STRING, avg_price FLOAT64 EUR',
    perCountry(12, (c) => c + 1),
  ),
  'countries and devices a day': daily(
    'country STRING, device STRING, orders INT64',
    perCountry(2, () => 1).map(([day, country]) => [day, country, 'phone', 1]),
  ),
  'a country on two devices a day': daily(
    'country STRING, device STRING, orders INT64',
    perCountry(2, (c, day) => 10 * c + day).flatMap(([day, country, orders]) => [
      [day, country, 'phone', orders],
      [day, country, 'desk', 0],
    ]),
  ),
  'a country twice a day': countries([...perCountry(2, () => 1), ...perCountry(2, () => 2)]),
  'one time twice without a text': hourly('count INT64', [...hours(1, 2), ...hours(3, 4)]),

  // Few rows.
  'no rows': hourly('count INT64', []),
  'one row': hourly('p95_time FLOAT64 ms, count INT64, note STRING', [
    ['2026-11-22T10:00:00Z', 151.26, 1234567, 'x'],
  ]),
  'a place beside counts, which is no amount': hourly(
    'orders INT64, place INT64, year INT64',
    fourHours(3, 1, 2026),
  ),
  'a place among names': result('name STRING, place INT64, points INT64', [
    ['a', 1, 30],
    ['b', 2, 20],
  ]),
  'places of few days': daily('orders INT64, overallRank INT64', [
    ['2026-11-01', 5, 2],
    ['2026-11-02', 6, 1],
  ]),
  'ids alone': result('name STRING, customer_id INT64', each('a b')),
  'one row without a time': result('total NUMERIC EUR', [['1234567890123456789.05']]),
  'three rows with a gap': hourly('latency FLOAT64 ms', hours(1, 2, undefined, 4)),

  // Names.
  'a number for each name': result('country STRING, orders INT64', [
    ['DE', 3],
    ['FR', 2],
    ['GB', null],
  ]),
  'names of every script, an empty one and a null': result(
    'name STRING, n INT64',
    NAMES.map((name, index) => [name, index]),
  ),
  'more names than fit': result(
    'page STRING, views INT64',
    Array.from({ length: 400 }, (_, index) => [`/page-${index}`, 400 - index]),
  ),
  'a name twice, with another text': result('country STRING, device STRING, orders INT64', [
    ['DE', 'phone', 3],
    ['DE', 'desk', 2],
  ]),
  'all texts twice': result('country STRING, orders INT64', each('DE DE')),
  'numbers alone': result('bytes INT64, files INT64', each('1 3')),

  // Columns.
  'a panel for each unit, with the words that its columns share': hourly(
    'min_execution_time FLOAT64 ms, p95_execution_time FLOAT64 ms, count INT64, error_count INT64, memory INT64 bytes',
    fourHours(10, 95, 7, 2, 1024),
  ),
  'four counts of one kind': hourly(
    'total_rest_requests INT64, total_auth_requests INT64, total_storage_requests INT64',
    fourHours(1, 2, 3),
  ),
  'counts with a unit': hourly('count INT64 calls, error_count INT64 calls', fourHours(7, 2)),
  'decimals without a unit and without a shared word, which may differ in size': hourly(
    'revenue NUMERIC, error_rate FLOAT64, cache_rate FLOAT64',
    fourHours('8641.50', 0.02, 0.5),
  ),
  'more columns than there are colours, and more units than panels': hourly(
    `${Array.from({ length: 10 }, (_, index) => `c${index} INT64`).join(', ')}, u FLOAT64 a, v FLOAT64 b, w FLOAT64 c, x FLOAT64 d, y FLOAT64 e, z FLOAT64 f`,
    fourHours(...Array.from({ length: 16 }, () => 1)),
  ),

  // Numbers.
  'whole numbers beyond what JavaScript counts, and decimals with all their digits': hourly(
    'big INT64, price NUMERIC EUR',
    fourHours('9223372036854775807', '0.10'),
  ),
  'NaN, infinities and the ends of FLOAT64': hourly(
    'x FLOAT64',
    fourHours().map(([at], index) => [at, ['NaN', '-Infinity', 1.7e308, 5e-324][index]]),
  ),
  'a column of nulls': hourly('x FLOAT64', hours(null, null, null, null)),
  'one row of texts and records, which are not numbers': hourly(
    'tags STRING, spans RECORD',
    fourHours('a', { b: 1 }).slice(0, 1),
  ),

  // Times that are no buckets.
  'instants that are no buckets: nothing is known of the time between them': result(
    'at TIMESTAMP, load FLOAT64',
    each('2026-11-22T10:00:00Z 2026-11-22T10:07:13Z 2026-11-22T10:09:00.250Z 2026-11-22T12:00:00Z'),
  ),
  'twenty instants of one second': result(
    'at TIMESTAMP, n INT64',
    each(MILLISECONDS.map((ms) => `2026-11-22T10:00:00.${ms}Z`).join(' ')),
  ),
  'days that are no buckets': result(
    'day DATE, n INT64',
    each('2026-11-01 2026-11-05 2026-11-06 2026-11-20', 1),
    {
      timeZone: 'America/New_York',
    },
  ),
} satisfies Record<string, ChartInput>;
