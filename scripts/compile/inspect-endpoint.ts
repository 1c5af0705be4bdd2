// Reads one folder of `sql/endpoints`: creates the endpoint, and finds everything that is wrong with it.
import { basename, join } from 'node:path';
import { sha256Hex } from '../../functions/core/bytes.ts';
import type { CatalogueFault } from '../faults/definition-fault.ts';
import { columnsOf, typesOf } from '../../functions/endpoints/endpoint.ts';
import type {
  Endpoint,
  BucketDefinition,
  EndpointDefinition,
  WarmingDefinition,
} from '../../functions/endpoints/endpoint.ts';
import { nearName } from '../../functions/endpoints/near-name.ts';
import { ENCODING_VERSION } from '../../functions/core/result-store.ts';
import { toEndpoint } from '../../functions/endpoints/catalogue.ts';
import { reportBucketFaults } from './bucket-faults.ts';
import { queryZone } from './query-zone.ts';
import { linearPattern } from './linear-pattern.ts';
import { reportParameterFaults } from './parameter-faults.ts';
import { readJsonDocument, readText } from '../faults/json-document.ts';
import { type Routines, type SqlPart, joinParts, partOf } from './routines.ts';
import { type SchemaCheck, pointerStep } from '../faults/schema-error.ts';
import { withEmptyArrays } from '../lexer/empty-arrays.ts';
import { parametersOf, withoutLayout } from '../lexer/sql-text.ts';
import { isName, isSymbol, tokens } from '../lexer/sql-tokens.ts';
import { type TablePlace, namedPlaces } from './table-places.ts';
import { isScalarType } from '../../functions/core/parameter-type.ts';

export interface InspectedEndpoint {
  folder: string;
  definitionFile: string;
  /** The id in endpoint.json, if it is valid. */
  id: string | undefined;
  /** Ready to serve; undefined if there is a fault. */
  endpoint: Endpoint | undefined;
  /** The parts that can be compared with the tables, whatever else is wrong; undefined if they cannot be read. */
  queries: InspectedQueries | undefined;
  faults: CatalogueFault[];
}

/** The queries of an endpoint, with its definition if that fits the schema. */
export interface InspectedQueries {
  definition: EndpointDefinition | undefined;
  /** Undefined if it calls a routine that has a fault. */
  query: InspectedQuery | undefined;
  /** The query of `warm.sql`; undefined without that file or a definition, and if it calls a routine that has a fault. */
  warming: (WarmingDefinition & InspectedQuery) | undefined;
}

export interface InspectedQuery {
  file: string;
  sql: string;
  /** What `sql` consists of: the routines that the query calls, then the query. */
  parts: readonly SqlPart[];
}

const MISSING = 'there is no such file; every endpoint needs it';

