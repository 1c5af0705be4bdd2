// Warns of results that may differ from run to run, are too large or are stored in parts, and of values with which a query fails.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { readTextFile } from '../../faults/json-document.ts';
import { isWord, tokens } from '../../lexer/sql-tokens.ts';
import { SETTINGS } from '../../../functions/config.ts';
import { isTextOf } from '../../../functions/core/query-runner.ts';
import { DOCUMENT_BODY_BYTES_MAX } from '../../../functions/core/result-store.ts';
import type { DefinitionFault, CatalogueFault } from '../../faults/definition-fault.ts';
import { TIME_ENDS, formatBytes } from '../dry-run.ts';
import { type TextPlace, lineAndColumn } from '../../faults/text-place.ts';
import type { Analysis } from '../../local-bigquery/index.ts';
import { quotedParameters } from '../remedies/quoted-parameters.ts';
import type { AnalysedQueries } from '../analysed-query.ts';
import type { CaseResult, CaseService } from './case-service.ts';
import type { EndpointCase } from './read-cases.ts';
import {
  SCALAR_TYPES,
  isNumberType,
  scalarTypeOf,
} from '../../../functions/core/parameter-type.ts';
import type { ScalarType } from '../../../functions/core/parameter-type.ts';
import { INT64_MAX, INT64_MIN } from '../../../functions/endpoints/canonical-scalar.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import { pointerStep } from '../../faults/schema-error.ts';

export interface CaseRows {
  given: EndpointCase;
  parameters: CanonicalParameters;
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

const NUMERIC_MAX = '9'.repeat(29);
/** Usual and extreme values of each type. */
const TRIED: Readonly<Record<ScalarType, readonly string[]>> = {
  STRING: ['x', '2026-02-30', '(', 'x'.repeat(1000)],
  INT64: ['0', '1', '-1', '10000', '-10000', `${INT64_MAX}`, `${INT64_MIN}`],
  FLOAT64: ['0', '1', '-1', '10000', '-10000', '1e308', '-1e308'],
  NUMERIC: ['0', '1', '-1', '10000', '-10000', NUMERIC_MAX, `-${NUMERIC_MAX}`],
  BOOL: ['true', 'false'],
  ...TIME_ENDS,
};

/**
 * At each parameter of endpoint.json, for the first value with which a test fails that has rows; it is tried among the values
 * of the test. `directory` is the folder of the endpoint.
 */
export async function valueWarnings(
  service: CaseService,
  endpoint: Endpoint,
  directory: string,
  { given, parameters }: CaseRows,
) {
  await service.load(given.rows, given.nowMs ?? 0);
  const warnings: CatalogueFault[] = [];
  for (const [name, rule] of endpoint.rules) {
    const listed = endpoint.parameters[name]?.enum;
    const type = scalarTypeOf(rule.type);
    for (const text of ['', ...(listed ?? TRIED[type])]) {
      const { value, fault } = rule.read([text]);
      if (fault !== undefined || rule.check(value) !== undefined) continue;
      const failure = await service.failureOf(endpoint, { ...parameters, [name]: value });
      // A message that the query passes to ERROR is intended for callers.
      if (failure === undefined || isTextOf(endpoint.sql, failure)) continue;
      const what = text === '' ? 'a call without it' : JSON.stringify(text.slice(0, 40));
      const remedy =
        listed && text !== '' ? 'take it out of "enum"' : remedyFor(text, failure, type);
      const message = `parameters.${name}: ${what} makes the query fail (${failure}); ${remedy}`;
      const pointer = `/parameters${pointerStep(name)}`;
      warnings.push({ file: join(directory, 'endpoint.json'), pointer, message });
      break;
    }
  }
  return warnings;
}

function remedyFor(text: string, failure: string, type: ScalarType): string {
  if (text === '') return 'set "required", give a "default", or write IF for its absence';
  if (failure.startsWith('Array index')) return 'SAFE_OFFSET or SAFE_ORDINAL gives NULL';
  if (isNumberType(type)) return '"minimum" or "maximum" refuses it';
  if (type !== 'STRING') return 'bound it in query.sql';
  if (/regular expression/.test(failure)) return '"format": "re2" refuses it';
  // Such as `Invalid date: 'x'`.
  const meant = SCALAR_TYPES.find((one) => new RegExp(`^\\w+ ${one}\\b`, 'i').test(failure));
  return meant ? `declare it "type": "${meant}"` : '"enum", "pattern" or "maxLength" refuses it';
}
