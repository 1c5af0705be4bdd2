// Results of endpoints, and what a chart of each must show: reads `results.txt`, which explains how they are written.
import type { ChartInput } from '../../../functions/console/chart/plan/chart-plan.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';

interface Case {
  input: ChartInput;
  /** Lines. */
  shown: string;
}

const TEXTS = ['STRING', 'DATE', 'DATETIME', 'TIMESTAMP', 'NUMERIC'];
/** After all buckets, unless a case sets another time. */
const NOW = '2026-11-30T12:00:00Z';
const PARTS = readExpectations('test/console/chart/results.txt');

/** By its name. */
export const CASES: ReadonlyMap<string, Case> = new Map(
  Object.values(PARTS)
    .flat()
    .map(([text, shown]): [string, Case] => {
      const [name = '', line = ''] = text.split('\n');
      return [name, { shown, input: result(line) }];
    }),
);
/** The names of those that differ most. */
export const MAIN = (PARTS.results ?? []).map(([text]) => text.split('\n', 1)[0] ?? '');

export function inputOf(name: string): ChartInput {
  const { input } = CASES.get(name) ?? {};
  if (input === undefined) throw new Error(`results.txt has no "${name}".`);
  return input;
}

/** A line of `results.txt`. */
function result(line: string): ChartInput {
  const [list = '', options = '', rows = ''] = line.split(/ ?\| /);
  const columns = list.split(', ').map((column) => {
    const [name = '', type = '', unit] = column.split(' ');
    return { name, type, mode: 'NULLABLE', ...(unit === undefined ? {} : { unit }) };
  });
  const given = new Map(
    options.split(' ').map((option) => {
      const [name = '', value = ''] = option.split('=', 2);
      return [name, value];
    }),
  );
  const timeOf = (option: string): number | undefined =>
    given.has(option) ? Date.parse(given.get(option) ?? '') : undefined;
  const listOf = (text: string | undefined): string[] | undefined =>
    text === '' ? [] : text?.split(',');
  const step = [...given.keys()].find((key) => /^PT?\d/.test(key));
  const [keptColumn = '', kept] = given.get('kept')?.split(':') ?? [];
  return {
    columns,
    rows: rowsOf(rows).map((values) =>
      Object.fromEntries(columns.map(({ name, type }, at) => [name, valueOf(values[at], type)])),
    ),
    bucket:
      step === undefined
        ? undefined
        : {
            ...{ column: columns[0]?.name ?? '', step, zone: given.get('query') },
            missing: given.has('zero') ? 'zero' : undefined,
          },
    timeZone: given.get('zone') ?? 'UTC',
    computedAtMs: timeOf('now') ?? Date.parse(NOW),
    windowStartMs: timeOf('window'),
    isTruncated: given.has('cut'),
    kept: kept === undefined ? undefined : keptOf(keptColumn, listOf(kept)),
    drawn: listOf(given.get('drawn'))?.map((name) => name.replaceAll('_', ' ')),
  };
}

function keptOf(column: string, rows: readonly string[] = []): ChartInput['kept'] {
  return { column, rows: new Set(rows.map(Number)) };
}

/** The texts of the values of each row. */
function rowsOf(text: string): string[][] {
  const [, kind, list = ''] = /^(?:(\w+): )?(.*)$/s.exec(text) ?? [];
  // At spaces, but not of those in quotes.
  const rows = list
    .split('; ')
    .flatMap(counted)
    .map((row): string[] => row.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []);
  const [first = []] = rows;
  if (kind === undefined) return rows.filter(({ length }) => length > 0);
  if (kind === 'at') return first.map((time, index) => [time, `${index}`]);
  const valued =
    kind === 'hours'
      ? first.map((value, index) => [`h${10 + index}`, value])
      : [0, 1, 2, 3].flatMap((day) =>
          rows.map(([name = '', only = '', ...others]) => [
            ...[`d${day + 1}`, name, others.length === 0 ? only : ([only, ...others][day] ?? '')],
          ]),
        );
  return valued
    .filter((row) => row.at(-1) !== '·')
    .map((row) => [...row.slice(0, -1), ...(row.at(-1)?.split(',') ?? [])]);
}

/** `host-1…3 1…3` is three rows. */
function counted(row: string): string[] {
  const [, first, last] = /(\d+)…(\d+)/.exec(row) ?? [];
  const count = first === undefined ? 0 : Math.abs(Number(last) - Number(first));
  return Array.from({ length: count + 1 }, (_, index) =>
    row.replaceAll(/(\d+)…(\d+)/g, (__, from: string, to: string) =>
      String(Number(from) + (Number(from) < Number(to) ? index : -index)),
    ),
  );
}

function valueOf(text: string | undefined, type: string): unknown {
  if (text === undefined || text === 'null') return null;
  if (/^["{]/.test(text)) return JSON.parse(text);
  if (TEXTS.includes(type))
    return text
      .replace(/^d(\d+)$/, (_, day: string) => `2026-11-${day.padStart(2, '0')}`)
      .replace(/^h(\d\d)$/, '2026-11-22T$1:00:00Z');
  const number = Number(text);
  // As BigQuery's JSON has them.
  const isText = !Number.isFinite(number) || (type === 'INT64' && !Number.isSafeInteger(number));
  return isText ? text : number;
}
