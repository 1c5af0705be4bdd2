// Results of endpoints, and what a chart of each must show, in the short form that `plan-chart.test.ts` explains.
import type { ChartColumn, ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';

export interface ResultCase {
  name: string;
  input: ChartInput;
  expected: string[];
}

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
    // Later than every bucket but those of the cases that say so.
    computedAtMs: Date.parse('2026-11-30T12:00:00Z'),
    ...(step === undefined ? {} : { bucket: { column: described[0]?.name ?? '', step, missing } }),
    ...options,
  };
}

const hours = (...values: (number | null | undefined)[]): unknown[][] =>
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
const instants = (count: number): unknown[][] =>
  Array.from({ length: count }, (_, index) => [
    `2026-11-22T10:00:00.${String(index * 40).padStart(3, '0')}Z`,
    index,
  ]);

export const RESULTS: readonly ResultCase[] = [
  // Types and zones.
  {
    name: 'hours of a TIMESTAMP in UTC',
    input: result('timestamp TIMESTAMP, count INT64', hours(1, 2, 3, 4), { step: 'PT1H' }),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'bars Count [per hour]: count=1 2 3 4',
    ],
  },
  {
    name: 'hours of a TIMESTAMP west of Greenwich',
    input: result('timestamp TIMESTAMP, count INT64', hours(1, 2, 3, 4), {
      step: 'PT1H',
      timeZone: 'America/New_York',
    }),
    expected: [
      'time: 22 Nov 05:00, 22 Nov 06:00, 22 Nov 07:00, 22 Nov 08:00',
      'bars Count [per hour]: count=1 2 3 4',
    ],
  },
  {
    name: 'hours of a zone that is half an hour beside them',
    input: result('timestamp TIMESTAMP, count INT64', hours(1, 2, 3, 4), {
      step: 'PT1H',
      timeZone: 'Asia/Kolkata',
    }),
    expected: [
      'time: 22 Nov 15:30, 22 Nov 16:30, 22 Nov 17:30, 22 Nov 18:30',
      'bars Count [per hour]: count=1 2 3 4',
    ],
  },
  {
    name: 'hours of a DATETIME, which is UTC',
    input: result(
      'at DATETIME, count INT64',
      ['20', '21', '22', '23'].map((hour, index) => [`2026-11-22T${hour}:00:00`, index]),
      { step: 'PT1H', timeZone: 'Asia/Tokyo' },
    ),
    expected: [
      'time: 23 Nov 05:00, 23 Nov 06:00, 23 Nov 07:00, 23 Nov 08:00',
      'bars Count [per hour]: count=0 1 2 3',
    ],
  },
  ...['America/Los_Angeles', 'UTC', 'Pacific/Auckland'].map((timeZone) => ({
    name: `days of a DATE in ${timeZone}`,
    input: result(
      'day DATE, orders INT64',
      ['2026-10-31', '2026-11-01', '2026-11-02', '2026-11-03'].map((day, index) => [day, index]),
      { step: 'P1D', timeZone },
    ),
    expected: ['time: 31 Oct, 1 Nov, 2 Nov, 3 Nov', 'bars Orders [per day]: orders=0 1 2 3'],
  })),
  {
    name: 'days of UTC in a TIMESTAMP, west of Greenwich',
    input: result(
      'day TIMESTAMP, orders INT64',
      [1, 2, 3, 4].map((day) => [`2026-11-0${day}T00:00:00Z`, day]),
      { step: 'P1D', timeZone: 'America/New_York' },
    ),
    expected: [
      'time: 1 Nov, 2 Nov, 3 Nov, 4 Nov',
      'bars Orders [per day]: orders=1 2 3 4',
      'Days are those of UTC.',
    ],
  },
  {
    name: 'days of the own zone in a TIMESTAMP, one of 25 hours',
    input: result(
      'day TIMESTAMP, orders INT64',
      ['10-31T04', '11-01T04', '11-02T05', '11-03T05'].map((day, index) => [
        `2026-${day}:00:00Z`,
        index,
      ]),
      { step: 'P1D', timeZone: 'America/New_York' },
    ),
    expected: ['time: 31 Oct, 1 Nov, 2 Nov, 3 Nov', 'bars Orders [per day]: orders=0 1 2 3'],
  },
  {
    name: 'days of another zone in a TIMESTAMP, with the time that they start at',
    input: result(
      'day TIMESTAMP, orders INT64',
      [1, 2, 3, 4].map((day) => [`2026-11-0${day}T05:00:00Z`, day]),
      { step: 'P1D', timeZone: 'Asia/Tokyo' },
    ),
    expected: [
      'time: 1 Nov 14:00, 2 Nov 14:00, 3 Nov 14:00, 4 Nov 14:00',
      'bars Orders [per day]: orders=1 2 3 4',
    ],
  },
  {
    name: 'seconds',
    input: result(
      'timestamp TIMESTAMP, count INT64',
      [8, 9, 10, 11].map((second) => [`2026-11-22T10:00:${String(second).padStart(2, '0')}Z`, 1]),
      { step: 'PT1S' },
    ),
    expected: [
      'time: 22 Nov 10:00:08, 22 Nov 10:00:09, 22 Nov 10:00:10, 22 Nov 10:00:11',
      'bars Count [per second]: count=1 1 1 1',
    ],
  },
  {
    name: 'weeks of another year',
    input: result(
      'week DATE, orders INT64',
      ['2025-12-15', '2025-12-22', '2025-12-29', '2026-01-05'].map((week) => [week, 7]),
      { step: 'P1W' },
    ),
    expected: [
      'time: 15 Dec 2025, 22 Dec 2025, 29 Dec 2025, 5 Jan',
      'bars Orders [per week]: orders=7 7 7 7',
    ],
  },
  {
    name: 'months, one of them missing',
    input: result(
      'month DATE, orders INT64',
      ['2026-01-01', '2026-02-01', '2026-04-01', '2026-05-01'].map((month) => [month, 7]),
      { step: 'P1M' },
    ),
    expected: [
      'time: Jan 2026, Feb 2026, (Mar 2026), Apr 2026, May 2026',
      'bars Orders [per month]: orders=7 7 | 7 7',
    ],
  },
  {
    name: 'months of a zone ahead of UTC',
    input: result(
      'month TIMESTAMP, orders INT64',
      ['01-31', '02-28', '03-31', '04-30'].map((month) => [`2026-${month}T15:00:00Z`, 7]),
      { step: 'P1M', timeZone: 'Asia/Tokyo' },
    ),
    expected: [
      'time: Feb 2026, Mar 2026, Apr 2026, May 2026',
      'bars Orders [per month]: orders=7 7 7 7',
    ],
  },
  {
    name: 'a month that misses in a zone ahead of UTC',
    input: result(
      'month TIMESTAMP, orders INT64',
      ['01-31', '02-28', '04-30', '05-31'].map((month) => [`2026-${month}T15:00:00Z`, 7]),
      { step: 'P1M', timeZone: 'Asia/Tokyo' },
    ),
    expected: [
      'time: Feb 2026, Mar 2026, (Apr 2026), May 2026, Jun 2026',
      'bars Orders [per month]: orders=7 7 | 7 7',
    ],
  },
  {
    name: 'years',
    input: result(
      'year DATE, orders INT64',
      ['2021-01-01', '2022-01-01', '2023-01-01', '2024-01-01'].map((year) => [year, 7]),
      { step: 'P1Y' },
    ),
    expected: ['time: 2021, 2022, 2023, 2024', 'bars Orders [per year]: orders=7 7 7 7'],
  },
  {
    name: 'rows in any order',
    input: result('timestamp TIMESTAMP, count INT64', hours(1, 2, 3, 4).toReversed(), {
      step: 'PT1H',
    }),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'bars Count [per hour]: count=1 2 3 4',
    ],
  },

  // Gaps.
  {
    name: 'hours without a row',
    input: result(
      'timestamp TIMESTAMP, latency FLOAT64 ms',
      hours(1, 2, undefined, undefined, 5, 6, undefined, 8),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, (22 Nov 12:00 – 22 Nov 13:00), 22 Nov 14:00, 22 Nov 15:00, (22 Nov 16:00), 22 Nov 17:00',
      'lines Latency [ms]: latency=1 2 | 5 6 | 8',
    ],
  },
  {
    name: 'hours without a row, where that means zero',
    input: result('timestamp TIMESTAMP, count INT64', hours(1, 2, undefined, undefined, 5, 6), {
      step: 'PT1H',
      missing: 'zero',
    }),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, [22 Nov 12:00 – 22 Nov 13:00], 22 Nov 14:00, 22 Nov 15:00',
      'bars Count [per hour]: count=1 2 0 5 6',
    ],
  },
  {
    name: 'rows that are all further apart than a bucket',
    input: result(
      'timestamp TIMESTAMP, latency FLOAT64 ms',
      hours(1, undefined, 3, undefined, 5, undefined, 7),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, (22 Nov 11:00), 22 Nov 12:00, (22 Nov 13:00), 22 Nov 14:00, (22 Nov 15:00), 22 Nov 16:00',
      'lines Latency [ms]: latency=1 | 3 | 5 | 7',
    ],
  },
  {
    name: 'a null, which is a gap in its line alone',
    input: result(
      'timestamp TIMESTAMP, p50 FLOAT64 ms, p95 FLOAT64 ms',
      hours(1, null, 3, 4).map((row, index) => [...row, index]),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'lines p50, p95 [ms]: p50=1 · 3 4; p95=0 1 2 3',
    ],
  },
  {
    name: 'seconds that are a year apart',
    input: result(
      'timestamp TIMESTAMP, latency FLOAT64 ms',
      ['2023', '2024', '2025', '2026'].map((year) => [`${year}-01-01T00:00:00Z`, 1]),
      { step: 'PT1S' },
    ),
    expected: [
      'time: 1 Jan 2023 00:00:00, (1 Jan 2023 00:00:01 – 31 Dec 2023 23:59:59), 1 Jan 2024 00:00:00, (1 Jan 2024 00:00:01 – 31 Dec 2024 23:59:59), 1 Jan 2025 00:00:00, (1 Jan 2025 00:00:01 – 31 Dec 2025 23:59:59), 1 Jan 00:00:00',
      'lines Latency [ms]: latency=1 | 1 | 1 | 1',
    ],
  },
  {
    name: 'rows without a time',
    input: result(
      'timestamp TIMESTAMP, count INT64',
      [...hours(1, 2, 3, 4), [null, 100], ['soon', 100]],
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'bars Count [per hour]: count=1 2 3 4',
      '2 rows without a timestamp are in the table alone.',
    ],
  },

  // Buckets that are not whole.
  {
    name: 'an hour that is not over',
    input: result('timestamp TIMESTAMP, count INT64', hours(4, 4, 4, 1), {
      step: 'PT1H',
      computedAtMs: Date.parse('2026-11-22T13:15:00Z'),
    }),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00~',
      'bars Count [per hour]: count=4 4 4 1',
      'Dashed: 22 Nov 13:00 is not over.',
    ],
  },
  {
    name: 'an hour that is just over',
    input: result('timestamp TIMESTAMP, count INT64', hours(4, 4, 4, 1), {
      step: 'PT1H',
      computedAtMs: Date.parse('2026-11-22T14:00:00Z'),
    }),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'bars Count [per hour]: count=4 4 4 1',
    ],
  },
  {
    name: 'a first bucket that the window cuts, and a last one of which rows were left out',
    input: result('timestamp TIMESTAMP, count INT64', hours(1, 4, 4, 1), {
      step: 'PT1H',
      windowStartMs: Date.parse('2026-11-22T10:40:00Z'),
      isTruncated: true,
    }),
    expected: [
      'time: 22 Nov 10:00~, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00~',
      'bars Count [per hour]: count=1 4 4 1',
      'Dashed: 22 Nov 10:00 is cut: the query does not count all of it.',
      'Dashed: 22 Nov 13:00 is cut: the query does not count all of it.',
    ],
  },
  {
    name: 'a window that begins with a bucket, or before all of them',
    input: result('timestamp TIMESTAMP, count INT64', hours(4, 4, 4, 4), {
      step: 'PT1H',
      windowStartMs: Date.parse('2026-11-22T10:00:00Z'),
    }),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'bars Count [per hour]: count=4 4 4 4',
    ],
  },
  {
    name: 'the day of today, west of Greenwich',
    input: result(
      'day DATE, orders INT64',
      [27, 28, 29, 30].map((day) => [`2026-11-${day}`, day]),
      { step: 'P1D', timeZone: 'America/New_York' },
    ),
    expected: [
      'time: 27 Nov, 28 Nov, 29 Nov, 30 Nov~',
      'bars Orders [per day]: orders=27 28 29 30',
      'Dashed: 30 Nov is not over.',
    ],
  },

  // Several rows of one time.
  {
    name: 'five countries a day',
    input: result(
      'day DATE, country STRING, orders INT64',
      perCountry(5, (c, day) => 10 * c + day),
      {
        step: 'P1D',
      },
    ),
    expected: [
      'time: 1 Nov, 2 Nov, 3 Nov, 4 Nov',
      'lines Orders [per day]: ES=41 42 43 44; IT=31 32 33 34; GB=21 22 23 24; FR=11 12 13 14; DE=1 2 3 4',
    ],
  },
  {
    name: 'a country without a row on one day',
    input: result(
      'day DATE, country STRING, orders INT64',
      perCountry(2, (c, day) => 10 * c + day).filter((_, index) => index !== 3),
      { step: 'P1D' },
    ),
    expected: [
      'time: 1 Nov, 2 Nov, 3 Nov, 4 Nov',
      'bars Orders [per day]: FR=11 · 13 14; DE=1 2 3 4',
    ],
  },
  {
    name: 'a country without a row on one day, where that means zero',
    input: result(
      'day DATE, country STRING, orders INT64',
      perCountry(2, (c, day) => 10 * c + day).filter((_, index) => index !== 3),
      { step: 'P1D', missing: 'zero' },
    ),
    expected: [
      'time: 1 Nov, 2 Nov, 3 Nov, 4 Nov',
      'bars Orders [per day]: FR=11 0 13 14; DE=1 2 3 4',
    ],
  },
  {
    name: 'twelve countries a day: the largest seven and the sum of the others',
    input: result(
      'day DATE, country STRING, orders INT64',
      perCountry(12, (c) => c + 1),
      {
        step: 'P1D',
      },
    ),
    expected: [
      'time: 1 Nov, 2 Nov, 3 Nov, 4 Nov',
      'lines Orders [per day]: FI=12 12 12 12; DK=11 11 11 11; CH=10 10 10 10; AT=9 9 9 9; SE=8 8 8 8; NL=7 7 7 7; PL=6 6 6 6; 5 others=15 15 15 15',
    ],
  },
  {
    name: 'twelve countries with averages, which cannot be added up',
    input: result(
      'day DATE, country STRING, avg_price FLOAT64 EUR',
      perCountry(12, (c) => c + 1),
      { step: 'P1D' },
    ),
    expected: [
      'time: 1 Nov, 2 Nov, 3 Nov, 4 Nov',
      'lines Avg price [EUR]: FI=12 12 12 12; DK=11 11 11 11; CH=10 10 10 10; AT=9 9 9 9; SE=8 8 8 8; NL=7 7 7 7; PL=6 6 6 6',
      '5 others are in the table alone: avg_price cannot be added up.',
    ],
  },
  {
    name: 'countries and devices a day',
    input: result(
      'day DATE, country STRING, device STRING, orders INT64',
      perCountry(2, () => 1).flatMap(([day, country]) => [
        [day, country, 'phone', 1],
        [day, country, 'desk', 2],
      ]),
      { step: 'P1D' },
    ),
    expected: ['table: Several rows have the same day and no chart shows all of them.'],
  },
  {
    name: 'a country twice a day',
    input: result(
      'day DATE, country STRING, orders INT64',
      [...perCountry(2, () => 1), ...perCountry(2, () => 2)],
      { step: 'P1D' },
    ),
    expected: ['table: Several rows have the same day and no chart shows all of them.'],
  },
  {
    name: 'one time twice without a text',
    input: result('timestamp TIMESTAMP, count INT64', [...hours(1, 2), ...hours(3, 4)], {
      step: 'PT1H',
    }),
    expected: ['table: Several rows have the same timestamp and no chart shows all of them.'],
  },

  // Few rows.
  {
    name: 'no rows',
    input: result('timestamp TIMESTAMP, count INT64', [], { step: 'PT1H' }),
    expected: ['none: No rows.'],
  },
  {
    name: 'one row',
    input: result(
      'timestamp TIMESTAMP, p95_time FLOAT64 ms, count INT64, note STRING',
      [['2026-11-22T10:00:00Z', 151.26, 1234567, 'x']],
      { step: 'PT1H' },
    ),
    expected: ['figures 22 Nov 10:00: p95_time=151.3 ms, count=1,234,567'],
  },
  {
    name: 'one row without a time',
    input: result('total NUMERIC EUR', [['1234567890123456789.05']]),
    expected: ['figures: total=1,234,567,890,123,456,789.05 EUR'],
  },
  {
    name: 'one row without a number',
    input: result('timestamp TIMESTAMP, note STRING', [['2026-11-22T10:00:00Z', 'x']]),
    expected: ['table: There is no column of numbers to draw.'],
  },
  {
    name: 'two rows',
    input: result('timestamp TIMESTAMP, latency FLOAT64 ms', hours(1, 2), { step: 'PT1H' }),
    expected: ['slots: 22 Nov 10:00, 22 Nov 11:00', 'bars Latency [ms]: latency=1 2'],
  },
  {
    name: 'three rows with a gap',
    input: result('timestamp TIMESTAMP, latency FLOAT64 ms', hours(1, 2, undefined, 4), {
      step: 'PT1H',
    }),
    expected: [
      'slots: 22 Nov 10:00, 22 Nov 11:00, (22 Nov 12:00), 22 Nov 13:00',
      'bars Latency [ms]: latency=1 2 | 4',
    ],
  },

  // Names.
  {
    name: 'a number for each name',
    input: result('country STRING, orders INT64', [
      ['DE', 3],
      ['FR', 2],
      ['GB', null],
    ]),
    expected: ['names: DE, FR, GB', 'bars Orders: orders=3 2 ·'],
  },
  {
    name: 'names of every script, empty ones and none',
    input: result('name STRING, n INT64', [
      ['日本語の長い名前', 1],
      ['👩‍👩‍👧 family', 2],
      ['עברית', 3],
      ['', 4],
      [null, 5],
      ['a\nb\t<b>', 6],
    ]),
    expected: [
      'names: 日本語の長い名前, 👩‍👩‍👧 family, עברית, (empty), (none), a b <b>',
      'bars n: n=1 2 3 4 5 6',
    ],
  },
  {
    name: 'more names than fit',
    input: result(
      'page STRING, views INT64',
      Array.from({ length: 400 }, (_, index) => [`/page-${index}`, 400 - index]),
    ),
    expected: [
      `names: ${Array.from({ length: 12 }, (_, index) => `/page-${index}`).join(', ')}`,
      `bars Views: views=${Array.from({ length: 12 }, (_, index) => 400 - index).join(' ')}`,
      'The first 12 of 400 rows.',
    ],
  },
  {
    name: 'a name twice, with another text',
    input: result('country STRING, device STRING, orders INT64', [
      ['DE', 'phone', 3],
      ['DE', 'desk', 2],
    ]),
    expected: ['names: DE · phone, DE · desk', 'bars Orders: orders=3 2'],
  },
  {
    name: 'all texts twice',
    input: result('country STRING, orders INT64', [
      ['DE', 3],
      ['DE', 2],
    ]),
    expected: ['table: Several rows have the same country and no chart shows all of them.'],
  },
  {
    name: 'numbers alone',
    input: result('bytes INT64, files INT64', [
      [1, 2],
      [3, 4],
    ]),
    expected: ['table: There is neither a time nor a name to draw the numbers by.'],
  },

  // Columns.
  {
    name: 'a panel for each unit, with the words that its columns share',
    input: result(
      'timestamp TIMESTAMP, min_execution_time FLOAT64 ms, p95_execution_time FLOAT64 ms, count INT64, error_count INT64, memory INT64 bytes',
      hours(1, 2, 3, 4).map(([at]) => [at, 10, 95, 7, 2, 1024]),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'lines Execution time [ms]: min=10 10 10 10; p95=95 95 95 95',
      'bars count, error_count [per hour]: count=7 7 7 7; error_count=2 2 2 2',
      'lines Memory [bytes]: memory=1024 1024 1024 1024',
    ],
  },
  {
    name: 'four counts of one kind',
    input: result(
      'timestamp TIMESTAMP, total_rest_requests INT64, total_auth_requests INT64, total_storage_requests INT64',
      hours(1, 2, 3, 4).map(([at]) => [at, 1, 2, 3]),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'lines Total requests [per hour]: rest=1 1 1 1; auth=2 2 2 2; storage=3 3 3 3',
    ],
  },
  {
    name: 'counts that say what they count',
    input: result(
      'timestamp TIMESTAMP, count INT64 calls, error_count INT64 calls',
      hours(1, 2, 3, 4).map(([at]) => [at, 7, 2]),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'bars count, error_count [calls per hour]: count=7 7 7 7; error_count=2 2 2 2',
    ],
  },
  {
    name: 'decimals without a unit and without a shared word, which may differ in size',
    input: result(
      'timestamp TIMESTAMP, revenue NUMERIC, error_rate FLOAT64, cache_rate FLOAT64',
      hours(1, 2, 3, 4).map(([at]) => [at, '8641.50', 0.02, 0.5]),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'lines Revenue: revenue=8641.50 8641.50 8641.50 8641.50',
      'lines Rate: error=0.02 0.02 0.02 0.02; cache=0.5 0.5 0.5 0.5',
    ],
  },
  {
    name: 'more columns than there are colours, and more units than panels',
    input: result(
      `timestamp TIMESTAMP, ${Array.from({ length: 10 }, (_, index) => `c${index} INT64`).join(', ')}, v FLOAT64 a, w FLOAT64 b, x FLOAT64 c, y FLOAT64 d`,
      hours(1, 2, 3, 4).map(([at]) => [at, ...Array.from({ length: 14 }, () => 1)]),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      `lines c0, c1, c2 and 5 more [per hour]: ${Array.from({ length: 8 }, (_, index) => `c${index}=1 1 1 1`).join('; ')}`,
      'lines v [a]: v=1 1 1 1',
      'lines w [b]: w=1 1 1 1',
      'lines x [c]: x=1 1 1 1',
      'In the table alone: c8, c9, y.',
    ],
  },

  // Numbers.
  {
    name: 'whole numbers beyond what JavaScript counts, and decimals with all their digits',
    input: result(
      'timestamp TIMESTAMP, big INT64, price NUMERIC EUR',
      hours(1, 2, 3, 4).map(([at]) => [at, '9223372036854775807', '0.10']),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'bars Big [per hour]: big=9223372036854775807 9223372036854775807 9223372036854775807 9223372036854775807',
      'lines Price [EUR]: price=0.10 0.10 0.10 0.10',
    ],
  },
  {
    name: 'NaN, infinities and the ends of FLOAT64',
    input: result(
      'timestamp TIMESTAMP, x FLOAT64',
      hours(1, 2, 3, 4).map(([at], index) => [at, ['NaN', '-Infinity', 1.7e308, 5e-324][index]]),
      { step: 'PT1H' },
    ),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'lines x: x=NaN -Infinity 1.7e308 5e-324',
    ],
  },
  {
    name: 'a column of nulls',
    input: result('timestamp TIMESTAMP, x FLOAT64', hours(null, null, null, null), {
      step: 'PT1H',
    }),
    expected: [
      'time: 22 Nov 10:00, 22 Nov 11:00, 22 Nov 12:00, 22 Nov 13:00',
      'lines x: x=· · · ·',
    ],
  },
  {
    name: 'lists and records, which are not numbers',
    input: result(
      'timestamp TIMESTAMP, tags STRING, spans RECORD',
      hours(1, 2, 3, 4).map(([at]) => [at, 'a', { b: 1 }]),
      { step: 'PT1H' },
    ),
    expected: ['table: There is no column of numbers to draw.'],
  },

  // Times that are no buckets.
  {
    name: 'instants that are no buckets: nothing is known of the time between them',
    input: result('at TIMESTAMP, load FLOAT64', [
      ['2026-11-22T10:00:00Z', 1],
      ['2026-11-22T10:07:13Z', 2],
      ['2026-11-22T10:09:00.250Z', 3],
      ['2026-11-22T12:00:00Z', 4],
    ]),
    expected: [
      'time: 22 Nov 10:00:00, 22 Nov 10:07:13, 22 Nov 10:09:00.250, 22 Nov 12:00:00',
      'points Load: load=1 2 3 4',
    ],
  },
  {
    name: 'twenty instants of one second',
    input: result('at TIMESTAMP, n INT64', instants(20)),
    expected: [
      `time: ${Array.from({ length: 20 }, (_, index) => (index === 0 ? '22 Nov 10:00:00' : `22 Nov 10:00:00.${String(index * 40).padStart(3, '0')}`)).join(', ')}`,
      `points n: n=${Array.from({ length: 20 }, (_, index) => index).join(' ')}`,
    ],
  },
  {
    name: 'days that are no buckets',
    input: result(
      'day DATE, n INT64',
      ['2026-11-01', '2026-11-05', '2026-11-06', '2026-11-20'].map((day) => [day, 1]),
      { timeZone: 'America/New_York' },
    ),
    expected: ['time: 1 Nov, 5 Nov, 6 Nov, 20 Nov', 'points n: n=1 1 1 1'],
  },
];
