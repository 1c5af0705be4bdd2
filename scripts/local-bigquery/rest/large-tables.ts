// Runs a query over tables that have more rows than the engine takes at once: part by part, if the answers can be put together, or else on the newest rows.
import { applyEdits, hasWord, tokens } from '../../lexer/sql-tokens.ts';
import { inlineWith } from '../dialect/rewrites/inline-with.ts';
import type { PartialQuery } from '../dialect/rewrites/merged-aggregates.ts';
import { partialQueries } from '../dialect/rewrites/partial-queries.ts';
import type { EvaluateRequest, GoogleSql, QueryRows } from '../analysis/google-sql.ts';
import type { SqlFunction, TableContents } from '../values/engine-catalogue.ts';
import type { TableField } from '../values/table-schema.ts';

/** A table with the columns that a query needs; `portions` has the rows that may matter to it, the newest first. */
export interface QueriedRows {
  name: string;
  fields: readonly TableField[];
  rows: number;
  portions: () => Iterable<Portion>;
}

interface LargeQuery extends Omit<EvaluateRequest, 'catalogue'> {
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
}

/** The engine computes with several threads. */
const PARTS_AT_ONCE = 2;

/** The rows, and the tables of which not all rows were read: only the newest of these decided the rows. */
export async function evaluateLarge(
  engine: GoogleSql,
  query: LargeQuery,
): Promise<{ rows: QueryRows; cuts: CutTable[] }> {
  const { functions, tables, bytesMax, signal } = query;
  const newest = newestThatFit(tables, bytesMax);
  const large = newest.filter(({ isCut }) => isCut);
  const whole = newest.filter(({ isCut }) => !isCut);

  async function over<Result>(
    contents: readonly TableContents[],
    use: (catalogue: EvaluateRequest['catalogue']) => Promise<Result>,
  ): Promise<Result> {
    const catalogue = await engine.registerCatalogue(contents, functions);
    try {
      return await use(catalogue);
    } finally {
      void engine.unregisterCatalogue(catalogue).catch(() => undefined);
    }
  }

  const select = (contents: readonly TableContents[], sql: string) =>
    over(contents, (catalogue) => engine.select({ ...query, sql, catalogue }));

  /** Throws if the query cannot be divided, or if the answers are too large. */
  async function evaluateInParts(): Promise<QueryRows> {
    const bodies = functions.flatMap(({ body }) => tokens(body));
    const isWhole = hasWord([...tokens(query.sql), ...bodies], /^(?:RAND|GENERATE_UUID)$/i);
    if (isWhole || hasWord(bodies, /^FROM$/i)) throw new Error('each part is not by itself');
    const sql = inlineWith(query.sql);
    const asked: Asked[] = [];
    for (const table of large) {
      const own = await askedOf(sql, table, asked.length);
      await askParts(table, own);
      asked.push(...own);
    }
    const edits = asked.flatMap((one) => one.query.edits);
    const edited = applyEdits(sql, edits);
    const answers = asked.map((one) => one.answers);
    return await over([...whole, ...large.map(emptied), ...answers], (catalogue) =>
      engine.evaluate({ ...query, sql: edited, catalogue }),
    );
  }

  /** For each place in which the table is read, the first query that the engine takes. Throws if there is none. */
  async function askedOf(sql: string, table: QueriedRows, first: number): Promise<Asked[]> {
    const columns = table.fields.map(({ name }) => name);
    const nameOf = (place: number): string => `local_answers_${first + place}`;
    const asked = async (one: PartialQuery, place: number): Promise<Asked | undefined> => {
      if (one.sql.split(`\`${table.name}\``).length !== 2) return undefined;
      const taken = await select([...whole, table].map(emptied), one.sql);
      const answers = emptied({ ...taken, name: nameOf(place) });
      await select([...tables.map(emptied), answers], applyEdits(sql, one.edits));
      return { query: one, answers };
    };
    const places = partialQueries(sql, table.name, columns, nameOf);
    const found: Asked[] = [];
    for (const [place, queries] of places.entries()) {
      let taken: Asked | undefined;
      for (const one of queries) taken ??= await asked(one, place).catch(() => undefined);
      found.push(...(taken ? [taken] : []));
    }
    if (found.length > 0 && found.length === places.length) return found;
    throw new Error(`${table.name} is needed whole`);
  }

  /** Asks each part of the table; the answers keep the order of the rows. */
  async function askParts(table: QueriedRows, asked: readonly Asked[]): Promise<void> {
    const answersOf = (encodedRows: Buffer[]) =>
      over([...whole, { ...table, encodedRows }], (catalogue) => {
        const answers = asked.map((one) =>
          engine.select({ ...query, sql: one.query.sql, catalogue }),
        );
        return Promise.all(answers);
      });
    const bytesOfWhole = whole.reduce((sum, { bytes }) => sum + bytes, 0);
    const parts = [...partsOf(table.portions(), bytesMax - bytesOfWhole)];
    for (let first = 0; first < parts.length; first += PARTS_AT_ONCE) {
      const some = parts.slice(first, first + PARTS_AT_ONCE);
      for (const answers of await Promise.all(some.map(answersOf))) {
        for (const [index, one] of asked.entries())
          await add(one, answers[index]?.encodedRows ?? []);
      }
    }
  }

  /** Throws if the answers are too large, also when merged. */
  async function add(asked: Asked, answer: readonly Buffer[]): Promise<void> {
    const { merge } = asked.query;
    const isFull = bytesOf([...answer, ...asked.answers.encodedRows]) > bytesMax;
    const merged = isFull && merge !== undefined ? await select([asked.answers], merge) : undefined;
    const encodedRows = [...answer, ...(merged ?? asked.answers).encodedRows];
    if (bytesOf(encodedRows) > bytesMax) throw new Error('the answers are too large');
    asked.answers = { ...asked.answers, encodedRows };
  }

  try {
    if (large.length > 0) return { rows: await evaluateInParts(), cuts: [] };
  } catch {
    signal?.throwIfAborted();
  }
  const cuts = large.map(({ name: table, rowsRead, rows }) => ({ table, rowsRead, rows }));
  const rows = await over(newest, (catalogue) => engine.evaluate({ ...query, catalogue }));
  return { rows, cuts };
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

const bytesOf = (encoded: readonly Buffer[]): number =>
  encoded.reduce((sum, { length }) => sum + length, 0);

const emptied = ({ name, fields }: Omit<TableContents, 'encodedRows'>): TableContents => ({
  ...{ name, fields },
  encodedRows: [],
});

export interface Portion {
  rows: number;
  encoded: Buffer;
}

/** The newest rows of a table, oldest first; `isCut` if there are more. */
interface NewestRows {
  encodedRows: Buffer[];
  rowsRead: number;
  bytes: number;
  isCut: boolean;
}

/**
 * Each table with as many of its newest portions as fit into `bytesMax` together: one of each table in turn, so that small
 * tables stay whole. `portions` gives the newest first; only one more than fits is asked for.
 */
export function newestThatFit<Table extends { portions: () => Iterable<Portion> }>(
  tables: readonly Table[],
  bytesMax: number,
): (Table & NewestRows)[] {
  const none = { rowsRead: 0, bytes: 0, isCut: false };
  const all = tables.map((table) => ({ ...table, ...none, encodedRows: [] as Buffer[] }));
  const open = new Map(all.map((table) => [table, table.portions()[Symbol.iterator]()]));
  let bytesLeft = bytesMax;
  while (open.size > 0) {
    for (const [table, portions] of open) {
      const next = portions.next();
      table.isCut = !next.done && next.value.encoded.length > bytesLeft;
      if (next.done || table.isCut) {
        open.delete(table);
        continue;
      }
      const { encoded, rows } = next.value;
      table.encodedRows.unshift(encoded);
      table.rowsRead += rows;
      table.bytes += encoded.length;
      bytesLeft -= encoded.length;
    }
  }
  return all;
}
