// Finds the tables that a query names, in any spelling that BigQuery accepts, in all datasets, and as shards.
import {
  queriedTable,
  TABLE_SUFFIX,
  pseudoColumns,
  isShardPrefix,
  shardStart,
} from '../values/table-definition.ts';
import { applyEdits, isSymbol, nameOf, tokens } from '../../lexer/sql-tokens.ts';
import type { Edit, Token, Tokens } from '../../lexer/sql-tokens.ts';
import { levelEnd } from '../../lexer/brackets.ts';
import { queryBracket, withClauseAt } from '../../lexer/query-clauses.ts';
import { type TablePath, tablePaths } from '../../lexer/sql-text.ts';
import type { Table } from '../values/engine-catalogue.ts';
import type { TableField } from '../values/table-schema.ts';
import type { PartitionedTable } from './reads/column-ranges.ts';

/** A table under the name by which analyses know it: `dataset.table`, or as the query writes a wildcard or a shard. */
export interface NamedTable {
  fullName: string;
  fields: readonly TableField[];
  source: PartitionedTable;
  /** Which shards, if the table has any. */
  shards?: ShardSelection;
}

/** The shards whose suffix begins with `suffix`; if `isOne`, the shard with exactly this suffix. */
interface ShardSelection {
  suffix: string;
  isOne: boolean;
  /** Another table that the name matches in BigQuery, but not here. */
  other?: string | undefined;
}

interface QueryScope {
  /** Undefined if it is not known: then only projects that table.json names are found. */
  project?: string | undefined;
  /** The dataset of the sources without one in their name. */
  dataset: string;
  /** The dataset of names without one; undefined if there is none. */
  defaultDataset?: { project?: string | undefined; dataset: string } | undefined;
  /** The suffixes of the shards of a source; undefined if they are not known: then every shard counts as existing. */
  suffixesOf?: (source: string) => ReadonlySet<string> | undefined;
}

/** The scope in which sources are compared with queries: bare names are those of sources without a dataset. */
const ANY_DEPLOYMENT: QueryScope = { dataset: '', defaultDataset: { dataset: '' } };

export interface NamedTables {
  /** The text that the engine analyses; each line is as long as in the query. */
  sql: string;
  tables: Table[];
  find: (fullName: string) => NamedTable | undefined;
}

