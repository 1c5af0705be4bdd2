// Asks BigQuery for the state of tables, so that a run computes only what has changed.
import { readFileSync } from 'node:fs';
import { eachLimit } from '../core/each-limit.ts';
import { sha256Hex } from '../core/bytes.ts';
import {
  type DescribeTable,
  type QueryRequest,
  type QueryRunner,
  type TableMetadata,
  splitLast,
} from '../core/query-runner.ts';
import type { SourceStates } from '../core/result-store.ts';
import type { Uses } from '../core/services.ts';

interface QuestionDeps extends Uses<'clock' | 'log'> {
  queryRunner: Pick<QueryRunner, 'run'>;
  describeTable: DescribeTable;
}

export interface Answer {
  /** Undefined if not even BigQuery's time is known. */
  states: SourceStates | undefined;
  jobs: number;
  bytes: number;
}

export interface Question {
  /** Names as `placesOf` writes them. */
  tables: readonly string[];
  views?: readonly string[];
  untilMs: number;
  /** The day from which partitions are listed: `20261127`; none without it. */
  fromDay?: string | undefined;
  /** By which column each table must be partitioned, so that its partitions are listed. */
  columns?: readonly [table: string, column: string][] | undefined;
}

export type Ask = ReturnType<typeof createAsk>;

type Partitions = ReadonlyMap<string, ReturnType<typeof partitionsIn>> | undefined;

/** A longer wait would leave too little time for the other work of a run. */
const ASK_MS_MAX = 30_000;
const QUESTIONS_AT_ONCE = 8;
const TABLES_AT_ONCE = 8;
/** Shards without partitions are described one by one; with more of them, a source counts as changed. */
const SHARDS_MAX = 400;

const TIME = 'SELECT CURRENT_TIMESTAMP() AS asked_at';
const TIME_COLUMNS = [{ name: 'asked_at', type: 'TIMESTAMP' }];

const NAMED = 'table_name IN UNNEST(@names)';
const PREFIXED =
  'EXISTS (SELECT 1 FROM UNNEST(@names) AS prefix WHERE STARTS_WITH(table_name, prefix))';

/** Read with the first question: `query`, which asks none, does not wait for it at its start. */
let partitionsSql: string | undefined;
const PARTITION_COLUMNS = [
  { name: 'table_name', type: 'STRING' },
  { name: 'is_partitioned', type: 'BOOL' },
  { name: 'is_streaming', type: 'BOOL' },
  { name: 'digest', type: 'STRING' },
  { name: 'listed', type: 'STRING' },
];

