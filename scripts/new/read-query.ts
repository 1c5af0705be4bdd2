// Reads and analyses the SQL of a new endpoint.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../../functions/core/describe-error.ts';
import { readRoutines } from '../compile/routines.ts';
import { joinParts, partOf } from '../compile/sql-parts.ts';
import { isSymbol, isWord, nameOf, tokens } from '../lexer/sql-tokens.ts';
import { tablePaths, parametersOf } from '../lexer/sql-text.ts';
import schema from '../../sql/endpoint.schema.json' with { type: 'json' };
import { faultOfSql, faultsOfAnalysis } from '../check/check-endpoint.ts';
import { locatedError } from '../faults/json-document.ts';
import { folderOf, wrongProject } from '../check/missing-table.ts';
import { type GoogleSql, GoogleSqlError } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';
import { columnOrigins } from './column-origins.ts';
import type { QueryFacts } from './draft-definition.ts';
import { inferParameters } from './infer-parameters.ts';
import { parameterUses } from './parameter-uses.ts';

/** Throws one sentence. */
export function readSqlFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reasons = new Map<unknown, string>([
      ['ENOENT', 'there is no such file (--sql)'],
      ['EISDIR', 'is a directory, not a file with a query (--sql)'],
    ]);
    const reason = reasons.get(errorCode(error)) ?? errorMessage(error);
    throw new Error(`${file}: ${reason}`, { cause: error });
  }
  if (tokens(text).length === 0) throw new Error(`${file}: contains no query.`);
  return text;
}

export interface NewQuery {
  text: string;
  /** Where it is from, for messages. */
  file: string;
  sqlDirectory: string;
  sources: readonly Source[];
}

/** Throws an Error with a line for each fault, which begins with the file, the line and the column. */
export async function queryFacts(
  engine: GoogleSql,
  { text, file, sqlDirectory, sources }: NewQuery,
): Promise<QueryFacts> {
  refuseNames(text, file);
  const routines = readRoutines(join(sqlDirectory, 'routines'));
  const called = routines.calledBy(text, (message, offset) => {
    throw locatedError([{ file, message, offset }]);
  });
  const parts = [...(called ?? []), partOf(file, text)];
  const query = { file, sql: joinParts(parts), parts };
  const inferred = inferParameters(engine, query.sql, sources);
  const { types, analysis, references, sourceOf } = await inferred.catch((error: unknown) => {
    if (!(error instanceof GoogleSqlError)) throw error;
    const fault = faultOfSql(error, query);
    const message =
      wrongProject(fault.message, sources) ?? fault.message + tableHint(error, sources, text);
    throw locatedError([{ ...fault, message }]);
  });
  const faults = faultsOfAnalysis({ analysis, references }, query);
  if (faults.length > 0) throw locatedError(faults);
  const origins = columnOrigins(analysis.resolved, sourceOf);
  const uses = parameterUses(analysis.resolved, origins.originOf);
  const tables = [...new Set(analysis.tables.map(sourceOf))];
  return { types, analysis: { ...analysis, tables }, references, sourceOf, origins, uses };
}

const { pattern, not } = schema.properties.parameters.propertyNames;

/** Parameters are fields of endpoint.json, whose schema states the allowed names. */
function refuseNames(text: string, file: string): void {
  for (const { name, offset } of parametersOf(text)) {
    const isReserved = not.enum.includes(name);
    if (!isReserved && new RegExp(pattern).test(name)) continue;
    const message = isReserved
      ? `a parameter cannot be named ${name}, which the service reserves; rename @${name}`
      : `a parameter cannot be named ${name}; use lower-case letters, digits and _, at most 64`;
    throw locatedError([{ file, message, offset }]);
  }
}

/** For an unknown table: the known ones, and how to create one. */
function tableHint({ message }: GoogleSqlError, sources: readonly Source[], sql: string): string {
  const [, table] = /^Table not found: ([^;\s]+)/.exec(message) ?? [];
  if (table === undefined) return '';
  const known = sources.map(({ name }) => name).join(', ');
  const tables = known === '' ? 'No table exists yet' : `Known tables: ${known}`;
  const folder = folderOf(table);
  const full = table.replaceAll('`', '');
  const place = full.split('.').length > 2 ? `; its table.json needs "table": "${full}"` : '';
  const shards = full.includes('*') ? '; its table.json needs shards' : '';
  const others = missingSources(sql, sources).filter((name) => name !== folder);
  const also = others.length === 0 ? '' : `. No source has ${others.join(', ')} either`;
  return `. ${tables}; npm run new -- --source ${folder} --from ROWS.ndjson creates one${shards}${place}${also}`;
}

/** The folders of tables without a source, in the order of the text: the names after FROM or JOIN that the query does not define. */
function missingSources(sql: string, sources: readonly Source[]): string[] {
  const all = tokens(sql);
  const named = all.filter((_, index) => {
    const isQuery = isWord(all[index + 1], 'AS') && isSymbol(all[index + 2], '(');
    return isQuery || isWord(all[index - 1], 'AS');
  });
  const defined = new Set(named.map(nameOf));
  const folders = tablePaths(sql).flatMap(({ parts, start, end }) => {
    const before = all.findLast((token) => token.end <= start);
    const after = all.find((token) => token.start >= end);
    const isTable = isWord(before, 'FROM') || isWord(before, 'JOIN');
    if (!isTable || isSymbol(after, '(') || defined.has(parts[0]?.toLowerCase() ?? '')) return [];
    return [folderOf(parts.join('.'))];
  });
  const known = sources.map(({ name }) => name);
  return [...new Set(folders)].filter((folder) => !known.includes(folder));
}
