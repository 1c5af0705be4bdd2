// Finds values of parameters that are frequent in the rows of a table, by queries on the local BigQuery.
import { isScalarType, scalarTypeOf } from '../../functions/core/parameter-type.ts';
import type { BoundQuery } from '../../functions/core/query-runner.ts';
import { type Endpoint, typesOf } from '../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { queryConfiguration } from '../../functions/google/query-configuration.ts';
import { LOCAL } from '../cli/project.ts';
import { isRepeated, kindOf, PARTITION_TIME, queryName } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';
import { type ColumnOrigin, fieldAt } from './column-origins.ts';

/** A column with which the query compares a parameter. */
export interface ComparedColumn extends ColumnOrigin {
  parameter: string;
  /** `from` and `until`: the parameter is a bound, so that all rows are within. `part`: it is found in a text. */
  kind: 'equal' | 'from' | 'until' | 'part';
}

/** Fields that contain an address; its first label usually names the customer. */
const ADDRESS_FIELDS = ['url', 'uri', 'host', 'hostname'];
const ADDRESS_LABEL = "r'^(?:[A-Za-z]+://)?([^./:?#@]+)'";

interface Match {
  parameter: string;
  /** The value as text; for a bound, that of all rows. */
  value: string;
  isBound: boolean;
  condition: string;
  /** The lists whose elements the value is of, as items of the FROM clause. */
  from: readonly string[];
}

/**
 * Values that are frequent in the rows with which the query compares the parameters; those of one table are frequent together.
 * A parameter without a column, or with a value that the endpoint refuses, is left out.
 */
export async function frequentValues(
  endpoint: Endpoint,
  compared: readonly ComparedColumn[],
  sources: readonly Source[],
  run: RunLocally,
): Promise<CanonicalParameters> {
  const found: Record<string, CanonicalParameters[string]> = {};
  for (const source of sources) {
    const ofTable = compared.filter(
      ({ table, parameter }) => table === source.name && !Object.hasOwn(found, parameter),
    );
    const first = new Map(ofTable.toReversed().map((one) => [one.parameter, one]));
    const matches = [...first.values()].flatMap((one) => match(one, source) ?? []);
    const equal = matches.filter(({ isBound }) => !isBound);
    const positions = equal.map((_, index) => index + 1).join(', ');
    const order = `GROUP BY ${positions} ORDER BY COUNT(*) DESC, ${positions} LIMIT 1`;
    const bounds = matches.filter(({ isBound }) => isBound);
    Object.assign(found, await select(source, equal, order), await select(source, bounds, ''));
  }
  return found;

  async function select(source: Source, chosen: readonly Match[], order: string) {
    if (chosen.length === 0) return {};
    const { partitioning } = source.definition;
    const column = partitioning ? (partitioning.field ?? PARTITION_TIME.name) : undefined;
    const where = [
      ...chosen.map(({ condition }) => condition),
      // A table may require a filter on its partition column.
      ...(column === undefined ? [] : [`\`row\`.\`${column}\` >= '1970-01-01'`]),
    ];
    const table = `\`${queryName(source)}\` AS \`row\``;
    const from = new Set([table, ...chosen.flatMap((one) => one.from)]);
    const values = chosen.map(({ value }) => value).join(', ');
    const sql = `SELECT ${values} FROM ${[...from].join(', ')} WHERE ${where.join(' AND ')} ${order}`;
    const [cells = []] = await run({ sql, parameters: {} });
    const read = chosen.flatMap(({ parameter }, index) => readValue(parameter, cells[index] ?? ''));
    return Object.fromEntries(read);
  }

  function readValue(parameter: string, cell: string) {
    const rule = endpoint.rules.get(parameter);
    // The pattern that matches this text alone.
    const pattern = cell.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    const isPattern = endpoint.parameters[parameter]?.format === 're2';
    const value = rule?.canonical(isPattern ? pattern : cell);
    if (rule === undefined || value === undefined || value === '') return [];
    if (rule.checkElement(value) !== undefined) return [];
    return [[parameter, isScalarType(rule.type) ? value : [value]] as const];
  }

  function match(column: ComparedColumn, { fields }: Source): Match | undefined {
    const { parameter, kind } = column;
    const rule = endpoint.rules.get(parameter);
    const { field } = fieldAt(column, fields) ?? {};
    if (rule === undefined || field === undefined || field.fields !== undefined) return undefined;
    const from: string[] = [];
    let expression = '`row`';
    for (const [index, name] of column.path.entries()) {
      const path = column.path.slice(0, index + 1);
      expression += `.\`${name}\``;
      const within = fieldAt({ ...column, path }, fields)?.field;
      if (within === undefined || !isRepeated(within)) continue;
      const alias = `\`row_${path.join('_')}\``;
      from.push(`UNNEST(${expression}) AS ${alias}`);
      expression = alias;
    }
    const isText = kindOf(field.type) === 'TYPE_STRING';
    const isAddress = ADDRESS_FIELDS.includes(column.path.at(-1)?.toLowerCase() ?? '');
    if (kind === 'part' && isText && isAddress)
      expression = `REGEXP_EXTRACT(${expression}, ${ADDRESS_LABEL})`;
    const condition = `${expression} ${isText ? `!= ''` : 'IS NOT NULL'}`;
    const bound = BOUNDS[kind];
    const whole = bound === undefined ? expression : `${bound}(${expression})`;
    const type = scalarTypeOf(rule.type);
    const cast = `SAFE_CAST(${whole} AS ${type})`;
    const asText =
      type === 'TIMESTAMP'
        ? `FORMAT_TIMESTAMP('%FT%H:%M:%E*SZ', ${cast})`
        : `CAST(${cast} AS STRING)`;
    const value = type === 'STRING' && isText ? whole : asText;
    return { parameter, value, isBound: bound !== undefined, condition, from };
  }
}

/** The aggregate whose value bounds all rows. */
const BOUNDS = { equal: undefined, part: undefined, from: 'MIN', until: 'MAX' } as const;

/** The cells of the rows, of columns that are not nested. Throws an Error with BigQuery's message. */
export type RunLocally = (query: BoundQuery) => Promise<(string | null)[][]>;

/** Parameters that `values` does not name are absent. */
export async function hasRows(endpoint: Endpoint, values: CanonicalParameters, run: RunLocally) {
  const bound = [...endpoint.rules].map(([name, rule]) => [
    name,
    values[name] ?? rule.read(undefined).value,
  ]);
  const parameters = Object.fromEntries(bound) as CanonicalParameters;
  const rows = await run({ sql: endpoint.sql, parameters, types: typesOf(endpoint) });
  return rows.length > 0;
}

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