/** Never rejects: tables of unknown state are left out. A view has the state of its definition. */
export function createAsk({ queryRunner, describeTable, clock, log }: QuestionDeps) {
  /** Tables that the log has named: one line for each of them and instance is enough. */
  const inLog = new Set<string>();

  return async (question: Question): Promise<Answer> => {
    const { tables, views = [], untilMs, fromDay = '', columns = [] } = question;
    const nowMs = clock.nowMs();
    // A short budget is left mostly to the queries.
    const deadlineMs = nowMs + Math.min(ASK_MS_MAX, (untilMs - nowMs) / 4);
    const answer: Answer = { states: undefined, jobs: 0, bytes: 0 };
    const byTable = new Map<string, string>();
    const byView = new Map<string, string>();
    const partitions = new Map<string, ReadonlyMap<string, string>>();
    try {
      const [time] = await query(answer, deadlineMs, { sql: TIME, parameters: {} }, TIME_COLUMNS);
      const askedAtMs = Math.floor(Number(time?.[0] ?? NaN) / 1000);
      if (Number.isNaN(askedAtMs)) throw new Error('BigQuery did not return its time.');
      // Wildcards are asked about separately: the view refuses a query over more than 1,000 tables.
      const groups = Map.groupBy(new Set(tables), (table) =>
        isPrefix(table) ? `${datasetOf(table)}*` : datasetOf(table),
      );
      await eachLimit([...groups.values()], QUESTIONS_AT_ONCE, async (group) => {
        const partitionsByName = await askPartitions(group);
        await eachLimit(group, TABLES_AT_ONCE, async (table) => {
          const { isPartitioned, listed } = partitionsByName?.get(nameOf(table)) ?? {};
          if (isPartitioned && listed) partitions.set(table, listed);
          const state = await stateOf(table, partitionsByName).catch((error: unknown) => {
            // The partitions of a materialised view, or of a snapshot, do not show the rows that it adds.
            partitions.delete(table);
            notKnown(table, 'It is not known whether a table has changed.', error);
            return undefined;
          });
          if (state !== undefined) byTable.set(table, state);
        });
      });
      await eachLimit(views, TABLES_AT_ONCE, async (view) => {
        const described = await describe(view).catch((error: unknown) =>
          notKnown(view, 'It is not known whether a view has changed.', error),
        );
        if (described?.type === 'VIEW') byView.set(view, digestOf(described));
      });
      return { ...answer, states: { askedAtMs, byTable, byView, partitions } };
    } catch (error) {
      notKnown('', 'BigQuery cannot be asked which tables have changed.', error);
      return answer;
    }

    /** Of tables, or of wildcards, of one dataset: by the name of the table; undefined if the query fails. */
    async function askPartitions(group: readonly string[]): Promise<Partitions> {
      const [first = ''] = group;
      const dataset = datasetOf(first);
      const parts = { dataset, condition: isPrefix(first) ? PREFIXED : NAMED };
      const names = group.map((table) => nameOf(table).replace('*', ''));
      partitionsSql ??= readFileSync(`${import.meta.dirname}/partitions.sql`, 'utf8');
      const sql = partitionsSql.replaceAll(
        /\{(dataset|condition)\}/g,
        (_, name: keyof typeof parts) => parts[name],
      );
      const parameters = { names, from_day: fromDay };
      const bound = { sql, parameters, types: { names: 'ARRAY<STRING>' as const } };
      try {
        const rows = await query(answer, deadlineMs, bound, PARTITION_COLUMNS);
        return new Map(rows.map((row) => [String(row[0]), partitionsIn(row)]));
      } catch (error) {
        const instead = 'Tables are described instead, and wildcards count as changed.';
        notKnown(dataset, `The partitions of a dataset cannot be read. ${instead}`, error);
        return undefined;
      }
    }

    /**
     * Undefined if the table may be changing: rows in a streaming buffer have no state. Throws for what is no table. Of a
     * wildcard, the shards that have partitions are not described.
     */
    async function stateOf(table: string, partitions: Partitions): Promise<string | undefined> {
      const name = nameOf(table);
      const isOne = !isPrefix(name);
      if (!isOne && partitions === undefined) return undefined;
      const shards = isOne
        ? [name]
        : [...(partitions?.keys() ?? [])].filter((shard) => shard.startsWith(name.slice(0, -1)));
      const alone = shards.filter((shard) => isOne || !partitions?.get(shard)?.isPartitioned);
      if (alone.length > SHARDS_MAX) throw new Error(`It has more than ${SHARDS_MAX} shards.`);
      const described = new Map<string, TableMetadata>();
      await eachLimit(alone, TABLES_AT_ONCE, async (shard) => {
        const metadata = await describe(`${datasetOf(table)}.${shard}`);
        if (isOne) leaveOutOthers(table, metadata);
        const { type } = metadata;
        if (type !== 'TABLE')
          throw new Error(`${shard} is not a table: it is of the type ${type}.`);
        described.set(shard, metadata);
      });
      const isStreaming = shards.some(
        (shard) => partitions?.get(shard)?.isStreaming || described.get(shard)?.isStreaming,
      );
      // Both, because they were read at different times: rows may have left the streaming buffer in between.
      if (isStreaming) return undefined;
      const digest = (shard: string) => partitions?.get(shard)?.digest;
      return digestOf(shards.map((shard) => [shard, digest(shard), described.get(shard)]));
    }

    /** Partitions by another column do not show which buckets have changed. */
    function leaveOutOthers(table: string, { partitionColumn: own = '' }: TableMetadata): void {
      for (const [, column] of columns.filter(([one]) => one === table)) {
        if (column.toLowerCase() === own.toLowerCase() || !partitions.delete(table)) continue;
        const error = new Error(`table.json says ${column}, and BigQuery ${own || 'no column'}.`);
        notKnown(table, 'The partition column of a table is another one.', error);
      }
    }

    function describe(table: string): Promise<TableMetadata> {
      const { before: project = '', last: dataset } = splitLast(datasetOf(table));
      return describeTable({ project, dataset, table: nameOf(table) }, deadlineMs);
    }
  };

  /** The rows, as texts. */
  async function query(
    answer: Answer,
    deadlineMs: number,
    bound: Pick<QueryRequest, 'sql' | 'parameters' | 'types'>,
    columns: QueryRequest['columns'],
  ): Promise<unknown[][]> {
    const values: unknown[][] = [];
    answer.jobs += 1;
    const { bytesProcessed } = await queryRunner.run({
      ...bound,
      endpoint: 'warm.question',
      cause: 'warm',
      columns,
      rowCountMax: Number.MAX_SAFE_INTEGER,
      onPage: ({ rows }) => {
        for (const { f } of rows) values.push(f.map(({ v }) => v));
        return Promise.resolve();
      },
      deadlineMs,
    });
    answer.bytes += bytesProcessed;
    return values;
  }

  function notKnown(table: string, message: string, error: unknown): void {
    // A view and a table, or a dataset, may have one name.
    const once = `${message} ${table}`;
    if (inLog.has(once)) return;
    inLog.add(once);
    const fields = { event: 'source_state_unknown', ...(table !== '' && { table }), error };
    log.write('WARNING', message, fields);
  }
}

/** Of the row of the view for one table. */
function partitionsIn([, isPartitioned, isStreaming, digest, listed]: readonly unknown[]) {
  // `20261126:0123456789abcdef,…`
  const pairs = typeof listed === 'string' ? listed.split(',').map((pair) => pair.split(':')) : [];
  return {
    isPartitioned: isPartitioned === 'true',
    isStreaming: isStreaming === 'true',
    digest: String(digest),
    /** The digest of each partition that was asked for, by its id. */
    listed: new Map(pairs.map(([id = '', one = '']) => [id, one])),
  };
}

function digestOf(value: unknown): string {
  return sha256Hex(JSON.stringify(value));
}

function isPrefix(name: string): boolean {
  return name.endsWith('*');
}

function datasetOf(table: string): string {
  return splitLast(table).before ?? '';
}

function nameOf(table: string): string {
  return splitLast(table).last;
}
