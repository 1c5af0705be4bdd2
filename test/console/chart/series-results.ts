// Results with several rows of one time, which names tell apart: which of them a chart draws.
import type { ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';
import { COUNTRIES, daily, perCountry } from './results.ts';

type Options = Parameters<typeof daily>[2];

/** The names in the order of the rows of a day, with the values of four days or one for all. `·` is no row. */
function series(column: string, list: Record<string, string>, options?: Options): ChartInput {
  const rows = [0, 1, 2, 3].flatMap((day) =>
    Object.entries(list).flatMap(([name, values]) => {
      const [first = '', ...others] = values.split(' ');
      const value = [first, ...others][others.length === 0 ? 0 : day] ?? '';
      if (value === '·') return [];
      return [[`2026-11-0${day + 1}`, name === 'null' ? null : name, read(value, column)]];
    }),
  );
  return daily(`name STRING, ${column}`, rows, options);
}

function read(value: string, column: string): unknown {
  if (value === 'null') return null;
  return column.includes('NUMERIC') || value === 'NaN' ? value : Number(value);
}

const HOSTS = Array.from({ length: 300 }, (_, index) => `host-${index + 1}`);
/** The value of each host is its number. */
const hosts = (column: string, options?: Options): ChartInput =>
  series(column, Object.fromEntries(HOSTS.map((host, index) => [host, `${index + 1}`])), options);

const twelve = (column: string, options?: Options): ChartInput =>
  daily(
    `country STRING, ${column}`,
    perCountry(12, (country) => country + 1),
    options,
  );
const averages = (...drawn: string[]): ChartInput => twelve('avg_price FLOAT64 EUR', { drawn });
const counts = (...drawn: string[]): ChartInput => twelve('orders INT64', { drawn });

const DEVICES = ['DE', 'FR'].flatMap((country) => [`${country} phone`, `${country} desk`]);
const ROLLUP = { DE: '1 2 · 4', FR: '10 20 30 40', GB: '5 5 5 5', null: '16 27 35 49' };
const WARM_TRUCK = {
  ...{ t1: '-20.1', t2: '-20.2', t3: '-20.3', t4: '-20.4', t5: '2.4', t6: '-20.6' },
  ...{ t7: '-20.7', t8: '-20.8', t9: '-20.9', t10: '-19.1', t11: '-19.2', t12: '-19.3' },
};

export const SERIES_RESULTS = {
  // Series of what cannot be added up.
  'twelve trucks at -20 °C, of which one is at 2.4 °C': series(
    'temperature FLOAT64 °C',
    WARM_TRUCK,
  ),
  'ten series, of which one is far out at one time': series('load FLOAT64', {
    ...{ a: '1', b: '2', c: '3', d: '4', e: '5', f: '6 6 90 6' },
    ...{ g: '7', h: '8', i: '9', j: '10' },
  }),
  'series far out on one side: the farthest shows the range of all': series('load FLOAT64', {
    a: '50',
    b: '50',
    c: '50',
    d: '50',
    e: '50',
    f: '90',
    g: '95',
    h: '99',
    i: '10 90 10 90',
  }),
  'series within the others: those that vary more, then the first': series('load FLOAT64', {
    ...{ low: '0', high: '100', a: '50', b: '50', c: '50', d: '50', e: '50', f: '50' },
    ...{ wave: '50 60 40 50' },
  }),
  'three series of averages': series('avg_load FLOAT64', { c: '3', a: '1', b: '2' }),
  'eight series of averages: all of them': series('avg_load FLOAT64', {
    ...{ h: '8', g: '7', f: '6', e: '5', d: '4', c: '3', b: '2', a: '1' },
  }),
  'nine series of averages: seven of them': series('avg_load FLOAT64', {
    ...{ i: '9', h: '8', g: '7', f: '6', e: '5', d: '4', c: '3', b: '2', a: '1' },
  }),
  '300 series of averages': hosts('avg_time FLOAT64 ms'),
  'nine shares in %, which cannot be added up': series('share INT64 %', {
    ...{ i: '9', h: '8', g: '7', f: '6', e: '5', d: '4', c: '3', b: '2', a: '1' },
  }),
  'nine averages as texts of NUMERIC, which cannot be added up': series('avg_price NUMERIC EUR', {
    ...{ i: '-9.50', h: '-8.50', g: '-7.50', f: '-6.50', e: '-5.50', d: '-4.50', c: '-3.50' },
    ...{ b: '-10.50', a: '-1.50' },
  }),
  'nine series with gaps at different times': series('load FLOAT64', {
    ...{ a: '· 1 1 1', b: '2 · 2 2', c: '3 3 · 3', d: '4 4 4 ·', e: '5 5 5 5', f: '6 · · 6' },
    ...{ g: '· 7 7 ·', h: '8 8 8 8', i: '9 · 9 ·' },
  }),
  'nine series of one time each': series('load FLOAT64', {
    ...{ a: '1 · · ·', b: '2 · · ·', c: '9 · · ·', d: '· 5 · ·', e: '· 5 · ·' },
    ...{ f: '· · 0 ·', g: '· · 100 ·', h: '· · · 3', i: '· · · 4' },
  }),
  'nine series of one time each: the middle is the median, which one far out does not move': series(
    'load FLOAT64',
    {
      ...{ a: '0 · · ·', b: '1 · · ·', c: '9 · · ·', d: '· 0 · ·', e: '· 4 · ·' },
      ...{ f: '· · 0 ·', g: '· · 4 ·', h: '· · · 0', i: '· · · 4' },
    },
  ),
  'nine series, of which the first two have no numbers': series('load FLOAT64', {
    ...{ a: 'null', b: 'NaN', c: '3', d: '4', e: '5', f: '6', g: '7', h: '8', i: '9' },
  }),
  'three series of nulls alone': series('load FLOAT64', { a: 'null', b: 'null', c: 'null' }),
  'a series of nulls beside two with values': series('load FLOAT64', {
    ...{ a: '1 2 3 4', b: 'null', c: '4 3 2 1' },
  }),
  'a constant series beside one that varies': series('temperature FLOAT64 °C', {
    ...{ a: '-20', b: '-21 -22 -23 -24' },
  }),

  // Series of counts and amounts.
  'nine series of counts: the largest seven and the two others': series('orders INT64', {
    ...{ a: '1', b: '9', c: '8', d: '7', e: '6', f: '5', g: '4', h: '3', i: '2' },
  }),
  'twelve equal counts: the first seven': daily(
    'country STRING, orders INT64',
    perCountry(12, () => 1),
  ),
  'counts that are large at one time alone': series('orders INT64', {
    ...{ a: '0 0 40 0', b: '9', c: '8', d: '7', e: '6', f: '5', g: '4', h: '3', i: '2' },
  }),
  '300 series of counts, and the rest as one': hosts('orders INT64'),
  'amounts of either sign: the largest of both, and the sum of the others': series(
    'profit NUMERIC EUR',
    { a: '-50', b: '-40', c: '-1', d: '2', e: '30', f: '20', g: '10', h: '5', i: '-3' },
  ),
  'amounts as texts of NUMERIC, and the sum of the others with its digits': series(
    'revenue NUMERIC EUR',
    {
      ...{ a: '9.10', b: '8.10', c: '7.10', d: '6.10', e: '5.10', f: '4.10', g: '3.10' },
      ...{ h: '0.10', i: '0.20' },
    },
  ),
  'counts whose others have no row on one day': series('orders INT64', {
    ...{ a: '9', b: '9', c: '9', d: '9', e: '9', f: '9', g: '9', h: '2 · 2 2', i: '1 · · 1' },
  }),
  'counts whose others have no row on one day, where that means zero': series(
    'orders INT64',
    {
      ...{ a: '9', b: '9', c: '9', d: '9', e: '9', f: '9', g: '9', h: '2 · 2 2', i: '1 · · 1' },
    },
    { missing: 'zero' },
  ),

  // Totals.
  'a ROLLUP total of each day': series('orders INT64', ROLLUP),
  'a ROLLUP total of each day, and one of all days': (() => {
    const input = series('orders INT64', ROLLUP);
    return { ...input, rows: [...input.rows, { day: null, name: null, orders: 127 }] };
  })(),
  'eight series and their ROLLUP total: all eight': series('orders INT64', {
    ...{ null: '36', a: '1', b: '2', c: '3', d: '4', e: '5', f: '6', g: '7', h: '8' },
  }),
  'nine series and their ROLLUP total, which is in no sum': series('orders INT64', {
    ...{ null: '45', a: '1', b: '2', c: '3', d: '4', e: '5', f: '6', g: '7', h: '8', i: '9' },
  }),
  'a null name that is the sum on three days of four': series('orders INT64', {
    ...{ DE: '1 2 3 4', FR: '10 20 30 40', null: '11 22 33 45' },
  }),
  'a null name with the sum of averages, on every day': series('avg_price FLOAT64 EUR', {
    ...{ DE: '1 2 3 4', FR: '10 20 30 40', null: '11 22 33 44' },
  }),
  'a name that is empty and one that is null': series('orders INT64', {
    ...{ DE: '1 2 3 4', '': '10 20 30 40', null: '5 6 7 8' },
  }),

  // Chosen by the reader.
  'chosen averages, in the order of the rows': averages('FI', 'DE'),
  'chosen counts, and the sum of the others': counts('SE', 'FR'),
  'chosen names of which one does not exist': averages('XX', 'FR'),
  'chosen names that do not exist': averages('XX', 'de', ''),
  'no chosen names': counts(),
  'a name chosen twice': averages('FR', 'FR'),
  'more chosen averages than are drawn otherwise': averages(...COUNTRIES.slice(2).toReversed()),
  'all of twelve chosen': averages(...COUNTRIES),
  'all but one of twelve chosen': counts(...COUNTRIES.slice(0, 11)),
  'more chosen names than may be drawn: the first twenty': hosts('orders INT64', {
    drawn: HOSTS.slice(0, 21),
  }),
  'fewer chosen series than would be drawn otherwise': series(
    'avg_load FLOAT64',
    { c: '3', a: '1', b: '2' },
    { drawn: ['a'] },
  ),
  'chosen by the words for an empty name and for a null': series(
    'avg_price FLOAT64 EUR',
    { DE: '1', '': '2', null: '3', FR: '4' },
    { drawn: ['(none)', '(empty)'] },
  ),
  'chosen of two columns of text': daily(
    'country STRING, device STRING, avg_price FLOAT64 EUR',
    [1, 2, 3, 4].flatMap((day) =>
      DEVICES.map((name, index) => [`2026-11-0${day}`, ...name.split(' '), index]),
    ),
    { drawn: ['FR · desk', 'DE'] },
  ),

  // Several columns: one choice and one legend for all panels.
  'three units of each severity': daily(
    'severity STRING, alerts INT64, latency FLOAT64 ms, load FLOAT64 %',
    [1, 2, 3, 4].flatMap((day) => [
      [`2026-11-0${day}`, 'critical', 1, 300, 90],
      [`2026-11-0${day}`, 'warning', 5, 100, 95],
      [`2026-11-0${day}`, 'info', 9, 200, 10],
    ]),
  ),
  'counts and temperatures of nine trucks: the temperatures choose, because they have no sum':
    daily(
      'truck STRING, stops INT64, temperature FLOAT64 °C',
      [1, 2, 3, 4].flatMap((day) =>
        [2.4, -20.1, -20.2, -20.3, -20.4, -20.5, -20.6, -20.7, -20.8].map((temperature, index) => [
          `2026-11-0${day}`,
          `t${index + 1}`,
          index,
          temperature,
        ]),
      ),
    ),
  'two measured units of nine trucks: the first column chooses': daily(
    'truck STRING, temperature FLOAT64 °C, humidity FLOAT64 %',
    [1, 2, 3, 4].flatMap((day) =>
      [2.4, -20.1, -20.2, -20.3, -20.4, -20.5, -20.6, -20.7, -20.8].map((temperature, index) => [
        `2026-11-0${day}`,
        `t${index + 1}`,
        temperature,
        index === 7 ? 99 : 50,
      ]),
    ),
  ),
  'twelve trucks, of which two are warm: the second hides behind the first of no range': series(
    'temperature FLOAT64 °C',
    {
      ...{ t1: '-20', t2: '-20.15', t3: '-20.3', t4: '-20.4', t5: '-20.5', t6: '-20.6' },
      ...{ t7: '-20.7', t8: '-20.8', t9: '-20.95', t10: '-21.2', t11: '5', t12: '5.1' },
    },
  ),
  'nine trucks whose first measured column is empty: the second chooses': daily(
    'truck STRING, error_rate FLOAT64, temperature FLOAT64 °C',
    [1, 2, 3, 4].flatMap((day) =>
      [-20.1, -20.2, -20.25, -20.4, -20.5, -20.6, -20.7, -20.8, 20].map((temperature, index) => [
        ...[`2026-11-0${day}`, `t${index + 1}`, null, temperature],
      ]),
    ),
  ),
  'others that are there but have no number, where missing means zero': series(
    'orders INT64',
    {
      ...Object.fromEntries([...'abcdefg'].map((name) => [name, '100'])),
      ...{ h: 'null 1 1 1', i: 'null 1 1 1' },
    },
    { missing: 'zero' },
  ),
  'names that look the same': daily('name STRING, load FLOAT64', [
    ...[1, 2, 3, 4].map((day) => [`2026-11-0${day}`, 'c', day]),
    ...[
      ['2026-11-01', 'a b', 1],
      ['2026-11-02', 'a\tb', 50],
    ],
  ]),
  'a filter of a value: other rows are gaps, and names stay': series(
    'temperature FLOAT64',
    { t1: '5 -20 -20 8', t2: '-20 7 -20 -20', t3: '-20 -20 6 -20' },
    { kept: { rows: new Set([0, 4, 8, 9]), column: 'temperature' } },
  ),
  'a filter of a name: where it has no row is still zero': series(
    'orders INT64',
    { DE: '· 9 9 9', FR: '1 1 1 1' },
    { missing: 'zero', kept: { rows: new Set([1, 3, 5]), column: 'name' } },
  ),
  'a filter of some parts and totals: a total is no part': series('orders INT64', ROLLUP, {
    kept: { rows: new Set([3, 5, 7, 8, 10, 12, 14]), column: 'orders' },
  }),
  'a filter that keeps no row': series('orders INT64', ROLLUP, {
    kept: { rows: new Set(), column: 'name' },
  }),
  'a cut result that is newest first: the oldest day is not whole': daily(
    'orders INT64',
    [5, 4, 3, 2].map((day) => [`2026-11-0${day}`, day]),
    { isTruncated: true },
  ),
} satisfies Record<string, ChartInput>;
