// Warns of results that may differ from run to run, are cut or are too large, and of parameters in quotes.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { readTextFile } from '../../faults/json-document.ts';
import { isWord, tokens } from '../../lexer/sql-tokens.ts';
import { SETTINGS } from '../../../functions/config.ts';
import { DOCUMENT_BODY_BYTES_MAX } from '../../../functions/core/result-store.ts';
import type { DefinitionFault } from '../../faults/definition-fault.ts';
import { formatBytes } from '../dry-run.ts';
import { type TextPlace, lineAndColumn } from '../../faults/text-place.ts';
import type { Analysis } from '../../local-bigquery/index.ts';
import { quotedParameters } from '../remedies/quoted-parameters.ts';
import type { AnalysedQueries } from '../analysed-query.ts';
import type { CaseResult } from './case-service.ts';
import type { EndpointCase } from './read-cases.ts';

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
  const order = query && 'analysis' in query ? query.analysis.order : undefined;
  const sizes = answered.flatMap(({ given, result }) => sizeWarning(endpoint, given, result));
  const file = join(directory, 'query.sql');
  const ofOrder = order ? orderWarnings(order, endpoint, file, isCut) : [];
  const text = readTextFile(file);
  const quoted = quotedParameters(text, Object.keys(endpoint.parameters)).map(
    ({ offset, message }) => ({ file, ...lineAndColumn(text, offset), message }),
  );
  const cut = answered.find(({ result }) => ofOrder.length === 0 && result.truncated);
  const ofCut = cut
    ? [
        cut.given.fault(
          `${cut.given.name}: the query returns more than ${endpoint.maxRows} rows, and maxRows cuts the others`,
        ),
      ]
    : [];
  return [...ofOrder, ...ofCut, ...quoted, ...sizes.slice(0, 1)];
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
  const message = `${cut} cuts rows non-deterministically: ${reason}`;
  return [{ file, ...lastClause(readTextFile(file)), message }];
}

/** Where the last LIMIT of the outermost query is, or else its ORDER BY, or its SELECT. */
function lastClause(text: string): TextPlace {
  const outer = tokens(text).filter(({ depth }) => depth === 0);
  const lastOf = (word: string) => outer.findLast((token) => isWord(token, word))?.start;
  const offset = lastOf('LIMIT') ?? lastOf('ORDER') ?? lastOf('SELECT') ?? 0;
  return lineAndColumn(text, offset);
}

/** Extrapolates from the bytes that each row adds to the first. */
function sizeWarning({ maxRows }: Endpoint, { name, fault }: EndpointCase, { rows }: CaseResult) {
  if (rows.length < 2) return [];
  const warn = (message: string) => [fault(`${name}: ${maxRows} such rows (maxRows) ${message}`)];
  const scaled = (sizeOf: (some: CaseResult['rows']) => number): number => {
    const [one, all] = [sizeOf(rows.slice(0, 1)), sizeOf(rows)];
    return one + ((all - one) / (rows.length - 1)) * (maxRows - 1);
  };
  // As in an answer of BigQuery.
  const wireRow = (row: object) => ({ f: Object.values(row).map((v: unknown) => ({ v })) });
  const sentBytes = scaled((some) => Buffer.byteLength(JSON.stringify(some.map(wireRow))));
  const { name: setting, default: mib } = SETTINGS.maxResultMib;
  if (sentBytes > Number(mib) * 1024 ** 2) {
    const why = `more than ${setting} (${mib} by default): such a request fails`;
    return warn(`would be about ${formatBytes(sentBytes)} in BigQuery's answer, ${why}`);
  }
  const bytes = scaled((some) => gzipSync(JSON.stringify({ result: some })).length);
  if (bytes <= DOCUMENT_BODY_BYTES_MAX) return [];
  const documents = 1 + Math.ceil(bytes / DOCUMENT_BODY_BYTES_MAX);
  const limit = `more than ${formatBytes(DOCUMENT_BODY_BYTES_MAX)}`;
  const cost = `each read would read, and each refresh write, ${documents} Firestore documents instead of one`;
  return warn(`would take about ${formatBytes(bytes)} compressed, ${limit}: ${cost}`);
}
