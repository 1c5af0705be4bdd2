// Runs a query over tables that have more rows than the engine takes at once: part by part, if the answers can be put together.
import { applyEdits, isWord, tokens } from '../../lexer/sql-tokens.ts';
import { inlineWith } from '../dialect/rewrites/inline-with.ts';
import { type PartialQuery, partialQueries } from '../dialect/rewrites/partial-queries.ts';
import type { EvaluateRequest, GoogleSql, QueryRows } from '../analysis/google-sql.ts';
import type { SqlFunction, TableContents } from '../values/engine-catalogue.ts';
import type { TableField } from '../values/table-schema.ts';
import { type NewestRows, type Portion, newestThatFit } from './newest-rows.ts';

/** A table with the columns that a query needs; `portions` has the rows that may matter to it, the newest first. */
export interface QueriedRows {
  name: string;
  fields: readonly TableField[];
  rows: number;
  portions: () => Iterable<Portion>;
}

export interface LargeQuery extends Omit<EvaluateRequest, 'catalogue'> {
  functions: readonly SqlFunction[];
  tables: readonly QueriedRows[];
  /** The most that the engine takes of all rows at once. */
  bytesMax: number;
}

/** A table that was read in part. */
export interface CutTable {
  table: string;
  rowsRead: number;
  /** Of the partitions that the query reads. */
  rows: number;
}

/** What a part of a table is asked, and the answers so far. */
interface Asked {
  query: PartialQuery;
  answers: TableContents;
  bytes: number;
}

type Contents = QueriedRows & NewestRows;

/** The rows, and the tables of which not all rows were read: only the newest of these decided the rows. */
export async function evaluateLarge(
  engine: GoogleSql,
  query: LargeQuery,
): Promise<{ rows: QueryRows; cuts: CutTable[] }> {
  const newest = newestThatFit(query.tables, (table) => table.portions(), query.bytesMax);
  const large = newest.filter(({ isCut }) => isCut);
  try {
    if (large.length > 0) return { rows: await evaluateInParts(engine, query, newest), cuts: [] };
  } catch {
    query.signal?.throwIfAborted();
  }
  const rows = await withTables(engine, query, newest, (catalogue) =>
    engine.evaluate({ ...query, catalogue }),
  );
  const cuts = large.map(({ name, rows: rowsRead }) => {
    const all = query.tables.find((table) => table.name === name)?.rows ?? rowsRead;
    return { table: name, rowsRead, rows: all };
  });
  return { rows, cuts };
}

/** Throws if the query cannot be divided, or if the answers are too large. */
async function evaluateInParts(engine: GoogleSql, query: LargeQuery, newest: readonly Contents[]) {
  const readsInside = query.functions.some(({ body }) =>
    tokens(body).some((token) => isWord(token, 'FROM')),
  );
  if (readsInside) throw new Error('functions read tables');
  const whole = newest.filter(({ isCut }) => !isCut);
  const large = newest.filter(({ isCut }) => isCut);
  const sql = inlineWith(query.sql);
  const asked: Asked[] = [];
  for (const table of large) {
    const own = await askedOf(engine, { ...query, sql }, table, whole, asked.length);
    await askParts(engine, query, table, whole, own);
    asked.push(...own);
  }
  const edits = asked.flatMap((one) => one.query.edits);
  const tables = [...whole, ...large.map(emptied), ...asked.map(({ answers }) => answers)];
  return await withTables(engine, query, tables, (catalogue) =>
    engine.evaluate({ ...query, sql: applyEdits(sql, edits), catalogue }),
  );
}

/** For each place in which the table is read, the first query that the engine takes. Throws if there is none. */
async function askedOf(
  engine: GoogleSql,
  query: LargeQuery,
  table: Contents,
  whole: readonly Contents[],
  first: number,
): Promise<Asked[]> {
  const columns = table.fields.map(({ name }) => name);
  const name = (place: number): string => `local_answers_${first + place}`;
  const known = [...whole, table].map(emptied);
  const isTaken = async (one: PartialQuery, place: number): Promise<Asked | undefined> => {
    const places = one.sql.split(`\`${table.name}\``).length - 1;
    if (places !== 1) return undefined;
    const taken = await select(engine, query, known, one.sql);
    const answers = emptied({ ...taken, name: name(place) });
    const all = [...query.tables.map(emptied), answers];
    await select(engine, query, all, applyEdits(query.sql, one.edits));
    return { query: one, answers, bytes: 0 };
  };
  const found: Asked[] = [];
  for (const [place, queries] of partialQueries(query.sql, table.name, columns, name).entries()) {
    let asked: Asked | undefined;
    for (const one of queries) asked ??= await isTaken(one, place).catch(() => undefined);
    query.signal?.throwIfAborted();
    if (asked === undefined) throw new Error(`${table.name} is needed whole`);
    found.push(asked);
  }
  return found;
}

/** Asks each part of the table; the answers keep the order of the rows. */
async function askParts(
  engine: GoogleSql,
  query: LargeQuery,
  table: Contents,
  whole: readonly Contents[],
  asked: readonly Asked[],
): Promise<void> {
  const bytesMax = query.bytesMax - whole.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const encodedRows of partsOf(table.portions(), bytesMax)) {
    const tables = [...whole, { ...table, encodedRows }];
    await withTables(engine, query, tables, async (catalogue) => {
      for (const one of asked) {
        const { sql, merge } = one.query;
        const answer = await engine.select({ ...query, sql, catalogue });
        const bytes = bytesOf(answer);
        if (one.bytes + bytes > query.bytesMax && merge !== undefined) {
          const merged = await select(engine, query, [one.answers], merge);
          one.answers = { ...one.answers, encodedRows: merged.encodedRows };
          one.bytes = bytesOf(merged);
        }
        one.bytes += bytes;
        if (one.bytes > query.bytesMax) throw new Error('the answers are too large');
        const both = [...answer.encodedRows, ...one.answers.encodedRows];
        one.answers = { ...one.answers, encodedRows: both };
      }
    });
  }
}

/** Portions, oldest first, of at most `bytesMax` together; a larger one is a part of its own. */
function* partsOf(portions: Iterable<Portion>, bytesMax: number): Generator<Buffer[]> {
  let part: Buffer[] = [];
  let bytes = 0;
  for (const { encoded } of portions) {
    if (bytes + encoded.length > bytesMax && part.length > 0) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.unshift(encoded);
    bytes += encoded.length;
  }
  if (part.length > 0) yield part;
}

const bytesOf = ({ encodedRows }: Pick<TableContents, 'encodedRows'>): number =>
  encodedRows.reduce((sum, { length }) => sum + length, 0);

const emptied = ({ name, fields }: Omit<TableContents, 'encodedRows'>): TableContents => ({
  ...{ name, fields },
  encodedRows: [],
});

function select(
  engine: GoogleSql,
  query: LargeQuery,
  tables: readonly TableContents[],
  sql: string,
) {
  return withTables(engine, query, tables, (catalogue) =>
    engine.select({ ...query, sql, catalogue }),
  );
}

async function withTables<Result>(
  engine: GoogleSql,
  { functions }: LargeQuery,
  tables: readonly TableContents[],
  use: (catalogue: EvaluateRequest['catalogue']) => Promise<Result>,
): Promise<Result> {
  const catalogue = await engine.registerCatalogue(tables, functions);
  try {
    return await use(catalogue);
  } finally {
    void engine.unregisterCatalogue(catalogue).catch(() => undefined);
  }
}