/** Never throws because of the content of the files. `places` are those of the sources whose table.json states one. */
export function inspectEndpoint(
  directory: string,
  check: SchemaCheck,
  routines: Routines,
  places: readonly TablePlace[],
): InspectedEndpoint {
  const folder = basename(directory);
  const faults: CatalogueFault[] = [];
  const definitionFile = join(directory, 'endpoint.json');
  const queryFile = join(directory, 'query.sql');
  const warmFile = join(directory, 'warm.sql');
  const inspected = { folder, definitionFile, faults, endpoint: undefined };
  const report = (pointer: string, message: string): void => {
    faults.push({ file: definitionFile, message, pointer });
  };
  const written = readJsonDocument(definitionFile, faults, MISSING)?.value;
  const query = readText(queryFile, faults, MISSING);
  if (written === undefined) return { ...inspected, id: undefined, queries: undefined };

  const ofSchema = check(written);
  for (const { pointer, message } of ofSchema) {
    const isSandboxed = pointer === '/sandboxed';
    report(pointer, isSandboxed ? `${message}: query sandboxing is not supported` : message);
  }
  if (ofSchema.length > 0) {
    // All that depends on the definition is checked once it fits the schema.
    const main = query === undefined ? undefined : inspectQuery(queryFile, query);
    const queries = { query: main, warming: undefined, definition: undefined };
    return { ...inspected, id: undefined, queries };
  }
  // The schema describes it.
  const definition = written as EndpointDefinition;
  const { id, row } = definition;
  const declared = Object.keys(definition.parameters);
  const batchOver = definition.warming?.batchOver ?? [];
  checkFields();
  const warmQuery = readWarmQuery();
  if (query === undefined) return { ...inspected, id, queries: undefined };
  for (const name of unusedIn(queryFile, query, { bound: declared, batchOver: [], faults })) {
    const isQuoted = new RegExp(`(["'])[^"'\\n]*@${name}\\b[^"'\\n]*\\1`).test(query);
    const remedy = isQuoted ? `: write @${name} without quotes, in which it is only a text` : '';
    report(
      `/parameters${pointerStep(name)}`,
      `declares parameters.${name}, which query.sql does not use${remedy}`,
    );
  }
  const main = inspectQuery(queryFile, query);
  const batch = warmQuery === undefined ? undefined : inspectQuery(warmFile, warmQuery);
  const warmingQuery = definition.warming && batch && { ...definition.warming, ...batch };
  const queries: InspectedQueries = { query: main, warming: warmingQuery, definition };
  if (faults.length > 0 || main === undefined) return { ...inspected, id, queries };
  const { warming: _, ...rest } = definition;
  const warming = warmingOf(definition);
  const sql = withEmptyArrays(main.sql, optionalArrays(rest), new Map());
  const batchSql = batch && batchText(rest, batchOver, batch.sql);
  const named = namedPlaces(`${sql}\n${batchSql ?? ''}`, places);
  const timeZone = queryZone(main.sql);
  const endpoint = toEndpoint({
    ...rest,
    ...(timeZone !== undefined && { timeZone }),
    ...(warming && batchSql !== undefined && { warming: { ...warming, sql: batchSql } }),
    sql,
    patterns: Object.fromEntries(
      Object.entries(rest.parameters).flatMap(([name, { pattern, maxLength }]) =>
        pattern === undefined ? [] : [[name, linearPattern(pattern, maxLength)] as const],
      ),
    ),
    // Without the text of a batch that is derived: it has the rows of the query, whatever its form.
    resultDigest: resultDigest(definition, [sql, batchSql], named),
    definitionDigest: sha256Hex(JSON.stringify([definition, sql, batchSql, named])),
  });
  return { ...inspected, id, endpoint, queries };

  /** Checks of the fields that no schema can express. */
  function checkFields(): void {
    const { name, cachingSeconds, cacheWarmingSeconds, jobTimeoutSeconds = 0 } = definition;
    if (name !== folder) report('/name', `name is ${name}, but the folder is ${folder}`);
    if (cacheWarmingSeconds > cachingSeconds) {
      const message = `cacheWarmingSeconds is ${cacheWarmingSeconds}, which is more than cachingSeconds (${cachingSeconds}); 0 means that results are never warmed`;
      report('/cacheWarmingSeconds', message);
    }
    if (jobTimeoutSeconds > cachingSeconds) {
      const message = `jobTimeoutSeconds is ${jobTimeoutSeconds}, which is more than cachingSeconds (${cachingSeconds}): the rows would be too old to be served`;
      report('/jobTimeoutSeconds', message);
    }
    for (const [parameterName, parameter] of Object.entries(definition.parameters)) {
      const at = `/parameters${pointerStep(parameterName)}`;
      reportParameterFaults(parameter, (keyword, message) =>
        report(`${at}/${keyword}`, `parameters.${parameterName}.${keyword} ${message}`),
      );
    }
    if (definition.bucket) reportBucketFaults(definition.bucket, definition, report);
  }

  function inspectQuery(file: string, text: string): InspectedQuery | undefined {
    const called = routines.calledBy(text, (message, offset) => {
      faults.push({ file, message, offset });
    });
    if (called === undefined) return undefined;
    const parts = [...called, partOf(file, text)];
    return { file, sql: joinParts(parts), parts };
  }

  /** The text of `warm.sql`; undefined if there is none. */
  function readWarmQuery(): string | undefined {
    const text = readText(warmFile, faults);
    if (definition.warming === undefined) {
      if (text !== undefined) report('', 'warming is required, because warm.sql exists');
      return undefined;
    }
    for (const [index, name] of batchOver.entries()) {
      if (declared.includes(name)) continue;
      const message = `warming.batchOver names ${name}, which is not a parameter`;
      report(`/warming/batchOver/${index}`, message);
    }
    // BigQuery refuses column names that differ only in letter case.
    for (const name of Object.keys(row).filter((column) => column.toLowerCase() === 'key')) {
      const message = `row.${name} has the name of the first column of a batch`;
      report(`/row${pointerStep(name)}`, message);
    }
    if (text === undefined) return undefined;
    const bound = [
      ...[...declared.filter((name) => !batchOver.includes(name)), 'keys'],
      ...scanNames(definition),
    ];
    for (const name of unusedIn(warmFile, text, { bound, batchOver, faults })) {
      faults.push({ file: warmFile, message: `does not use @${name}`, offset: 0 });
    }
    return text;
  }
}

