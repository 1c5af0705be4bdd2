// Finds the regular expressions in the text of a query that RE2 refuses: no value of a parameter makes them work.
import type { InspectedQuery } from '../compile/inspect-endpoint.ts';
import { placeInParts } from '../compile/sql-parts.ts';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import { callArguments } from '../lexer/brackets.ts';
import { isSymbol, tokens } from '../lexer/sql-tokens.ts';
import type { GoogleSql } from '../local-bigquery/index.ts';
import { errorOf } from './probe.ts';

/** One fault for each, in the order of the text. */
export async function faultyPatterns(
  engine: GoogleSql,
  { file, sql, parts }: InspectedQuery,
): Promise<CatalogueFault[]> {
  const all = tokens(sql);
  const literals = all.flatMap(({ kind, text }, index) => {
    if (kind !== 'word' || !/^regexp_/i.test(text) || !isSymbol(all[index + 1], '(')) return [];
    const pattern = callArguments(all, index + 1)?.list[1] ?? [];
    return pattern.length === 1 && pattern[0]?.kind === 'string' ? pattern : [];
  });
  const faults: CatalogueFault[] = [];
  for (const literal of literals) {
    const searched = /^r?b/i.test(literal.text) ? "b''" : "''";
    const error = await errorOf(engine, `SELECT REGEXP_CONTAINS(${searched}, ${literal.text})`);
    if (error?.kind !== 'runtime') continue;
    const place = placeInParts(parts, literal.start) ?? { file };
    faults.push({ ...place, message: error.message.replace(/ at \[\d+:\d+\]$/, '') });
  }
  return faults;
}
