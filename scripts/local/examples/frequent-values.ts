// Finds values of parameters that are frequent in the rows of a table.
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { namedPlaces } from '../../../functions/endpoints/table-places.ts';
import { isRepeated, kindOf } from '../googlesql/table-schema.ts';
import type { TableField } from '../googlesql/table-schema.ts';
import { PARTITION_TIME } from '../../sources/pseudo-columns.ts';
import type { Source } from '../../sources/source.ts';
import { sourceName, tablePlace } from '../../sources/table-place.ts';
import type { RunLocally } from './run-locally.ts';

/** How many combinations of values are tried at most. */
const COMBINATIONS = 3;
/** Fields that hold an address; its first label usually names the customer. */
const ADDRESS_FIELDS = ['url', 'uri', 'host', 'hostname'];
const ADDRESS_LABEL = "r'^(?:[A-Za-z]+://)?([^./:?#@]+)'";

/** A field of a table in SQL. */
interface Place {
  expression: string;
  /** The lists that the expression takes its elements from, in the order of the FROM clause. */
  from: readonly string[];
}

/** A parameter and the place of its values. */
type Match = Place & { parameter: string };

/**
 * The most frequent values of some parameters in the newest rows of a table that the query names, the most
 * frequent first; parameters without a field of their name are left out. A field belongs to `project` if
 * its name is project, project_ref or project_id; to a regular expression also if it holds an address.
 */
export async function frequentValues(
  endpoint: Endpoint,
  parameters: readonly string[],
  sources: readonly Source[],
  run: RunLocally,
): Promise<Record<string, string>[]> {
  const texts = parameters.filter((name) => endpoint.rules.get(name)?.type === 'STRING');
  const places = sources.map((source) => {
    const { shards } = source.definition;
    return { name: source.name, source, ...(shards ? { shards } : {}) };
  });
  const [best] = namedPlaces(endpoint.sql, places)
    .map(({ source }) => ({
      source,
      matches: texts.flatMap((parameter) => match(endpoint, parameter, source) ?? []),
    }))
    .sort((a, b) => b.matches.length - a.matches.length);
  if (best === undefined || best.matches.length === 0) return [];
  const rows = await run({ sql: frequencySql(best.source, best.matches), parameters: {} });
  return rows
    .map((cells) =>
      Object.fromEntries(
        best.matches.map(({ parameter }, index) => [
          parameter,
          isPattern(endpoint, parameter) ? escapePattern(cells[index] ?? '') : (cells[index] ?? ''),
        ]),
      ),
    )
    .filter((values) =>
      Object.entries(values).every(
        ([name, value]) => endpoint.rules.get(name)?.checkElement(value) === undefined,
      ),
    );
}

function match(endpoint: Endpoint, parameter: string, { fields }: Source): Match | undefined {
  const leaves = textFields(fields, { expression: '`row`', from: [] });
  const find = (names: readonly string[]) =>
    names
      .map((name) => leaves.find((leaf) => leaf.name.toLowerCase() === name.toLowerCase()))
      .find((leaf) => leaf !== undefined);
  const field = find([parameter, `${parameter}_ref`, `${parameter}_id`]);
  if (field) return { parameter, expression: field.expression, from: field.from };
  const address = isPattern(endpoint, parameter) ? find(ADDRESS_FIELDS) : undefined;
  return (
    address && {
      parameter,
      expression: `REGEXP_EXTRACT(${address.expression}, ${ADDRESS_LABEL})`,
      from: address.from,
    }
  );
}

/** The STRING fields, also nested ones, those at the top first. */
function textFields(fields: readonly TableField[], record: Place): (Place & { name: string })[] {
  const found = fields.map((field) => ({ field, place: placeOf(field, record) }));
  return [
    ...found
      .filter(({ field }) => kindOf(field.type) === 'TYPE_STRING')
      .map(({ field, place }) => ({ name: field.name, ...place })),
    ...found.flatMap(({ field, place }) => textFields(field.fields ?? [], place)),
  ];
}

/** A repeated field is the elements of its list, under an alias made of its path. */
function placeOf(field: TableField, { expression, from }: Place): Place {
  const path = `${expression}.\`${field.name}\``;
  if (!isRepeated(field)) return { expression: path, from };
  const alias = `\`${path.replaceAll('`', '').replaceAll('.', '_')}\``;
  return { expression: alias, from: [...from, `UNNEST(${path}) AS ${alias}`] };
}

function frequencySql({ name, definition }: Source, matches: readonly Match[]): string {
  const values = matches.map(({ expression }) => expression);
  const positions = values.map((_, index) => index + 1).join(', ');
  const { partitioning } = definition;
  const column = partitioning ? (partitioning.field ?? PARTITION_TIME.name) : undefined;
  const { project, dataset, table } = tablePlace({ name, definition });
  const isOwn = dataset === undefined || sourceName(name).dataset === undefined;
  const path = isOwn ? [name] : [project ?? [], dataset, table].flat();
  const where = [
    ...values.map((value) => `${value} != ''`),
    // A table may require a filter on its partition column.
    ...(column === undefined ? [] : [`\`row\`.\`${column}\` >= '1970-01-01'`]),
  ];
  const from = new Set([
    `\`${path.join('.')}\` AS \`row\``,
    ...matches.flatMap((found) => found.from),
  ]);
  return `SELECT ${values.join(', ')} FROM ${[...from].join(', ')} WHERE ${where.join(' AND ')}
    GROUP BY ${positions} ORDER BY COUNT(*) DESC, ${positions} LIMIT ${COMBINATIONS}`;
}

function isPattern(endpoint: Endpoint, parameter: string): boolean {
  return endpoint.parameters[parameter]?.format === 're2';
}

/** The pattern that matches this text alone. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