/** The bound parameters that a query does not use; reports the first use of every parameter that is not bound. */
function unusedIn(
  file: string,
  sql: string,
  { bound, batchOver, faults }: { bound: string[]; batchOver: string[]; faults: CatalogueFault[] },
): string[] {
  const unused = new Set(bound);
  // But a system variable may be written as `@@ time_zone`.
  const apart = tokens(sql).find(
    (token, at, all) => isSymbol(token, '@') && isName(all[at + 1]) && !isSymbol(all[at - 1], '@'),
  );
  if (apart) {
    const message = 'has a space or a comment after @: write the name right behind it';
    faults.push({ file, message, offset: apart.start });
  }
  for (const { name, offset } of parametersOf(sql)) {
    unused.delete(name);
    if (bound.includes(name)) continue;
    const reason = batchOver.includes(name)
      ? 'which is in warming.batchOver and so a field of @keys'
      : 'which endpoint.json does not declare';
    const near = nearName(name, bound);
    const hint = near === undefined ? '' : `; did you mean @${near}?`;
    faults.push({ file, message: `uses @${name}, ${reason}${hint}`, offset });
  }
  return [...unused];
}

/**
 * A hash over what determines the bytes of a result, and nothing else, so that results outlive all other changes: the
 * tokens of the queries, the types and the order in which parameters are bound, the columns, the places of the tables.
 */
function resultDigest(
  { maxRows, parameters, row, warming, bucket }: EndpointDefinition,
  queries: readonly (string | undefined)[],
  places: ReturnType<typeof namedPlaces>,
): string {
  const types = Object.entries(typesOf({ parameters })).toSorted();
  const bound = [types, warming?.batchOver];
  const texts = queries.map((sql = '') => withoutLayout(sql));
  // The buckets decide which rows of a stored result are kept; a batch that is derived may keep some.
  const isKept = warming?.incremental !== undefined || (warming && queries.includes(undefined));
  const kept = isKept && bucket ? [bucket] : [];
  const read = [texts, bound, columnsOf({ row }), maxRows, places, ...kept];
  return sha256Hex(JSON.stringify([ENCODING_VERSION, ...read]));
}

/** The parameters that the service binds for an incremental `warm.sql`. */
export function scanNames({
  warming,
  bucket,
}: {
  warming?: WarmingDefinition | undefined;
  bucket?: BucketDefinition | undefined;
}): string[] {
  if (!warming?.incremental) return [];
  return bucket?.whole ? ['now', 'since'] : ['now', 'since', 'until'];
}

/** The job of a batch: arrays that may be absent are bound as empty ones. */
export function batchText(
  { parameters }: Pick<EndpointDefinition, 'parameters'>,
  batchOver: readonly string[],
  sql: string,
): string {
  const arrays = [...optionalArrays({ parameters })];
  const [own, ofKeys] = [false, true].map(
    (isOfKeys) => new Map(arrays.filter(([name]) => batchOver.includes(name) === isOfKeys)),
  );
  return withEmptyArrays(sql, own ?? new Map(), ofKeys ?? new Map());
}

function optionalArrays({ parameters }: Pick<EndpointDefinition, 'parameters'>) {
  const all = Object.entries(parameters).map(([name, { type = 'STRING', required }]) =>
    required || isScalarType(type) ? undefined : ([name, type] as const),
  );
  return new Map(all.filter((one) => one !== undefined));
}

/** As in endpoint.schema.json. */
export const INCREMENTAL_DEFAULTS = { settleSeconds: 3600, fullEverySeconds: 21_600 };
const MAX_KEYS_DEFAULT = { maxKeys: 1000 };

/** `warming` with all its defaults; without `incremental` if the definition has none. */
export function warmingOf({ warming }: Pick<EndpointDefinition, 'warming'>) {
  if (warming === undefined) return undefined;
  const { incremental } = warming;
  return Object.assign({}, MAX_KEYS_DEFAULT, warming, {
    ...(incremental && { incremental: Object.assign({}, INCREMENTAL_DEFAULTS, incremental) }),
  });
}
