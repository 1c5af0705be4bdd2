// Results of endpoints, and what a chart of each must show, in the short form that `plan-chart.test.ts` explains.
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

function result(
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

const COUNTRIES = 'DE FR GB IT ES PL NL SE AT CH DK FI'.split(' ');
const perCountry = (size: number, value: (country: number, day: number) => unknown): unknown[][] =>
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
const each = (times: string, value?: unknown): unknown[][] =>
  times.split(' ').map((time, index) => [time, value ?? index]);

export const hourly = (list: string, rows: unknown[][], options?: Options): ChartInput =>
  result(`timestamp TIMESTAMP, ${list}`, rows, { step: 'PT1H', ...options });
/** Counts of the hours from ten o'clock. */
const counts = (values: Parameters<typeof hours>, options?: Options): ChartInput =>
  hourly('count INT64', hours(...values), options);
const daily = (list: string, rows: unknown[][], options?: Options): ChartInput =>
  result(`day DATE, ${list}`, rows, { step: 'P1D', ...options });

const WITHOUT_FR_ON_2_NOV = perCountry(2, (country, day) => 10 * country + day).filter(
  (_, index) => index !== 3,
);
/** By country. */
const countries = (rows: unknown[][], options?: Options): ChartInput =>
  daily('country STRING, orders INT64', rows, options);
/** Of the buckets that start at these times: 0, 1 and so on. */
const orders = (column: string, step: string, starts: string, timeZone = 'UTC'): ChartInput =>
  result(`${column}, orders INT64`, each(starts), { step, timeZone });
const daysAt = (time: string): string =>
  [1, 2, 3, 4].map((day) => `2026-11-0${day}T${time}Z`).join(' ');

const FOUR_HOURS = 'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00';
const FOUR_DAYS = 'time: 1 Nov, 2 Nov, 3 Nov, 4 Nov';
const DAYS_TO_3_NOV = 'time: 31 Oct, 1 Nov, 2 Nov, 3 Nov';
const FOUR_COUNTS = 'bars Count [per hour]: count=1 2 3 4';

export const RESULTS = {
  // Types and zones.
  'hours of a TIMESTAMP west of Greenwich': [
    counts([1, 2, 3, 4], { timeZone: 'America/New_York' }),
    'time: 22 Nov 05:00, 22 Nov 06:00, 22 Nov 07:00, 22 Nov 08:00',
    FOUR_COUNTS,
  ],
  'hours of a DATETIME, which is UTC, in a zone with an offset of half an hour': [
    orders(
      'at DATETIME',
      'PT1H',
      '2026-11-22T20:00:00 2026-11-22T21:00:00 2026-11-22T22:00:00 2026-11-22T23:00:00',
      'Asia/Kolkata',
    ),
    'time: 23 Nov 01:30, 23 Nov 02:30, 23 Nov 03:30, 23 Nov 04:30',
    'bars Orders [per hour]: orders=0 1 2 3',
  ],
  'days of a DATE in America/Los_Angeles': [
    orders('day DATE', 'P1D', '2026-10-31 2026-11-01 2026-11-02 2026-11-03', 'America/Los_Angeles'),
    DAYS_TO_3_NOV,
    'bars Orders [per day]: orders=0 1 2 3',
  ],
  'days of a DATE in Pacific/Auckland': [
    orders('day DATE', 'P1D', '2026-10-31 2026-11-01 2026-11-02 2026-11-03', 'Pacific/Auckland'),
    DAYS_TO_3_NOV,
    'bars Orders [per day]: orders=0 1 2 3',
  ],
  'days of UTC in a TIMESTAMP, west of Greenwich': [
    orders('day TIMESTAMP', 'P1D', daysAt('00:00:00'), 'America/New_York'),
    FOUR_DAYS,
    'bars Orders [per day]: orders=0 1 2 3',
    'Days are in UTC.',
  ],
  'days of the own zone in a TIMESTAMP, one of 25 hours': [
    orders(
      'day TIMESTAMP',
      'P1D',
      '2026-10-31T04:00:00Z 2026-11-01T04:00:00Z 2026-11-02T05:00:00Z 2026-11-03T05:00:00Z',
      'America/New_York',
    ),
    DAYS_TO_3_NOV,
    'bars Orders [per day]: orders=0 1 2 3',
  ],
  'days of another zone in a TIMESTAMP, with the time that they start at': [
    orders('day TIMESTAMP', 'P1D', daysAt('05:00:00'), 'Asia/Tokyo'),
    'time: 1 Nov 14:00, 2 Nov 14:00, 3 Nov 14:00, 4 Nov 14:00',
    'bars Orders [per day]: orders=0 1 2 3',
  ],
  seconds: [
    orders(
      'at TIMESTAMP',
      'PT1S',
      '2026-11-22T10:00:08Z 2026-11-22T10:00:09Z 2026-11-22T10:00:10Z 2026-11-22T10:00:11Z',
    ),
    'time: 22 Nov 10:00:08, 22 Nov 10:00:09, 22 Nov 10:00:10, 22 Nov 10:00:11',
    'bars Orders [per second]: orders=0 1 2 3',
  ],
  'weeks of another year': [
    orders('week DATE', 'P1W', '2025-12-15 2025-12-22 2025-12-29 2026-01-05'),
    'time: 15 Dec 2025, 22 Dec 2025, 29 Dec 2025, 5 Jan',
    'bars Orders [per week]: orders=0 1 2 3',
  ],
  'months, one of them missing': [
    orders('month DATE', 'P1M', '2026-01-01 2026-02-01 2026-04-01 2026-05-01'),
    'time: Jan 2026, Feb 2026, (Mar 2026), Apr 2026, May 2026',
    'bars Orders [per month]: orders=0 1 | 2 3',
  ],
  'a month that misses in a zone ahead of UTC': [
    orders(
      'month TIMESTAMP',
      'P1M',
      '2026-01-31T15:00:00Z 2026-02-28T15:00:00Z 2026-04-30T15:00:00Z 2026-05-31T15:00:00Z',
      'Asia/Tokyo',
    ),
    'time: Feb 2026, Mar 2026, (Apr 2026), May 2026, Jun 2026',
    'bars Orders [per month]: orders=0 1 | 2 3',
  ],
  years: [
    orders('year DATE', 'P1Y', '2021-01-01 2022-01-01 2023-01-01 2024-01-01'),
    'time: 2021, 2022, 2023, 2024',
    'bars Orders [per year]: orders=0 1 2 3',
  ],

  // Gaps.
  'hours without a row': [
    hourly('latency FLOAT64 ms', hours(1, 2, undefined, undefined, 5, 6, undefined, 8)),
    'time: 22 Nov 10:00, 22 Nov 11:00, (22 Nov 12:00 – 22 Nov 13:00), 22 Nov 14:00, 22 Nov 15:00, (22 Nov 16:00), 22 Nov 17:00',
    'lines Latency [ms]: latency=1 2 | 5 6 | 8',
  ],
  'hours without a row, where that means zero': [
    counts([1, 2, undefined, undefined, 5, 6], { missing: 'zero' }),
    'time: 22 Nov 10:00, 22 Nov 11:00, [22 Nov 12:00 – 22 Nov 13:00], 22 Nov 14:00, 22 Nov 15:00',
    'bars Count [per hour]: count=1 2 0 5 6',
  ],
  'a null, which is a gap in its line alone': [
    hourly(
      'p50 FLOAT64 ms, p95 FLOAT64 ms',
      hours(1, null, 3, 4).map((row, index) => [...row, index]),
    ),
    FOUR_HOURS,
    'lines p50, p95 [ms]: p50=1 · 3 4; p95=0 1 2 3',
  ],
  'seconds that are a year apart': [
    result(
      'timestamp TIMESTAMP, latency FLOAT64 ms',
      each('2023-01-01T00:00:00Z 2024-01-01T00:00:00Z 2025-01-01T00:00:00Z 2026-01-01T00:00:00Z'),
      { step: 'PT1S' },
    ),
    'time: 1 Jan 2023 00:00:00, (1 Jan 2023 00:00:01 – 31 Dec 2023 23:59:59), 1 Jan 2024 00:00:00, (1 Jan 2024 00:00:01 – 31 Dec 2024 23:59:59), 1 Jan 2025 00:00:00, (1 Jan 2025 00:00:01 – 31 Dec 2025 23:59:59), 1 Jan 00:00:00',
    'lines Latency [ms]: latency=0 | 1 | 2 | 3',
  ],
  'rows without a time, and the others in any order': [
    hourly('count INT64', [[null, 100], ['soon', 100], ...hours(1, 2, 3, 4).toReversed()]),
    FOUR_HOURS,
    FOUR_COUNTS,
    '2 rows without a timestamp are only in the table.',
  ],

  // Buckets that are not whole.
  'an hour that is not over': [
    counts([4, 4, 4, 1], { computedAtMs: Date.parse('2026-11-22T13:15:00Z') }),
    'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00~',
    'bars Count [per hour]: count=4 4 4 1',
    'Dashed: the hour from 22 Nov 13:00 is not complete yet.',
  ],
  'an hour that is just over': [
    counts([4, 4, 4, 1], { computedAtMs: Date.parse('2026-11-22T14:00:00Z') }),
    FOUR_HOURS,
    'bars Count [per hour]: count=4 4 4 1',
  ],
  'a first bucket that the window cuts, and a last one of which rows were left out': [
    counts([1, 4, 4, 1], { windowStartMs: Date.parse('2026-11-22T10:40:00Z'), isTruncated: true }),
    'time: 22 Nov 10:00~, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00~',
    'bars Count [per hour]: count=1 4 4 1',
    'Dashed: the result has only a part of the hour from 22 Nov 10:00.',
    'Dashed: the result has only a part of the hour from 22 Nov 13:00.',
  ],
  'a window that begins with a bucket, or before all of them': [
    counts([4, 4, 4, 4], { windowStartMs: Date.parse('2026-11-22T10:00:00Z') }),
    FOUR_HOURS,
    'bars Count [per hour]: count=4 4 4 4',
  ],
  'the day of today, west of Greenwich': [
    orders('day DATE', 'P1D', '2026-11-27 2026-11-28 2026-11-29 2026-11-30', 'America/New_York'),
    'time: 27 Nov, 28 Nov, 29 Nov, 30 Nov~',
    'bars Orders [per day]: orders=0 1 2 3',
    'Dashed: 30 Nov is not complete yet.',
  ],

  // Several rows of one time.
  'five countries a day': [
    countries(perCountry(5, (c, day) => 10 * c + day)),
    FOUR_DAYS,
    'lines Orders [per day]: ES=41 42 43 44; IT=31 32 33 34; GB=21 22 23 24; FR=11 12 13 14; DE=1 2 3 4',
  ],
  'a country without a row on one day': [
    countries(WITHOUT_FR_ON_2_NOV),
    FOUR_DAYS,
    'bars Orders [per day]: FR=11 · 13 14; DE=1 2 3 4',
  ],
  'a country without a row on one day, where that means zero': [
    countries(WITHOUT_FR_ON_2_NOV, { missing: 'zero' }),
    FOUR_DAYS,
    'bars Orders [per day]: FR=11 0 13 14; DE=1 2 3 4',
  ],
  'twelve countries a day: the largest seven and the sum of the others': [
    countries(perCountry(12, (c) => c + 1)),
    FOUR_DAYS,
    'lines Orders [per day]: FI=12 12 12 12; DK=11 11 11 11; CH=10 10 10 10; AT=9 9 9 9; SE=8 8 8 8; NL=7 7 7 7; PL=6 6 6 6; 5 others=15 15 15 15',
  ],
  'twelve countries with averages, which cannot be added up': [
    daily(
      'country STRING, avg_price FLOAT64 EUR',
      perCountry(12, (c) => c + 1),
    ),
    FOUR_DAYS,
    'lines Avg price [EUR]: FI=12 12 12 12; DK=11 11 11 11; CH=10 10 10 10; AT=9 9 9 9; SE=8 8 8 8; NL=7 7 7 7; PL=6 6 6 6',
    '5 more series are only in the table: values of avg_price cannot be added up.',
  ],
  'countries and devices a day': [
    daily(
      'country STRING, device STRING, orders INT64',
      perCountry(2, () => 1).map(([day, country]) => [day, country, 'phone', 1]),
    ),
    'table: No chart: several rows have the same day.',
  ],
  'a country twice a day': [
    countries([...perCountry(2, () => 1), ...perCountry(2, () => 2)]),
    'table: No chart: several rows have the same day.',
  ],
  'one time twice without a text': [
    hourly('count INT64', [...hours(1, 2), ...hours(3, 4)]),
    'table: No chart: several rows have the same timestamp.',
  ],

  // Few rows.
  'no rows': [hourly('count INT64', []), 'none: No rows.'],
  'one row': [
    hourly('p95_time FLOAT64 ms, count INT64, note STRING', [
      ['2026-11-22T10:00:00Z', 151.26, 1234567, 'x'],
    ]),
    'figures 22 Nov 10:00: p95_time=151.3 ms, count=1,234,567',
  ],
  'one row without a time': [
    result('total NUMERIC EUR', [['1234567890123456789.05']]),
    'figures: total=1,234,567,890,123,456,789.05 EUR',
  ],
  'three rows with a gap': [
    hourly('latency FLOAT64 ms', hours(1, 2, undefined, 4)),
    'slots: 22 Nov 10:00, 22 Nov 11:00, (22 Nov 12:00), 22 Nov 13:00',
    'bars Latency [ms]: latency=1 2 | 4',
  ],

  // Names.
  'a number for each name': [
    result('country STRING, orders INT64', [
      ['DE', 3],
      ['FR', 2],
      ['GB', null],
    ]),
    'names: DE, FR, GB',
    'bars Orders: orders=3 2 ·',
  ],
  'names of every script, an empty one and a null': [
    result(
      'name STRING, n INT64',
      NAMES.map((name, index) => [name, index]),
    ),
    'names: 日本語の長い名前, 👩‍👩‍👧 family, עברית, (empty), (none), a b <b>',
    'bars n: n=0 1 2 3 4 5',
  ],
  'more names than fit': [
    result(
      'page STRING, views INT64',
      Array.from({ length: 400 }, (_, index) => [`/page-${index}`, 400 - index]),
    ),
    `names: ${Array.from({ length: 12 }, (_, index) => `/page-${index}`).join(', ')}`,
    `bars Views: views=${Array.from({ length: 12 }, (_, index) => 400 - index).join(' ')}`,
    'The first 12 of 400 rows.',
  ],
  'a name twice, with another text': [
    result('country STRING, device STRING, orders INT64', [
      ['DE', 'phone', 3],
      ['DE', 'desk', 2],
    ]),
    'names: DE · phone, DE · desk',
    'bars Orders: orders=3 2',
  ],
  'all texts twice': [
    result('country STRING, orders INT64', each('DE DE')),
    'table: No chart: several rows have the same country.',
  ],
  'numbers alone': [
    result('bytes INT64, files INT64', each('1 3')),
    'table: No chart: there is no column of times or names.',
  ],

  // Columns.
  'a panel for each unit, with the words that its columns share': [
    hourly(
      'min_execution_time FLOAT64 ms, p95_execution_time FLOAT64 ms, count INT64, error_count INT64, memory INT64 bytes',
      fourHours(10, 95, 7, 2, 1024),
    ),
    FOUR_HOURS,
    'lines Execution time [ms]: min=10 10 10 10; p95=95 95 95 95',
    'bars count, error_count [per hour]: count=7 7 7 7; error_count=2 2 2 2',
    'lines Memory [bytes]: memory=1024 1024 1024 1024',
  ],
  'four counts of one kind': [
    hourly(
      'total_rest_requests INT64, total_auth_requests INT64, total_storage_requests INT64',
      fourHours(1, 2, 3),
    ),
    FOUR_HOURS,
    'lines Total requests [per hour]: rest=1 1 1 1; auth=2 2 2 2; storage=3 3 3 3',
  ],
  'counts with a unit': [
    hourly('count INT64 calls, error_count INT64 calls', fourHours(7, 2)),
    FOUR_HOURS,
    'bars count, error_count [calls per hour]: count=7 7 7 7; error_count=2 2 2 2',
  ],
  'decimals without a unit and without a shared word, which may differ in size': [
    hourly(
      'revenue NUMERIC, error_rate FLOAT64, cache_rate FLOAT64',
      fourHours('8641.50', 0.02, 0.5),
    ),
    FOUR_HOURS,
    'lines Revenue: revenue=8641.50 8641.50 8641.50 8641.50',
    'lines Rate: error=0.02 0.02 0.02 0.02; cache=0.5 0.5 0.5 0.5',
  ],
  'more columns than there are colours, and more units than panels': [
    hourly(
      `${Array.from({ length: 10 }, (_, index) => `c${index} INT64`).join(', ')}, v FLOAT64 a, w FLOAT64 b, x FLOAT64 c, y FLOAT64 d`,
      fourHours(...Array.from({ length: 14 }, () => 1)),
    ),
    FOUR_HOURS,
    `lines c0, c1, c2 and 5 more [per hour]: ${Array.from({ length: 8 }, (_, index) => `c${index}=1 1 1 1`).join('; ')}`,
    'lines v [a]: v=1 1 1 1',
    'lines w [b]: w=1 1 1 1',
    'lines x [c]: x=1 1 1 1',
    'Only in the table: c8, c9, y.',
  ],

  // Numbers.
  'whole numbers beyond what JavaScript counts, and decimals with all their digits': [
    hourly('big INT64, price NUMERIC EUR', fourHours('9223372036854775807', '0.10')),
    FOUR_HOURS,
    'bars Big [per hour]: big=9223372036854775807 9223372036854775807 9223372036854775807 9223372036854775807',
    'lines Price [EUR]: price=0.10 0.10 0.10 0.10',
  ],
  'NaN, infinities and the ends of FLOAT64': [
    hourly(
      'x FLOAT64',
      fourHours().map(([at], index) => [at, ['NaN', '-Infinity', 1.7e308, 5e-324][index]]),
    ),
    FOUR_HOURS,
    'lines x: x=NaN -Infinity 1.7e308 5e-324',
  ],
  'a column of nulls': [
    hourly('x FLOAT64', hours(null, null, null, null)),
    FOUR_HOURS,
    'lines x: x=· · · ·',
  ],
  'one row of texts and records, which are not numbers': [
    hourly('tags STRING, spans RECORD', fourHours('a', { b: 1 }).slice(0, 1)),
    'table: No chart: there is no column of numbers.',
  ],

  // Times that are no buckets.
  'instants that are no buckets: nothing is known of the time between them': [
    result(
      'at TIMESTAMP, load FLOAT64',
      each(
        '2026-11-22T10:00:00Z 2026-11-22T10:07:13Z 2026-11-22T10:09:00.250Z 2026-11-22T12:00:00Z',
      ),
    ),
    'time: 22 Nov 10:00:00, 22 Nov 10:07:13, 22 Nov 10:09:00.250, 22 Nov 12:00:00',
    'points Load: load=0 1 2 3',
  ],
  'twenty instants of one second': [
    result(
      'at TIMESTAMP, n INT64',
      each(MILLISECONDS.map((ms) => `2026-11-22T10:00:00.${ms}Z`).join(' ')),
    ),
    `time: ${MILLISECONDS.map((ms) => `22 Nov 10:00:00.${ms}`).join(', ')}`,
    `points n: n=${[...MILLISECONDS.keys()].join(' ')}`,
  ],
  'days that are no buckets': [
    result('day DATE, n INT64', each('2026-11-01 2026-11-05 2026-11-06 2026-11-20', 1), {
      timeZone: 'America/New_York',
    }),
    'time: 1 Nov, 5 Nov, 6 Nov, 20 Nov',
    'points n: n=1 1 1 1',
  ],
} satisfies Record<string, readonly [input: ChartInput, ...expected: string[]]>;
