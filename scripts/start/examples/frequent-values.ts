// Finds values of parameters that are frequent in the rows of a table, by queries on the local BigQuery.
import { isScalarType, scalarTypeOf } from '../../../functions/core/parameter-type.ts';
import type { ScalarType } from '../../../functions/core/parameter-type.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import type { BoundQuery } from '../../../functions/core/query-runner.ts';
import { queryConfiguration } from '../../../functions/google/query-configuration.ts';
import { LOCAL } from '../../cli/project.ts';
import { namedPlaces } from '../../compile/table-places.ts';
import { isRepeated, kindOf, PARTITION_TIME, queryName } from '../../local-bigquery/index.ts';
import type { TableField } from '../../local-bigquery/index.ts';
import type { Source } from '../../sources/read-sources.ts';

/** A column with which the query compares a parameter. */
export interface ComparedColumn {
  parameter: string;
  table: string;
  /** The column and the fields in it: `['request', 'url']`. */
  path: readonly string[];
  /** `from` and `until`: the parameter is a bound, so that all rows are within. `part`: it is found in a text. */
  kind: 'equal' | 'from' | 'until' | 'part';
}

const COMBINATIONS = 3;
/** Fields that contain an address; its first label usually names the customer. */
const ADDRESS_FIELDS = ['url', 'uri', 'host', 'hostname'];
const ADDRESS_LABEL = "r'^(?:[A-Za-z]+://)?([^./:?#@]+)'";

interface Leaf {
  expression: string;
  /** The lists whose elements the expression uses, in the order of the FROM clause. */
  from: readonly string[];
  path: readonly string[];
  kind?: string | undefined;
}

interface Match {
  parameter: string;
  /** The value as text; for a bound, that of all rows. */
  value: string;
  isBound: boolean;
  condition: string;
  from: Leaf['from'];
}

/**
 * The most frequent values of some parameters in the newest rows of the tables that the query names, the most
 * frequent first; parameters without a field are left out. A field belongs to `project` if the query compares it
 * with the parameter, or if it has the type of the parameter and its name is project, project_ref or project_id;
 * to a regular expression also if it contains an address.
 */
export async function frequentValues(
  endpoint: Endpoint,
  parameters: readonly string[],
  sources: readonly Source[],
  run: RunLocally,
  compared: readonly ComparedColumn[] = [],
): Promise<CanonicalParameters[]> {
  const places = sources.map(({ name, definition: { shards } }) => ({ name, shards }));
  const named = new Set(namedPlaces(endpoint.sql, places).map(({ name }) => name));
  const tables = sources
    .filter(({ name }) => named.has(name) || compared.some(({ table }) => table === name))
    .map((source) => ({
      source,
      matches: parameters.flatMap((parameter) => match(parameter, source) ?? []),
    }))
    .sort((a, b) => b.matches.length - a.matches.length);
  // Values that occur in the same row are likelier to give rows together.
  let combinations: CanonicalParameters[] = [{}];
  for (const { source, matches } of tables) {
    const [known = {}] = combinations;
    const left = matches.filter(({ parameter }) => !Object.hasOwn(known, parameter));
    const found = await valuesIn(source, left);
    const all = found.flatMap((values) => combinations.map((others) => ({ ...values, ...others })));
    combinations = all.slice(0, COMBINATIONS);
  }
  return combinations.filter((values) => Object.keys(values).length > 0);

  /** Combinations of the values of one table; none but `{}` if it has none. */
  async function valuesIn(source: Source, matches: readonly Match[]) {
    const equal = matches.filter(({ isBound }) => !isBound);
    const positions = equal.map((_, index) => index + 1).join(', ');
    const order = `GROUP BY ${positions} ORDER BY COUNT(*) DESC, ${positions} LIMIT ${COMBINATIONS}`;
    const frequent = await select(source, equal, order);
    const bounds = matches.filter(({ isBound }) => isBound);
    const [ofAll] = await select(source, bounds, '');
    return frequent.map((values) => ({ ...values, ...ofAll }));
  }

  async function select(source: Source, chosen: readonly Match[], order: string) {
    if (chosen.length === 0) return [{}];
    const { partitioning } = source.definition;
    const column = partitioning ? (partitioning.field ?? PARTITION_TIME.name) : undefined;
    const where = [
      ...chosen.map(({ condition }) => condition),
      // A table may require a filter on its partition column.
      ...(column === undefined ? [] : [`\`row\`.\`${column}\` >= '1970-01-01'`]),
    ];
    const table = `\`${queryName(source)}\` AS \`row\``;
    const from = new Set([table, ...chosen.flatMap((found) => found.from)]);
    const values = chosen.map(({ value }) => value).join(', ');
    const sql = `SELECT ${values} FROM ${[...from].join(', ')} WHERE ${where.join(' AND ')} ${order}`;
    const rows = await run({ sql, parameters: {} });
    const read = rows.map((cells) => readValues(chosen, cells)).filter((found) => !!found);
    return read.length > 0 ? read : [{}];
  }

  /** Undefined if the endpoint refuses one of the values. */
  function readValues(matches: readonly Match[], cells: readonly (string | null)[]) {
    const read = matches.flatMap(({ parameter }, index) => {
      const rule = endpoint.rules.get(parameter);
      const cell = cells[index] ?? '';
      // The pattern that matches this text alone.
      const pattern = cell.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
      const value = rule?.canonical(isPattern(parameter) ? pattern : cell);
      if (rule === undefined || value === undefined || value === '') return [];
      if (rule.checkElement(value) !== undefined) return [];
      return [[parameter, isScalarType(rule.type) ? value : [value]] as const];
    });
    return read.length === matches.length ? Object.fromEntries(read) : undefined;
  }

  function match(parameter: string, { name, fields }: Source): Match | undefined {
    const rule = endpoint.rules.get(parameter);
    if (rule === undefined) return undefined;
    const scalar = scalarTypeOf(rule.type);
    const leaves = leavesOf(fields, { expression: '`row`', from: [], path: [] });
    const asMatch = (leaf: Leaf, bound?: 'MIN' | 'MAX'): Match => {
      const { expression, kind, from } = leaf;
      const whole = bound ? { ...leaf, expression: `${bound}(${expression})` } : leaf;
      const isThere = kind === 'TYPE_STRING' ? `!= ''` : 'IS NOT NULL';
      const condition = `${expression} ${isThere}`;
      return { parameter, value: asText(whole, scalar), isBound: !!bound, condition, from };
    };
    const ofQuery = compared.find((one) => one.parameter === parameter && one.table === name);
    const column = ofQuery && leaves.find(({ path }) => path.join('.') === ofQuery.path.join('.'));
    if (ofQuery && column && ofQuery.kind !== 'part') return asMatch(column, BOUNDS[ofQuery.kind]);
    const find = (names: readonly string[]) =>
      names
        .map((one) => leaves.find(({ path }) => path.at(-1)?.toLowerCase() === one.toLowerCase()))
        .find((leaf) => leaf !== undefined && leaf.kind === kindOf(scalar));
    const field = find([parameter, `${parameter}_ref`, `${parameter}_id`]);
    if (field) return asMatch(field);
    if (scalar !== 'STRING') return undefined;
    const isAddress = ADDRESS_FIELDS.includes(column?.path.at(-1)?.toLowerCase() ?? '');
    const other = isPattern(parameter) && column === undefined ? find(ADDRESS_FIELDS) : undefined;
    const address = isAddress ? column : other;
    if (address === undefined) return column && asMatch(column);
    const expression = `REGEXP_EXTRACT(${address.expression}, ${ADDRESS_LABEL})`;
    return asMatch({ ...address, expression, kind: 'TYPE_STRING' });
  }

  function isPattern(parameter: string): boolean {
    return endpoint.parameters[parameter]?.format === 're2';
  }
}

