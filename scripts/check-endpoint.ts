// One endpoint against GoogleSQL: what its query is, what it reads, takes and returns.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endpoint } from '../functions/core/endpoint.ts';
import type { GoogleSql } from './local/googlesql.ts';
import { GoogleSqlError } from './local/googlesql-error.ts';
import type { Table } from './local/engine-catalogue.ts';
import type { TableField } from './local/table-schema.ts';

/** Names of types that mean the same, in the spelling of `row`. */
const SQL_TYPES: Record<string, string> = {
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
  STRUCT: 'RECORD',
};

/** The faults of an endpoint, each `file: what is wrong`; none when it can be served. */
export async function checkEndpoint(
  engine: GoogleSql,
  tables: readonly Table[],
  endpoint: Endpoint,
  directory: string,
): Promise<string[]> {
  const queryFile = join(directory, 'query.sql');
  const parameters = Object.fromEntries(
    Object.keys(endpoint.parameters).map((name) => [name, { type: 'STRING' }]),
  );
  try {
    const analysis = await engine.analyze({ sql: endpoint.sql, tables, parameters });
    if (analysis.statementKind !== 'SELECT') {
      return [`${queryFile}: must be one SELECT, but is ${analysis.statementKind}`];
    }
    return compareColumns(endpoint, analysis.columns).map(
      (fault) => `${join(directory, 'endpoint.json')}: ${fault}`,
    );
  } catch (error) {
    if (!(error instanceof GoogleSqlError)) throw error;
    return [describeSqlError(error, endpoint, queryFile)];
  }
}

function compareColumns(endpoint: Endpoint, columns: readonly TableField[]): string[] {
  const declared = Object.entries(endpoint.row).map(([name, { type, mode }]) => ({
    name,
    type: mode === 'REPEATED' ? `repeated ${type}` : type,
  }));
  const returned = columns.map(({ name, type, mode }) => {
    const spelling = SQL_TYPES[type] ?? type;
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
      `row says ${describe(expected)} at place ${index + 1}, but query.sql returns ${describe(actual)}`,
    );
  }
  return faults;
}

/** The analyzer sees routines and query as one text; people see two files. */
function describeSqlError(error: GoogleSqlError, endpoint: Endpoint, queryFile: string): string {
  const { line, column } = error;
  const message = error.message.replace(/ at \[\d+:\d+\]$/, '');
  if (line === undefined) return `${queryFile}: ${message}`;
  const query = readFileSync(queryFile, 'utf8').trim();
  const routineLines = endpoint.sql.slice(0, endpoint.sql.length - query.length).split('\n').length;
  const queryLine = line - (routineLines - 1);
  if (queryLine < 1) return `sql/routines, as ${endpoint.name} calls them: ${message}`;
  return `${queryFile}:${queryLine}:${column}: ${message}`;
}
