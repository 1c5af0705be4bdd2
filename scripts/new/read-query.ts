// Reads and analyses the SQL of a new endpoint, and the comment that it begins with.
import { join } from 'node:path';
import { readRoutines, joinParts, partOf } from '../compile/routines.ts';
import { tokens } from '../lexer/sql-tokens.ts';
import { parametersOf } from '../lexer/sql-text.ts';
import { faultOfSql, faultsOfAnalysis } from '../check/query-faults.ts';
import type { DefinitionFault } from '../faults/definition-fault.ts';
import { locatedError, readText } from '../faults/json-document.ts';
import { type GoogleSql, GoogleSqlError } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';
import { columnOrigins } from './column-origins.ts';
import type { QueryFacts } from './draft-definition.ts';
import type { ParameterType } from '../../functions/core/parameter-type.ts';
import { inferParameters } from './infer-parameters.ts';
import { parameterUses } from './parameter-uses.ts';

/** Throws one sentence. */
export function readSqlFile(file: string): string {
  const faults: DefinitionFault[] = [];
  const text = readText(file, faults, 'there is no such file (--sql)');
  if (text === undefined) throw locatedError(faults);
  if (tokens(text).length === 0) throw new Error(`${file}: contains no query.`);
  return text;
}

/** The text before the first token, without the marks of comments; empty if there is none. */
export function leadingComment(sql: string): string {
  const end = tokens(sql)[0]?.start ?? sql.length;
  return sql
    .slice(0, end)
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:--|#|\/\*+|\*(?!\/))?\s?/, '').replace(/\s*\*+\/\s*$/, ''))
    .join('\n')
    .trim();
}

/** The description in a leading comment: its text up to the line of the cost. */
export function describedBy(comment: string): string {
  const [question = ''] = comment.split(/^cost:/im);
  return question
    .replace(/^query\.sql:/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

export interface NewQuery {
  text: string;
  /** Where it is from, for messages. */
  file: string;
  sqlDirectory: string;
  sources: readonly Source[];
  /** Types that are stated, by parameter in lower case. */
  types: ReadonlyMap<string, ParameterType>;
}

/** Throws an Error with a line for each fault, which begins with the file, the line and the column. */
export async function queryFacts(
  engine: GoogleSql,
  { text, file, sqlDirectory, sources, types: stated }: NewQuery,
): Promise<QueryFacts> {
  const routines = readRoutines(join(sqlDirectory, 'routines'));
  const called = routines.calledBy(text, (message, offset) => {
    throw locatedError([{ file, message, offset }]);
  });
  const parts = [...(called ?? []), partOf(file, text)];
  const query = { file, sql: joinParts(parts), parts };
  const names = parametersOf(query.sql).map(({ name }) => name);
  const stray = [...stated.keys()].find((name) => !names.includes(name));
  if (stray !== undefined) {
    const known = names.length > 0 ? `; it has ${names.join(', ')}` : '';
    throw new Error(`The query has no parameter ${stray} (--type)${known}.`);
  }
  const inferred = inferParameters(engine, query.sql, sources, stated);
  const { types, analysis, references, sourceOf } = await inferred.catch((error: unknown) => {
    if (!(error instanceof GoogleSqlError)) throw error;
    const fault = faultOfSql(error, query, sources);
    const hint = names.length > 0 && OF_TYPE.test(error.message) ? STATED : '';
    throw locatedError([{ ...fault, message: fault.message + hint }]);
  });
  const faults = faultsOfAnalysis({ analysis, references, resolved: analysis.resolved }, query);
  if (faults.length > 0) throw locatedError(faults);
  const origins = columnOrigins(analysis.resolved, sourceOf);
  const uses = parameterUses(analysis.resolved, origins.originOf);
  const tables = [...new Set(analysis.tables.map(sourceOf))];
  return { types, analysis: { ...analysis, tables }, references, sourceOf, origins, uses };
}

const OF_TYPE = /No matching signature|must be arrays|Subscript access|different types/;
const STATED = "; --type states the type of a parameter, such as --type 'ids=ARRAY<INT64>'";
