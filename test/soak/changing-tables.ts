// Tables that change in all ways during a soak test, endpoints that depend on them alone, what can be asked, and what each answer must be.
import type { LocalBigQuery } from '../../scripts/local-bigquery/rest/server.ts';
import { pickOf } from '../support/random.ts';
import {
  type FakeSqlTree,
  endpointDefinition,
  parameter,
  rowOf,
} from '../support/sql/fake-sql-tree.ts';
import { CACHING_SECONDS, WARMING_SECONDS } from './settings.ts';
import type { Verdict } from './verdict.ts';
import { deleteRows, flush, streamRows } from '../support/bigquery/changed-rows.ts';

/** When the test begins, as the tables see it. */
export const NOW = '2026-11-20T10:07:30Z';
const SHOPS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const DAYS = ['2026-11-01', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
const PLAIN = { partitioning: null, requirePartitionFilter: false };
const BY_DAY = { ...PLAIN, partitioning: { type: 'DAY', field: 'day' } };
const TABLES = {
  stock_days: {
    endpoint: 'stock.days',
    definition: BY_DAY,
    from: "stock_days WHERE day >= '2026-01-01' AND",
  },
  stock_plain: { endpoint: 'stock.plain', definition: PLAIN, from: 'stock_plain WHERE' },
  'web.stock': {
    endpoint: 'stock.shards',
    definition: { ...PLAIN, shards: { prefix: 'stock_', format: 'YYYYMMDD' } },
    from: "`web.stock_*` WHERE _TABLE_SUFFIX >= '20260101' AND",
  },
};
/** A table whose endpoint keeps the rows of partitions that have not changed; all rows arrive late. */
const NEWEST = {
  name: 'stock_newest',
  endpoint: 'stock.newest',
  definition: { partitioning: { type: 'DAY', field: 'at' }, requirePartitionFilter: true },
  query: `SELECT DATE(stock.at) AS day, COUNT(*) AS \`rows\`, SUM(stock.n) AS sum FROM stock_newest AS stock
WHERE
  stock.at >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 60 DAY), DAY)
  AND stock.shop = @shop
GROUP BY day ORDER BY day`,
  warm: `SELECT keys.key, DATE(stock.at) AS day, COUNT(*) AS \`rows\`, SUM(stock.n) AS sum
FROM stock_newest AS stock
INNER JOIN UNNEST(@keys) AS keys ON stock.shop = keys.shop
WHERE
  stock.at >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(@now, INTERVAL 60 DAY), DAY)
  AND stock.at >= @since
GROUP BY keys.key, day ORDER BY key, day`,
} as const;
type Table = keyof typeof TABLES | 'stock_newest';
const ENDPOINTS: Record<Table, string> = {
  stock_days: TABLES.stock_days.endpoint,
  stock_plain: TABLES.stock_plain.endpoint,
  'web.stock': TABLES['web.stock'].endpoint,
  stock_newest: NEWEST.endpoint,
};
const NAMES = Object.keys(ENDPOINTS) as Table[];

interface StockRow {
  day: string;
  shop: string;
  n: number;
}

/** A request, and what determines its answer. */
export interface Question {
  table: Table;
  shop: string;
  /** The name of an endpoint, and its parameters. */
  target: string;
}

const question = (table: Table, shop: string, more = ''): Question => ({
  ...{ table, shop, target: `${ENDPOINTS[table]}?shop=${shop}${more}` },
});

export const QUESTIONS: readonly Question[] = NAMES.flatMap((table) =>
  SHOPS.map((shop) => question(table, shop)),
);

/** One that nobody has asked before: always a miss. Beside its shop it names one without rows. */
export function newQuestion(random: () => number): Question {
  const table = pickOf(Object.keys(TABLES) as (keyof typeof TABLES)[], random);
  return question(table, pickOf(SHOPS, random), `&other=nobody-${Math.floor(random() * 1e12)}`);
}

/** One for a new shop without rows: always a miss. */
export const newEmptyQuestion = (random: () => number): Question =>
  question(pickOf(NAMES, random), `nobody-${Math.floor(random() * 1e12)}`);

/** The question whose result is stored with these parameters; undefined if it is none of these endpoints. */
export function questionOf(
  endpoint: string,
  { shop = '' }: Readonly<Record<string, string>>,
): Question | undefined {
  const table = NAMES.find((name) => ENDPOINTS[name] === endpoint);
  return table && question(table, shop);
}

/** What a table holds from `begunMs`, when a change began, and surely from `doneMs`. */
interface State {
  begunMs: number;
  doneMs: number;
  rows: readonly StockRow[];
}

/** Adds the tables and an endpoint for each; only the query of one names a clock. */
export function addChangingTables(tree: FakeSqlTree): void {
  const shop = parameter({ required: true, example: 'a' });
  const common = {
    ...{ cachingSeconds: CACHING_SECONDS, cacheWarmingSeconds: WARMING_SECONDS },
    parameters: { shop },
  };
  const { name: newest, endpoint: name, definition: table, query, warm } = NEWEST;
  tree.source(newest, 'at TIMESTAMP, shop STRING, n INT64', table);
  const id = endpointDefinition().id.replace(/^1/, '9');
  const row = rowOf('day DATE, rows INT64, sum INT64');
  const bucket = { column: 'day', step: 'P1D', window: 'P60D', whole: true };
  const warming = { batchOver: ['shop'], maxKeys: 1000, incremental: {} };
  tree.endpoint({ ...common, id, name, row, bucket, warming }, query, warm);
  for (const [index, [name, { endpoint, definition, from }]] of Object.entries(TABLES).entries()) {
    tree.source(name, 'day DATE, shop STRING, n INT64', definition);
    tree.endpoint(
      {
        id: endpointDefinition().id.replace(/^1/, String(index + 2)),
        name: endpoint,
        ...common,
        parameters: { shop, other: parameter() },
        row: rowOf('rows INT64, sum INT64'),
      },
      `SELECT COUNT(*) AS \`rows\`, IFNULL(SUM(n), 0) AS sum FROM ${from} shop IN (@shop, @other)`,
    );
  }
}

/** The oracle: it knows the contents by their history, and asks neither the service nor the engine. */
export type ChangingTables = ReturnType<typeof createChangingTables>;

export function createChangingTables(
  bigquery: LocalBigQuery,
  random: () => number,
  { count }: Verdict,
) {
  const histories = new Map<Table, State[]>(
    NAMES.map((name) => [name, [{ begunMs: 0, doneMs: 0, rows: [] }]]),
  );
  const seen = new Set<string>();
  let rowNumber = 0;
  /** Tables with rows in their streaming buffer. */
  const streaming = new Set<Table>();

  /** One table changes; the others stay as they are for several runs of warming. */
  async function change(): Promise<void> {
    const table = pickOf(NAMES, random);
    const kind = pickOf(['load', 'stream', 'flush', 'delete', 'replace'], random);
    count(`changed: ${kind}`);
    const before = rowsOf(table);
    const gone = Math.floor(random() * before.length);
    if (kind === 'delete' || kind === 'replace')
      await enter(table, before.toSpliced(gone, 1), () =>
        deleteRows(bigquery, table, (_, place) => place === gone),
      );
    if (kind === 'flush') {
      if (streaming.delete(table)) await enter(table, before, () => flush(bigquery, table));
    } else if (kind !== 'delete') await add(table, kind === 'stream');
  }

  async function add(table: Table, isStream: boolean): Promise<void> {
    const added = Array.from({ length: 1 + Math.floor(random() * 3) }, (): StockRow => {
      rowNumber += 1;
      return { day: pickOf(DAYS, random), shop: pickOf(SHOPS, random), n: 1000 + rowNumber };
    });
    const written = added.map((one) => writtenRow(table, one));
    await enter(table, [...rowsOf(table), ...added], async () => {
      if (!isStream) return bigquery.appendRows(table, written);
      await streamRows(bigquery, table, written);
      // The buffer moves no partition: rows of an old one show when they leave it.
      if (table === 'stock_newest') flush(bigquery, table);
      else streaming.add(table);
    });
  }

  const rowsOf = (table: Table): readonly StockRow[] => histories.get(table)?.at(-1)?.rows ?? [];

  /** The table gets these rows while `work` runs; they are stored by partition or shard, where it has some. */
  async function enter(table: Table, rows: readonly StockRow[], work: () => unknown) {
    const stored = table === 'stock_plain' ? rows : byDay(rows);
    const state: State = { begunMs: Date.now(), doneMs: Infinity, rows: stored };
    histories.get(table)?.push(state);
    await work();
    state.doneMs = Date.now();
  }

  /** What is wrong with an answer: each row must be of a state that was current between the two instants. */
  function faultOf({ table, shop }: Question, body: string, fromMs: number, toMs: number) {
    const history = histories.get(table) ?? [];
    const possible = history.filter(({ begunMs }, index) => {
      const overMs = history[index + 1]?.doneMs ?? Infinity;
      return begunMs <= toMs && overMs >= fromMs;
    });
    // An incremental job reads the newest days; the others are as of the question before it.
    const mixed = ({ rows }: State, index: number) =>
      possible
        .slice(index)
        .flatMap((later) =>
          DAYS.map((since) => [
            ...rows.filter(({ day }) => day < since),
            ...later.rows.filter(({ day }) => day >= since),
          ]),
        );
    const contents =
      table === 'stock_newest' ? possible.flatMap(mixed) : possible.map(({ rows }) => rows);
    const expected = contents.map((rows) => bodyOf(table, rows, shop));
    count('answers compared');
    if (!shop.startsWith('nobody')) seen.add(`${table} ${shop} ${body}`);
    if (expected.includes(body)) return undefined;
    const known = history.findLastIndex(({ rows }) => bodyOf(table, rows, shop) === body);
    const what = known < 0 ? 'rows of no time' : `rows ${history.length - 1 - known} changes old`;
    return { what, now: expected.at(-1) };
  }

  return {
    change,
    faultOf,
    /** How many different answers there were. */
    answers: () => seen.size,
  };
}

function bodyOf(table: Table, rows: readonly StockRow[], shop: string): string {
  const own = rows.filter((row) => row.shop === shop);
  const totalOf = (some: readonly StockRow[]) => ({
    rows: some.length,
    sum: some.reduce((total, { n }) => total + n, 0),
  });
  if (table !== 'stock_newest') return JSON.stringify({ result: [totalOf(own)] });
  const days = DAYS.flatMap((day) => {
    const ofDay = own.filter((row) => row.day === day);
    return ofDay.length === 0 ? [] : [{ day, ...totalOf(ofDay) }];
  });
  return JSON.stringify({ result: days });
}

function writtenRow(table: Table, { day, ...row }: StockRow): object {
  if (table === 'stock_newest') return { at: `${day}T12:00:00Z`, ...row };
  const suffix = table === 'web.stock' ? { _TABLE_SUFFIX: day.replaceAll('-', '') } : {};
  return { day, ...row, ...suffix };
}

function byDay(rows: readonly StockRow[]): readonly StockRow[] {
  return rows.toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}