/** All sources by their common names, and by each other name that the query has for them. */
export function namedTables(
  sql: string,
  sources: readonly PartitionedTable[],
  scope: QueryScope = ANY_DEPLOYMENT,
): NamedTables {
  const named = new Map<string, NamedTable>();
  const tables = new Map<string, Table>();
  const add = (path: readonly string[]): boolean => {
    const found = resolve(path, sources, scope);
    if (found === undefined) return false;
    named.set(found.fullName, found);
    const { fullName, fields } = found;
    // The engine has one table of a name in any letter case: the one that the query names.
    const key = path.join('.').toLowerCase();
    if (!tables.has(key)) tables.set(key, { name: path.join('.'), fullName, fields });
    return true;
  };
  const edits: Edit[] = [];
  const all = tokens(sql);
  for (const path of tablePaths(sql)) {
    let named = 0;
    for (let length = 1; length <= path.parts.length; length++) {
      if (add(path.parts.slice(0, length))) named = length;
    }
    const fields = tables.get(path.parts.join('.').toLowerCase())?.fields ?? [];
    const isColumn = named < path.parts.length || /^\s*\.\s*\*/.test(sql.slice(path.end));
    const isTaken = named > 0 && (isColumn || goesByLastName(all, path, fields));
    const own = isTaken ? unquoted(sql, path, isColumn) : [];
    // A name without quotes needs a space before it.
    const isClose = own.length > 0 && /[\w)`]/.test(sql.slice(path.start - 1, path.start));
    edits.push(...(isClose ? [{ start: path.start, end: path.start, text: ' ' }] : []), ...own);
  }
  // The names that the engine suggests for a name that it does not know.
  for (const path of sources.flatMap((source) => commonNames(source, scope))) add(path);
  return {
    sql: applyEdits(sql, edits),
    tables: [...tables.values()],
    find: (fullName) => named.get(fullName),
  };
}

function commonNames(source: PartitionedTable, scope: QueryScope): string[][] {
  const { table, project, dataset: own = scope.dataset } = queriedTable(source);
  const projects = [project, scope.project].flatMap((id) => id ?? []);
  return [[table], [own, table], ...projects.map((id) => [id, own, table])];
}

function resolve(
  path: readonly string[],
  sources: readonly PartitionedTable[],
  { project: own, dataset: home, defaultDataset, suffixesOf }: QueryScope,
): NamedTable | undefined {
  const [table = '', named, ...before] = path.toReversed();
  const dataset = named ?? defaultDataset?.dataset;
  if (dataset === undefined || (named === '' && path.length > 1)) return undefined;
  const project =
    before.length > 0
      ? before.toReversed().join('.')
      : ((named === undefined ? defaultDataset?.project : undefined) ?? own);
  for (const source of sources) {
    const place = queriedTable(source);
    if ((place.dataset ?? home) !== dataset) continue;
    if ((place.project ?? own) !== project) continue;
    const { definition } = source;
    const fullName = dataset === '' ? table : `${dataset}.${table}`;
    if (definition?.shards === undefined) {
      if (place.table !== table) continue;
      // Each view is that of one dataset; with two parts, all views would have the same name.
      const isView = 'ofDataset' in source;
      const name = isView ? path.join('.') : fullName;
      return { fullName: name, fields: [...source.fields, ...pseudoColumns(definition)], source };
    }
    const { prefix, format } = definition.shards;
    const isOne = !table.endsWith('*');
    const shown = isOne ? table : table.slice(0, -1);
    if (!shown.startsWith(prefix)) continue;
    const suffix = shown.slice(prefix.length);
    // events_intraday_* are not shards of events_*.
    if (!isOne && !isShardPrefix(format, suffix)) continue;
    const there = suffixesOf?.(source.name);
    const isThere = isOne
      ? shardStart(format, suffix) !== undefined && (there?.has(suffix) ?? true)
      : there === undefined || [...there].some((one) => one.startsWith(suffix));
    if (!isThere) continue;
    const fields = isOne ? source.fields : [...source.fields, TABLE_SUFFIX];
    const other = sources.find((one) => {
      const { table: name, ...at } = queriedTable(one);
      const isBeside = (at.dataset ?? home) === dataset && (at.project ?? own) === project;
      const begin = one.definition?.shards?.prefix ?? name;
      return one !== source && isBeside && begin.startsWith(shown);
    });
    return { fullName, fields, source, shards: { suffix, isOne, other: other?.name } };
  }
  return undefined;
}

/**
 * Whether the query calls `` `crm.orders` `` orders. If not, the quotes stay: then a column of this name is that column, and
 * a WITH query crm is another table. Where both are meant, the column is; the engine refuses the other.
 */
function goesByLastName(all: Tokens, path: TablePath, fields: readonly TableField[]): boolean {
  const last = path.parts.at(-1)?.toLowerCase() ?? '';
  // Of the query around it, without those of its WITH.
  const at = all.findIndex(({ start }) => start === path.start);
  const begin = queryBracket(all, at) + 1;
  const first = withClauseAt(all, begin)?.next ?? begin;
  const own = all.slice(first, levelEnd(all, first));
  const isUse = (token: Token, at: number): boolean =>
    !(token.start >= path.start && token.start < path.end) &&
    (nameOf(token) === last ||
      (isSymbol(own[at + 1], '.') && nameOf(token).endsWith(`.${last}`))) &&
    !isSymbol(own[at - 1], '.');
  const next = own.flatMap((token, at) => (isUse(token, at) ? [own[at + 1]] : []));
  const isColumn = fields.some(({ name }) => name.toLowerCase() === last);
  return next.length > 0 && (!isColumn || next.every((after) => isSymbol(after, '.')));
}

/**
 * Takes several names out of one pair of back quotes, so that the engine too calls `` `crm.customers` `` customers:
 * the last keeps the quotes, and nothing moves. A name that needs quotes itself stays, and needs an alias. Before a column the
 * last name alone is the table.
 */
function unquoted(sql: string, { start, end }: TablePath, isColumn: boolean): Edit[] {
  return tokens(sql.slice(start, end)).flatMap((token) => {
    const [text, first = '', last = ''] = /^`([^`]*)\.([^`.]*)`$/.exec(token.text) ?? [];
    if (!text || !/^[A-Za-z_][\w-]*(?:\.\w+)*$/.test(first)) return [];
    const table = isColumn ? `\`${last}\``.padStart(text.length) : `${first}.\`${last}\``;
    return [{ start: start + token.start, end: start + token.end, text: table }];
  });
}
