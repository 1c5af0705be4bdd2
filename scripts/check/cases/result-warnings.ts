// Finds results that may differ from run to run, and results that would be too large to be kept.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { readTextFile } from '../../faults/read-text-file.ts';
import { tokens } from '../../lexer/sql-tokens.ts';
import { STORED_BODY_BYTES_MAX } from '../../../functions/core/result-store.ts';
import type { DefinitionFault } from '../../faults/definition-fault.ts';
import { formatBytes } from '../dry-run.ts';
import { type TextPlace, lineAndColumn } from '../../faults/text-place.ts';
import type { Analysis } from '../../local-bigquery/index.ts';
import type { AnalysedQueries } from '../analysed-query.ts';
import type { CaseResult } from './case-service.ts';
import type { EndpointCase } from './read-cases.ts';

/** A case and the result that it had. */
export interface CaseRows {
  given: EndpointCase;
  result: CaseResult;
}

/** `directory` is the folder of the endpoint, whose query has no fault. */
export function resultWarnings(
  endpoint: Endpoint,
  queries: AnalysedQueries,
  directory: string,
  answered: readonly CaseRows[],
): DefinitionFault[] {
  const isCut = answered.some(({ result }) => result.rows.length >= endpoint.maxRows);
  const query = queries.get('query.sql');
  return [
    ...(query && 'analysis' in query
      ? orderWarnings(query.analysis.order, endpoint, join(directory, 'query.sql'), isCut)
      : []),
    ...answered.flatMap(({ given, result }) => sizeWarning(endpoint, given, result)).slice(0, 1),
  ];
}

function orderWarnings(
  order: Analysis['order'],
  endpoint: Endpoint,
  file: string,
  isCutByMaxRows: boolean,
): DefinitionFault[] {
  if (!order.isOpen || !(order.hasLimit || isCutByMaxRows)) return [];
  const cut = order.hasLimit ? 'LIMIT' : `maxRows (${endpoint.maxRows})`;
  const reason =
    order.missing.length === 0
      ? 'there is no ORDER BY'
      : `ORDER BY lacks ${order.missing.join(', ')} of GROUP BY`;
  const message = `${cut} may cut other rows in each run, because ${reason}`;
  return [{ file, ...lastClause(readTextFile(file)), message }];
}

/** Where the last LIMIT of the outermost query is, or else its ORDER BY, or its SELECT. */
function lastClause(text: string): TextPlace {
  const offsets = new Map<string, number>();
  for (const { kind, text: word, start, depth } of tokens(text)) {
    if (kind === 'word' && depth === 0) offsets.set(word.toUpperCase(), start);
  }
  const offset = offsets.get('LIMIT') ?? offsets.get('ORDER') ?? offsets.get('SELECT') ?? 0;
  return lineAndColumn(text, offset);
}

/** What each further row adds to the first tells how large a full result is. */
function sizeWarning(
  { maxRows }: Endpoint,
  { name, fault }: EndpointCase,
  { rows }: CaseResult,
): DefinitionFault[] {
  if (rows.length < 2) return [];
  const [one, all] = [compressedBytes(rows.slice(0, 1)), compressedBytes(rows)];
  const bytes = one + ((all - one) / (rows.length - 1)) * (maxRows - 1);
  if (bytes <= STORED_BODY_BYTES_MAX) return [];
  return [
    fault(
      `${name}: ${maxRows} such rows (maxRows) would take about ${formatBytes(bytes)} compressed, more than the ${formatBytes(STORED_BODY_BYTES_MAX)} that are kept; each request would run the query`,
    ),
  ];
}

function compressedBytes(rows: readonly object[]): number {
  return gzipSync(JSON.stringify({ result: rows })).length;
}
