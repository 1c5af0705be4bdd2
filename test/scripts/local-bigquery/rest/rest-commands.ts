// The commands of the transcripts of the local BigQuery: its tables, requests to its REST API, and what is asked of its engine.
import { errorMessage } from '../../../../functions/core/errors.ts';
import { evaluatedOnce } from '../../../../scripts/local-bigquery/dialect/rewrites/evaluated-once.ts';
import { lineAndColumn } from '../../../../scripts/faults/text-place.ts';
import type { LocalBigQuery, LocalTable } from '../../../../scripts/local-bigquery/rest/server.ts';
import type { Cell, Row } from '../../../../scripts/local-bigquery/values/engine-values.ts';
import type { TableDefinition } from '../../../../scripts/local-bigquery/values/table-definition.ts';
import type { TableField } from '../../../../scripts/local-bigquery/values/table-schema.ts';
import { PLAIN_TABLE } from '../../../../scripts/sources/read-definition.ts';
import { deleteRows, flush, streamRows } from '../../../support/bigquery/changed-rows.ts';
import { startLocalBigQuery } from '../../../support/bigquery/local-bigquery.ts';
import { sharedEngine } from '../../../support/bigquery/shared-engine.ts';
import { wordsOf } from '../../../support/command.ts';
import { columns } from '../../../support/sql/columns.ts';
import type { Command } from '../../../support/sql/transcripts.ts';

interface Answer {
  error?: { code: number; message: string; errors: { reason: string }[] };
  errors?: { reason: string; message: string }[];
  schema: { fields: TableField[] };
  rows?: Row[];
  totalBytesProcessed: string;
  totalBytesBilled: string;
  queryId?: string;
  statistics?: { totalBytesProcessed: string };
}

interface Fields extends Partial<TableDefinition>, Pick<LocalTable, 'viewOf' | 'rowsMax'> {
  count?: number;
}

type Asking = (...args: Parameters<Command>) => Promise<string>;

const cells = ({ f }: Row): Cell[] => f.map(({ v }) => v);
/** Of a column whose values are no lists. */
const first = (row: Row): string => (cells(row)[0] as string | null) ?? 'NULL';
const json = (values: unknown[]): string => values.map((one) => JSON.stringify(one)).join('\n');
const line = (text: string): string => `${text}\n`;

const failureOf = ({ error }: Answer): string | undefined =>
  error && `${error.code} ${error.errors[0]?.reason}: ${error.message}`;

