// Warns of results that may differ from run to run, are too large or are stored in parts, and of values with which a query fails.
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { readTextFile } from '../../faults/json-document.ts';
import { isSymbol, isWord, tokens } from '../../lexer/sql-tokens.ts';
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
  textsOf,
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
  return [...ofOrder, ...ofCut, ...quoted, ...limitWarnings(endpoint, file), ...sizes.slice(0, 1)];
}

/** For the LIMIT of the result, if it allows more rows than an answer has. */
function limitWarnings({ maxRows, parameters }: Endpoint, file: string): DefinitionFault[] {
  const text = readTextFile(file);
  const all = tokens(text);
  const at = all.findLastIndex((token) => token.depth === 0 && isWord(token, 'LIMIT'));
  const [limit, value, ...after] = at < 0 ? [] : all.slice(at);
  if (!limit || !value || after.some((token) => isSymbol(token, '|'))) return [];
  const own = parameters[value.text.slice(1)];
  const counts = own ? (own.enum ?? [own.maximum ?? Infinity]) : [value.text];
  if (!counts.some((count) => Number(count) > maxRows)) return [];
  const remedy = own ? `"maximum": ${maxRows} refuses more` : 'lower it, or raise maxRows';
  const message = `LIMIT ${value.text} allows more rows than maxRows (${maxRows}), which cuts the others: ${remedy}`;
  return [{ file, ...lineAndColumn(text, limit.start), message }];
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
/** The extreme values of each type; for numbers, in their order, also values that are good bounds. */
const TRIED: Readonly<Record<ScalarType, readonly string[]>> = {
  STRING: ['x', '2026-02-30', '(', 'x'.repeat(1000)],
  INT64: [`${INT64_MIN}`, '-10000', '-1', '0', '1', '10000', `${INT64_MAX}`],
  FLOAT64: ['-1e308', '-10000', '-1', '0', '1', '10000', '1e308'],
  NUMERIC: [`-${NUMERIC_MAX}`, '-10000', '-1', '0', '1', '10000', NUMERIC_MAX],
  BOOL: ['true', 'false'],
  ...TIME_ENDS,
};
/** A text that callers may send, and why the query fails with it; '' if it does not. */
type Tried = readonly [text: string, failure: string];

const fails = ([, failure]: Tried): boolean => failure !== '';

/**
 * At parameters of endpoint.json, for values with which a test fails that has rows; each is tried among the values of the
 * test. `directory` is the folder of the endpoint.
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
    const definition = endpoint.parameters[name];
    if (definition === undefined) continue;
    const attempt = async (texts: readonly string[]): Promise<Tried[]> => {
      const tried: Tried[] = [];
      for (const text of texts) {
        const { value, fault } = rule.read([text]);
        if (fault !== undefined || rule.check(value) !== undefined) continue;
        const failure = await service.failureOf(endpoint, { ...parameters, [name]: value });
        // A message that the query passes to ERROR is intended for callers.
        const isMeant = failure !== undefined && isTextOf(endpoint.sql, failure);
        tried.push([text, isMeant ? '' : (failure ?? '')]);
      }
      return tried;
    };
    const warn = (tried: Tried | undefined, remedy: string): void => {
      if (tried === undefined || !fails(tried)) return;
      const what = tried[0] === '' ? 'a call without it' : JSON.stringify(tried[0].slice(0, 40));
      const own = /^Array index/.test(tried[1]) ? 'SAFE_OFFSET or SAFE_ORDINAL gives NULL' : remedy;
      const message = `parameters.${name}: ${what} makes the query fail (${tried[1]}); ${own}`;
      const pointer = `/parameters${pointerStep(name)}`;
      warnings.push({ file: join(directory, 'endpoint.json'), pointer, message });
    };
    const { enum: listed } = definition;
    const type = scalarTypeOf(rule.type);
    const [absent] = await attempt(['']);
    warn(absent, 'set "required", give a "default", or write IF for its absence');
    if (listed !== undefined) {
      warn((await attempt(listed)).find(fails), 'take it out of "enum"');
    } else if (isNumberType(type)) {
      const [own = 0] = textsOf(parameters[name] ?? null).map(Number);
      const texts = [...TRIED[type], String(own)].sort((a, b) => Number(a) - Number(b));
      const tried = await attempt(texts);
      const low = tried.findLastIndex((one) => fails(one) && Number(one[0]) < own);
      const high = tried.findIndex((one) => fails(one) && Number(one[0]) > own);
      warn(tried[low], `"minimum": ${tried[low + 1]?.[0]} refuses it`);
      warn(tried[high], `"maximum": ${tried[high - 1]?.[0]} refuses it`);
    } else {
      const failed = (await attempt(TRIED[type])).find(fails);
      warn(failed, failed && type === 'STRING' ? remedyForText(failed) : 'bound it in query.sql');
    }
  }
  return warnings;
}

function remedyForText([text, failure]: Tried): string {
  if (/regular expression/.test(failure)) return '"format": "re2" refuses it';
  // Such as `Invalid date: 'x'`.
  const meant = SCALAR_TYPES.find((type) => new RegExp(`^\\w+ ${type}\\b`, 'i').test(failure));
  if (meant !== undefined) return `declare it "type": "${meant}"`;
  return text.length > 1
    ? '"enum", "pattern" or "maxLength" refuses it'
    : '"enum" or "pattern" refuses it';
}
