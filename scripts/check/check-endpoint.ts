// Checks one endpoint with GoogleSQL: its statements, tables, parameters and columns.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import { columnType } from '../../functions/google/column-type.ts';
import { parameterType } from '../../functions/google/query-configuration.ts';
import type { PartitionedTable } from '../local/bigquery/partitions.ts';
import { missingFilter } from '../local/bigquery/table-reads.ts';
import type { GoogleSql } from '../local/googlesql/engine.ts';
import { GoogleSqlError } from '../local/googlesql/error.ts';
import type { ParameterType } from '../local/googlesql/query-parameters.ts';
import type { TableField } from '../local/googlesql/table-schema.ts';

/** A query of an endpoint, with its expected parameters and columns. */
interface SavedQuery {
  /** `query.sql` or `warm.sql`. */
  fileName: string;
  sql: string;
  parameters: Record<string, ParameterType>;
  columns: { name: string; type: string }[];
  /** The source of the expected columns, for messages. */
  columnsOf: string;
}

/** The first column of `warm.sql`, and the first field of the STRUCTs in `@keys`. */
const KEY = 'key';

/** The faults of an endpoint, each `file: what is wrong`; none when it can be served and warmed. */
export async function checkEndpoint(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  endpoint: Endpoint,
  directory: string,
): Promise<string[]> {
  const faults: string[] = [];
  for (const query of savedQueries(endpoint)) {
    faults.push(...(await checkQuery(engine, tables, endpoint, directory, query)));
  }
  return faults;
}

function savedQueries({ sql, parameters, row, warming }: Endpoint): SavedQuery[] {
  const declared = (names: readonly string[]): [string, ParameterType][] =>
    names.map((name) => [name, parameterType(parameters[name]?.type ?? 'STRING')]);
  const names = Object.keys(parameters);
  const columns = Object.entries(row).map(([name, { type, mode }]) => ({
    name,
    type: mode === 'REPEATED' ? `repeated ${type}` : type,
  }));
  const query = {
    fileName: 'query.sql',
    sql,
    parameters: Object.fromEntries(declared(names)),
    columns,
    columnsOf: 'row says',
  };
  if (warming === undefined) return [query];
  const { batchOver } = warming;
  const structTypes = declared([KEY, ...batchOver]).map(([name, type]) => ({ name, type }));
  const keys = { type: 'ARRAY', arrayType: { type: 'STRUCT', structTypes } };
  const shared = declared(names.filter((name) => !batchOver.includes(name)));
  const warm = {
    fileName: 'warm.sql',
    sql: warming.sql,
    parameters: { ...Object.fromEntries(shared), keys },
    columns: [{ name: KEY, type: 'STRING' }, ...columns],
    columnsOf: `${KEY} and row say`,
  };
  return [query, warm];
}

async function checkQuery(
  engine: GoogleSql,
  tables: readonly PartitionedTable[],
  endpoint: Endpoint,
  directory: string,
  query: SavedQuery,
): Promise<string[]> {
  const file = join(directory, query.fileName);
  const { sql, parameters } = query;
  try {
    const analysis = await engine.analyze({ sql, tables, parameters });
    if (analysis.statementKind !== 'SELECT') {
      return [`${file}: must be one SELECT, but is ${analysis.statementKind}`];
    }
    const filters = analysis.scans.flatMap((scan) => {
      const table = tables.find(({ name }) => name === scan.table);
      const message = table && missingFilter({ table, scan }, table.name);
      return message ? [inFile({ ...scan, message }, endpoint, query, file)] : [];
    });
    const columns = compareColumns(query, analysis.columns).map(
      (fault) => `${join(directory, 'endpoint.json')}: ${fault}`,
    );
    return [...filters, ...columns];
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    const message = error.message.replace(/ at \[\d+:\d+\]$/, '');
    return [inFile({ ...error, message }, endpoint, query, file)];
  }
}

function compareColumns(query: SavedQuery, columns: readonly TableField[]): string[] {
  const { fileName, columns: declared, columnsOf } = query;
  const returned = columns.map(({ name, type, mode }) => {
    const spelling = columnType(type);
    return { name, type: mode === 'REPEATED' ? `repeated ${spelling}` : spelling };
  });
  const faults: string[] = [];
  for (let index = 0; index < Math.max(declared.length, returned.length); index += 1) {
    const expected = declared[index];
    const actual = returned[index];
    if (expected?.name === actual?.name && expected?.type === actual?.type) continue;
    const describe = (column: typeof expected): string =>
      column === undefined ? 'no column' : `${column.name} ${column.type}`;
    faults.push(
      `${columnsOf} ${describe(expected)} at place ${index + 1}, but ${fileName} returns ${describe(actual)}`,
    );
  }
  return faults;
}

/** A fault at its position in the file of the query, which is its position in `sql` less the routines. */
export function inFile(
  {
    message,
    line,
    column,
  }: { message: string; line?: number | undefined; column?: number | undefined },
  endpoint: Pick<Endpoint, 'name'>,
  { sql }: Pick<SavedQuery, 'sql'>,
  file: string,
): string {
  if (line === undefined) return `${file}: ${message}`;
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const query = text.trim();
  const routineLines = sql.slice(0, sql.length - query.length).split('\n').length;
  const queryLine = line - (routineLines - 1);
  if (queryLine < 1) return `sql/routines, as ${endpoint.name} calls them: ${message}`;
  // The blank lines before the query are in the file alone.
  const before = text.slice(0, text.indexOf(query)).split('\n');
  const indent = queryLine === 1 ? (before.at(-1) ?? '').length : 0;
  const place = `${queryLine + before.length - 1}:${column === undefined ? '' : column + indent}`;
  return `${file}:${place}: ${message}`;
}