/** The aggregate whose value bounds all rows. */
const BOUNDS = { equal: undefined, from: 'MIN', until: 'MAX' } as const;

function asText({ expression, kind }: Leaf, type: ScalarType): string {
  if (type === 'STRING' && kind === 'TYPE_STRING') return expression;
  const cast = `SAFE_CAST(${expression} AS ${type})`;
  return type === 'TIMESTAMP'
    ? `FORMAT_TIMESTAMP('%FT%H:%M:%E*SZ', ${cast})`
    : `CAST(${cast} AS STRING)`;
}

/** The fields that are not RECORDs, also nested ones, those at the top first. */
function leavesOf(fields: readonly TableField[], record: Leaf): Leaf[] {
  const found = fields.map((field) => ({ field, place: placeOf(field, record) }));
  const own = found.filter(({ field }) => field.fields === undefined);
  return [
    ...own.map(({ field, place }) => ({ ...place, kind: kindOf(field.type) })),
    ...found.flatMap(({ field, place }) => leavesOf(field.fields ?? [], place)),
  ];
}

/** A repeated field is represented by the elements of its list, under an alias from its path. */
function placeOf(field: TableField, { expression, from, path: outer }: Leaf): Leaf {
  const path = [...outer, field.name];
  const column = `${expression}.\`${field.name}\``;
  if (!isRepeated(field)) return { expression: column, from, path };
  const alias = `\`${column.replaceAll('`', '').replaceAll('.', '_')}\``;
  return { expression: alias, from: [...from, `UNNEST(${column}) AS ${alias}`], path };
}

/** The cells of the rows, of columns that are not nested. Throws an Error with BigQuery's message. */
export type RunLocally = (query: BoundQuery) => Promise<(string | null)[][]>;

const QUERY_MS = 5000;
const JSON_HEADERS = { 'Content-Type': 'application/json' };

export function createRunLocally(url: string): RunLocally {
  return async (query) => {
    const job = { ...queryConfiguration(query, LOCAL.dataset), jobTimeoutMs: QUERY_MS };
    const sent = { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(job) };
    const response = await fetch(`${url}/projects/${LOCAL.project}/queries`, sent);
    const { rows = [], error } = (await response.json()) as {
      rows?: { f: { v: string | null }[] }[];
      error?: { message: string };
    };
    if (error !== undefined) throw new Error(error.message);
    return rows.map(({ f }) => f.map(({ v }) => v));
  };
}
