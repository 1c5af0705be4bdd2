// Warns of results that may differ from run to run, are cut or are too large, and of parameters in quotes.
import { join } from 'node:path';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { readTextFile } from '../../faults/json-document.ts';
import { isWord, tokens } from '../../lexer/sql-tokens.ts';
import { SETTINGS } from '../../../functions/config.ts';
import type { DefinitionFault } from '../../faults/definition-fault.ts';
import { formatBytes } from '../dry-run.ts';
import { type TextPlace, lineAndColumn } from '../../faults/text-place.ts';
import type { Analysis } from '../../local-bigquery/index.ts';
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
  // As in an answer of BigQuery.
  const bytesOf = (some: CaseResult['rows']): number =>
    Buffer.byteLength(
      JSON.stringify(some.map((row) => ({ f: Object.values(row).map((v) => ({ v })) }))),
    );
  const [one, all] = [bytesOf(rows.slice(0, 1)), bytesOf(rows)];
  const bytes = one + ((all - one) / (rows.length - 1)) * (maxRows - 1);
  const { name: setting, default: mib } = SETTINGS.maxResultMib;
  if (bytes <= Number(mib) * 1024 ** 2) return [];
  const why = `more than ${setting} (${mib} by default): such a request fails`;
  const message = `${maxRows} such rows (maxRows) would be about ${formatBytes(bytes)} in BigQuery's answer, ${why}`;
  return [fault(`${name}: ${message}`)];
}

/** Each text that is only `@name`, or that has the name of one of these parameters behind an @; likewise {{ name }} of a template. */
export function quotedParameters(sql: string, names: readonly string[]) {
  return tokens(sql).flatMap(({ kind, text, start }) => {
    if (kind !== 'string') return [];
    const inner = text.replace(/^[rRbB]*(['"]{3}|['"])([^]*)\1$/, '$2');
    const one = [...inner.matchAll(/@(\w+)|[{]{2}\s*(\w+)\s*[}]{2}/g)].find(
      ([whole, name = '']) => name === '' || whole === inner || names.includes(name.toLowerCase()),
    );
    if (one === undefined) return [];
    const name = `@${one[1] ?? one[2] ?? ''}`;
    const written = one[0] === inner ? name : `CONCAT('…', ${name}, '…')`;
    const message = `${text} is a text, in which ${one[0]} is no parameter: write ${written} if you mean its value`;
    return [{ offset: start, message }];
  });
}
