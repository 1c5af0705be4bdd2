// Reads the SQL of a new endpoint, and finds all that the analyzer knows of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../functions/core/error-code.ts';
import { errorMessage } from '../../functions/core/describe-error.ts';
import { readRoutines } from '../../functions/endpoints/routines.ts';
import { tokens } from '../../functions/endpoints/sql-tokens.ts';
import { parametersOf } from '../../functions/endpoints/sql-text.ts';
import schema from '../../sql/endpoint.schema.json' with { type: 'json' };
import { inFile } from '../check/check-endpoint.ts';
import { missingFilter } from '../local/bigquery/table-reads.ts';
import type { GoogleSql } from '../local/googlesql/engine.ts';
import { GoogleSqlError } from '../local/googlesql/error.ts';
import type { Source } from '../sources/source.ts';
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
  if (tokens(text).length === 0) throw new Error(`${file}: holds no query.`);
  return text;
}

export interface NewQuery {
  /** The name of the endpoint. */
  name: string;
  text: string;
  /** Where it is from, for messages. */
  file: string;
  sqlDirectory: string;
  sources: readonly Source[];
}

/** Throws an Error that begins with the file, the line and the column. */
export async function queryFacts(
  engine: GoogleSql,
  { name, text, file, sqlDirectory, sources }: NewQuery,
): Promise<QueryFacts> {
  refuseNames(text, file);
  const sql = readRoutines(join(sqlDirectory, 'routines')).prepend(text, (message, offset) => {
    throw new Error(`${placeOf(file, text, offset)}: ${message}`);
  });
  const fault = (error: {
    message: string;
    line?: number | undefined;
    column?: number | undefined;
  }) => new Error(inFile(error, { name }, { sql }, file));
  const { types, analysis } = await inferParameters(engine, sql, sources).catch(
    (error: unknown) => {
      if (!(error instanceof GoogleSqlError)) throw error;
      const { line, column } = error;
      const message = error.message.replace(/ at \[\d+:\d+\]$/, '') + tableHint(error, sources);
      throw fault({ message, line, column });
    },
  );
  if (analysis.statementKind !== 'SELECT') {
    const holds =
      analysis.statementKind === 'SCRIPT' ? 'several statements' : analysis.statementKind;
    throw new Error(`${file}: an endpoint is one SELECT, and this is ${holds}.`);
  }
  for (const scan of analysis.scans) {
    const table = sources.find((source) => source.name === scan.table);
    const message = table && missingFilter({ table, scan }, table.name);
    if (message) throw fault({ ...scan, message });
  }
  const origins = columnOrigins(analysis.resolved);
  const uses = parameterUses(analysis.resolved, origins.originOf);
  return { types, analysis, origins, uses };
}

const { pattern, not } = schema.properties.parameters.propertyNames;

/** Parameters are fields of endpoint.json, whose schema says which names there can be. */
function refuseNames(text: string, file: string): void {
  for (const { name, offset } of parametersOf(text)) {
    const place = placeOf(file, text, offset);
    if (not.enum.includes(name)) {
      throw new Error(
        `${place}: a parameter cannot be named ${name}, a name that the service uses itself; rename @${name}`,
      );
    }
    if (!new RegExp(pattern).test(name)) {
      throw new Error(
        `${place}: a parameter cannot be named ${name}; use lower-case letters, digits and _, at most 64`,
      );
    }
  }
}

function placeOf(file: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** For a table that is not there: those that are, and how to make one. */
function tableHint({ message }: GoogleSqlError, sources: readonly Source[]): string {
  const [, table] = /^Table not found: ([^;\s]+)/.exec(message) ?? [];
  if (table === undefined) return '';
  const known = sources.map(({ name }) => name).join(', ');
  const tables = known === '' ? 'There is no table yet' : `There are ${known}`;
  return `. ${tables}; npm run new -- --source ${table.replaceAll('`', '')} --from ROWS.ndjson makes one`;
}
