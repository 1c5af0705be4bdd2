// The tables of docs/reference/cost.md: prices, the example, and what each endpoint and interval of the service reads.
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { SETTINGS } from '../../../functions/config.ts';
import { costUsd } from '../../../functions/endpoints/query-cost.ts';
import { checkEndpoint } from '../../../scripts/check/check-endpoint.ts';
import { gbText, usdText } from '../../../scripts/check/cost/cost-table.ts';
import { type EndpointCost, endpointCost } from '../../../scripts/check/cost/endpoint-cost.ts';
import { scanWindows } from '../../../scripts/check/scan-windows.ts';
import { projectPath } from '../../../scripts/cli/project.ts';
import { inspectCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { startGoogleSql } from '../../../scripts/local-bigquery/index.ts';
import { readSources } from '../../../scripts/sources/read-sources.ts';
import bench from '../../bench/incremental.json' with { type: 'json' };
import example from './cost-example.json' with { type: 'json' };
import { code, table } from './markdown.ts';

type Partition = keyof typeof bench;
const PARTITIONS = ['HOUR', 'DAY'] as const;
const { letters, gbPerDay } = example;
const prices = { ...example.prices, tib: Number(SETTINGS.pricePerTib.default) };
const MIB = 2 ** 20;

/** One row for each interval of an endpoint, and one for all of them. */
export interface IntervalCost extends Pick<EndpointCost, 'name' | 'call' | 'warming'> {
  interval: string | undefined;
}

let estimated: Promise<Record<Partition, IntervalCost[]>> | undefined;

/** For tables with partitions of each kind; computed once. */
export function intervalCosts(): Promise<Record<Partition, IntervalCost[]>> {
  return (estimated ??= estimate());
}

async function estimate() {
  const engine = await startGoogleSql();
  const nowMs = Date.parse(example.now);
  const found: Record<Partition, IntervalCost[]> = { HOUR: [], DAY: [] };
  try {
    for (const type of PARTITIONS) {
      const sources = (await readSources(projectPath('sql/sources'))).map((source) => {
        const partitioning = { type, field: 'timestamp' };
        return { ...source, definition: { ...source.definition, partitioning } };
      });
      const { endpoints } = inspectCatalogue(projectPath('sql'));
      for (const one of endpoints.filter(({ folder }) => example.endpoints.includes(folder))) {
        const { endpoint, queries } = await checkEndpoint(engine, sources, one);
        if (endpoint === undefined) throw new Error(`${one.folder} has faults.`);
        const { interval: chosen, ...others } = endpoint.parameters;
        for (const interval of [...(chosen?.enum ?? []), undefined]) {
          const listed = chosen && interval ? { ...chosen, enum: [interval] } : chosen;
          const parameters = { ...others, ...(listed && { interval: listed }) };
          const of = { ...endpoint, parameters };
          const { all: reads } = await scanWindows(engine, of, queries, nowMs);
          const sizes = { gbPerDay, pricePerTib: prices.tib };
          const cost = await endpointCost(engine, of, queries, { reads, nowMs }, sizes);
          if (cost) found[type].push({ ...cost, interval });
        }
      }
    }
    return found;
  } finally {
    await engine.close();
  }
}

export async function intervalTable(): Promise<string> {
  const { HOUR, DAY } = await intervalCosts();
  const cell = (cost?: EndpointCost['call']): string =>
    cost ? `${gbText(cost.bytes)}, US$${usdText(cost.usd)}` : '';
  const rows = HOUR.map((byHour, index) => {
    const { name, interval } = byHour;
    const byDay = DAY[index];
    const costs = [byHour.call, byHour.warming, byDay?.call, byDay?.warming].map(cell);
    return [`${code(name)}, ${interval ? code(interval) : 'all intervals'}`, ...costs];
  });
  const header = ['a call, by HOUR', 'warming, by HOUR', 'a call, by DAY', 'warming, by DAY'];
  return table(['endpoint and interval', ...header], rows);
}

/** Of a line of the formula, as the page has it, with the letters of the example. */
export function formulaValue(name: string): number {
  const page = readFileSync(projectPath('docs/reference/cost.md'), 'utf8');
  const [, line = ''] = new RegExp(`^${name} +[=≤] (.*)$`, 'm').exec(page) ?? [];
  const text = line
    .replaceAll('×', '*')
    .replaceAll('÷', '/')
    .replaceAll(/,(?=\d{3})/g, '');
  return runInNewContext(text, { ...letters, min: Math.min }) as number;
}

interface Item {
  item: string;
  amount: string;
  usd: number;
}

export async function exampleItems(): Promise<Item[]> {
  const { HOUR } = await intervalCosts();
  const calls = HOUR.filter(({ interval }) => interval !== undefined).map(({ call }) => call.bytes);
  const bytesOfCall = calls.reduce((sum, bytes) => sum + bytes) / calls.length;
  const { changes, full, question } = bench.HOUR;
  const warming = (changes + full + question) * 1e9;
  const missed = letters.M * bytesOfCall;
  const [reads, writes] = ['reads', 'writes'].map((kind) => formulaValue(`Firestore ${kind}`)) as [
    number,
    number,
  ];
  const [vcpu, gib] = [formulaValue('vCPU seconds'), formulaValue('GiB seconds')];
  const count = (number: number): string => Math.round(number).toLocaleString('en');
  return [
    {
      item: 'BigQuery, warming',
      amount: `${count(288 * letters.G)} jobs and ${count(288 * letters.D)} questions, ${gbText(warming)}`,
      usd: costUsd(warming, prices.tib),
    },
    {
      item: 'BigQuery, misses',
      amount: `${letters.M} jobs of at most ${gbText(bytesOfCall)} on average, ${gbText(missed)}`,
      usd: costUsd(missed, prices.tib),
    },
    {
      item: 'Firestore reads',
      amount: `at most ${count(reads)}`,
      usd: (reads / 1e5) * prices.reads,
    },
    {
      item: 'Firestore writes',
      amount: `at most ${count(writes)}`,
      usd: (writes / 1e5) * prices.writes,
    },
    {
      item: 'function time',
      amount: `at most ${count(vcpu)} vCPU seconds and ${count(gib)} GiB seconds`,
      usd: vcpu * prices.vcpuSecond + gib * prices.gibSecond,
    },
    {
      item: 'requests to functions',
      amount: count(letters.R + 288),
      usd: ((letters.R + 288) / 1e6) * prices.requests,
    },
  ];
}

export async function exampleTable(): Promise<string> {
  const items = await exampleItems();
  const total = items.reduce((sum, { usd }) => sum + usd, 0);
  const rows = items.map(({ item, amount, usd }) => [item, amount, usd.toFixed(2)]);
  return table(
    ['item', 'amount', 'US$'],
    [...rows, ['**total of a day**', '', `**${total.toFixed(2)}**`]],
  );
}

export function priceTable(): string {
  return table(
    ['price of', 'US$'],
    [
      ['a TiB that BigQuery reads', usdText(prices.tib)],
      ['100,000 Firestore reads', usdText(prices.reads)],
      ['100,000 Firestore writes', usdText(prices.writes)],
      ['100,000 Firestore deletions', usdText(prices.deletions)],
      ['1,000,000 requests to functions', usdText(prices.requests)],
      ['a vCPU second of a function', prices.vcpuSecond.toFixed(6)],
      ['a GiB second of a function', prices.gibSecond.toFixed(7)],
    ],
  );
}

export function benchTable(): string {
  const rows = PARTITIONS.map((type) => {
    const { jobs, changes, full, question, ofGroups } = bench[type];
    const usd = costUsd((changes + full + question) * 1e9, prices.tib);
    const usdOfGroups = costUsd(ofGroups * 1e9, prices.tib);
    return [
      ...[type, String(jobs), ...[changes, full, question].map((gb) => gbText(gb * 1e9))],
      usdText(usd),
      `${(288 * 9).toLocaleString('en')} jobs, ${gbText(ofGroups * 1e9)}, US$${usdText(usdOfGroups)}`,
      (usdOfGroups / usd).toFixed(1),
    ];
  });
  const header = ['partitions', 'jobs', 'changes', 'all rows', 'question', 'US$ a day'];
  return table([...header, 'a full job for each interval', 'ratio'], rows);
}

/** A result of 6 MiB after gzip, in seven parts: eight documents. */
export function largeResultTable(): string {
  const row = (item: string, documents: number, price: number): string[] => [
    item,
    documents.toLocaleString('en'),
    usdText(Number(((documents / 1e5) * price).toFixed(4))),
  ];
  const rows = [
    row('refreshes: 288 × 8 writes', 288 * 8, prices.writes),
    row('reads of the instance: 5,760 × 8', 5760 * 8, prices.reads),
    row('deletions: 288 × 7', 288 * 7, prices.deletions),
  ];
  return table(['item', 'documents', 'US$'], rows);
}

/** 30 days of a query that reads 3 GB of a table that is loaded once a night. */
export function nightlyTable(): string {
  const row = (item: string, jobs: number, bytes: number): string[] => {
    const read = jobs * bytes * 30;
    return [item, String(jobs), gbText(read), costUsd(read, prices.tib).toFixed(2)];
  };
  const rows = [
    row('`WARM_UNCHANGED=off`', 288, 3e9),
    row('`on`: the query', 5, 3e9),
    row('`on`: detecting changes', 288, 10 * MIB),
  ];
  return table(['', 'jobs a day', 'read in 30 days', 'US$'], rows);
}