/** Those of one transcript, with a clock, tables and jobs of its own. */
export function restCommands(): Record<string, Command> {
  let nowMs = Date.parse('2026-11-20T10:15:00Z');
  let dataset: string | undefined = 'logs';
  let bytesMax: number | undefined;
  const tables: LocalTable[] = [];
  let started: Promise<LocalBigQuery> | undefined;
  /** Jobs wait for this; open unless a test closes it. */
  let gate = Promise.withResolvers<void>();
  gate.resolve();

  /** With the tables that are declared before the first step that needs it. */
  function bigquery(): Promise<LocalBigQuery> {
    started ??= startLocalBigQuery({
      ...{ tables, ...(bytesMax && { bytesMax }), clock: { nowMs: () => nowMs } },
      beforeRun: () => gate.promise,
      queryMs: ({ endpoint }) => (endpoint === 'slow' ? 60_000 : 0),
    });
    return started;
  }

  async function call(method: string, path: string, body?: string) {
    const { url } = await bigquery();
    const init = { method, ...(body !== undefined && { body }) };
    const response = await fetch(`${url}/bigquery/v2/projects/test-project/${path}`, init);
    return { status: response.status, body: (await response.json()) as Answer };
  }

  const defaults = () => ({
    useLegacySql: false,
    ...(dataset !== undefined && { defaultDataset: { datasetId: dataset } }),
    formatOptions: { useInt64Timestamp: true },
  });

  /** Parameters are written as `TYPE:value`, or `TYPE` alone; `limit` is the most bytes. */
  async function ask(query: string, { limit, ...parameters }: Record<string, string> = {}) {
    const queryParameters = Object.entries(parameters).map(([name, text]) => {
      const [, array, type, value] = /^(ARRAY<)?(\w+)>?(?::(.*))?$/s.exec(text) ?? [];
      const parameterType = array ? { type: 'ARRAY', arrayType: { type } } : { type };
      return { name, parameterType, ...(value !== undefined && { parameterValue: { value } }) };
    });
    const more = { query, queryParameters, ...(limit && { maximumBytesBilled: limit }) };
    const { body } = await call('POST', 'queries', JSON.stringify({ ...defaults(), ...more }));
    return body;
  }

  /** A query says what `say` makes of its answer, or why it fails. */
  const query =
    (say: (answer: Answer) => string): Asking =>
    async (_, args, input, env) => {
      const answer = await ask(`${args}\n${input}`.trim(), env);
      return line(failureOf(answer) ?? say(answer));
    };
  const rows = query(({ rows: all = [] }) => json(all.map(cells)));
  const read = query(({ rows: all = [], totalBytesProcessed: bytes }) => {
    return `${all.map(first).join(' ') || 'nothing'}: ${bytes} bytes`;
  });

  /**
   * As they stand there, or so many, one line after the other: `{n}` is the number of the row, `{t}` a time that is twelve minutes after
   * that of the row before, and `{m*9}` a text of that length. `= NAME` are the rows of another table.
   */
  function rowsOf(input: string, count?: number): object[] {
    const lines = input.split('\n').filter((one) => one !== '');
    const other = tables.find(({ name }) => input === `= ${name}`);
    if (other !== undefined) return other.rows as object[];
    return Array.from({ length: count ?? lines.length }, (_, n) => {
      const time = new Date(Date.parse('2026-11-11T00:00:00Z') + n * 720_000).toISOString();
      const text = lines[n % lines.length] ?? '';
      const filled = text.replaceAll(
        /\{([a-z])(?:\*(\d+))?\}/g,
        (_all, letter: string, times = '') =>
          letter === 'n' ? String(n) : letter === 't' ? time : letter.repeat(Number(times)),
      );
      return JSON.parse(filled) as object;
    });
  }

  /** The id of the last query. */
  let last = '';
  /** `POST path body`; in a path, LAST is the id of the query before. */
  const send: Asking = async (_, args) => {
    const [, method = '', path = '', body] = /^(\w+) (\S*) ?(.*)$/s.exec(args) ?? [];
    const answer = await call(
      method,
      path.replace('LAST', last),
      method === 'GET' ? undefined : body,
    );
    last = answer.body.queryId ?? last;
    return line(`${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const insert: Asking = (tree, args, sql, env) => {
    const [jobId, more = '{}'] = wordsOf(args);
    const configuration = { ...(JSON.parse(more) as object), query: { ...defaults(), query: sql } };
    const job = { ...(jobId && { jobReference: { jobId } }), configuration };
    return send(tree, `POST jobs ${JSON.stringify(job)}`, '', env);
  };

  return {
    now: (_, time) => void (nowMs = Date.parse(time)),
    in: (_, name) => void (dataset = name || undefined),
    limit: (_, bytes) => void (bytesMax = Number(bytes)),
    close: () => void (gate = Promise.withResolvers()),
    open: () => void gate.resolve(),
    /** Its columns in the short form, its definition, and its rows. */
    table(_, args, input) {
      const [name = '', list = '', fields = '{}'] = wordsOf(args);
      const { count, viewOf, rowsMax, ...definition } = JSON.parse(fields) as Fields;
      const more = { ...(viewOf && { viewOf }), ...(rowsMax && { rowsMax }) };
      const all = { ...PLAIN_TABLE, ...definition };
      const own = viewOf ? {} : { rows: rowsOf(input, count) };
      tables.push({ name, fields: columns(list), definition: all, ...own, ...more });
      return undefined;
    },
    async append(_, name, input) {
      const { appendRows } = await bigquery();
      const appended = Promise.resolve().then(() => appendRows(name, rowsOf(input)));
      return appended.then(() => '', errorMessage);
    },
    stream: async (_, name, input) =>
      streamRows(await bigquery(), name, rowsOf(input)).then(() => ''),
    async flush(_, name) {
      flush(await bigquery(), name);
      return '';
    },
    /** The rows of a partition, and one by its number. */
    async delete(_, args) {
      const [name = '', partition, number] = wordsOf(args);
      deleteRows(await bigquery(), name, (id, row) => id === partition || row === Number(number));
      return '';
    },
    ...{ text: rows, rows, read, send, insert },
    bytes: query(({ totalBytesProcessed }) => totalBytesProcessed),
    billed: query(({ totalBytesBilled }) => totalBytesBilled),
    cut: query(({ errors = [] }) => errors.map((one) => `${one.reason} ${one.message}`).join()),
    schema: query(({ schema }) => json(schema.fields)),
    value: (tree, expression, ...more) =>
      query(({ schema, rows: [row] = [] }) => {
        const [{ type, mode } = { type: '' }] = schema.fields;
        return `${type} ${mode} ${json(row ? cells(row) : [])}`;
      })(tree, `SELECT ${expression} AS x`, ...more),
    /** The same of each table: its bytes. */
    async each(tree, args, input, env) {
      const said = tables.map(({ name }) => read(tree, args, input.replace('TABLE', name), env));
      const found = (await Promise.all(said)).map((one) => /^(.*): (\d+) bytes/.exec(one) ?? []);
      const distinct = new Set(found.map(([, shown]) => shown));
      return line(
        `${[...distinct].join(' or ')}: ${found.map(([, , bytes]) => bytes).join(' ')} bytes`,
      );
    },
    async dry(_, args, input) {
      const job = { dryRun: true, query: { ...defaults(), query: `${args}\n${input}`.trim() } };
      const { body } = await call('POST', 'jobs', JSON.stringify({ configuration: job }));
      return line(failureOf(body) ?? String(body.statistics?.totalBytesProcessed));
    },
    async twice(tree, args, input, env) {
      const both = await Promise.all([1, 2].map(() => insert(tree, args, input, env)));
      return both.sort().join('');
    },
    /** `TABLE 20261119: 2 rows, 32 bytes, 10:00` for each line of INFORMATION_SCHEMA.PARTITIONS. */
    async partitions(_, of) {
      const { rows: all = [] } = await ask(
        `SELECT FORMAT('%s %t: %d rows, %d bytes, %s', table_name, partition_id, total_rows, total_logical_bytes,
        FORMAT_TIMESTAMP('%R', last_modified_time))
      FROM ${of || '`test-project.logs`'}.INFORMATION_SCHEMA.PARTITIONS ORDER BY table_name, partition_id`,
      );
      return all.map((row) => line(first(row))).join('');
    },
    /** Where a query reads tables: the place of each name, counted in characters, the columns needed, and those with conditions. */
    async scans(_, args, input) {
      const sql = `${args}\n${input}`.trim();
      const { scans } = await (await sharedEngine()).analyze({ sql, tables });
      const shown = scans.map(({ table, offset, columns: needed, conditions }) => {
        const { line: at, column } = lineAndColumn(sql, offset);
        return line(
          `${table} at ${at}:${column}: ${needed.join() || 'nothing'} by ${[...conditions.keys()].join() || 'nothing'}`,
        );
      });
      return shown.join('');
    },
    /** What is evaluated before the query, and the query. */
    async stages(_, sql) {
      const { resolved } = await (await sharedEngine()).analyze({ sql, tables, withTree: true });
      const staged = evaluatedOnce(sql, resolved);
      return [...staged.stages.map((stage) => stage.sql.trim()), staged.sql].map(line).join('');
    },
  };
}
