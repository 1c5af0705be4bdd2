// Reads the places of existing tables from `sql/sources`: other tables behind a name have other rows.
import { join } from 'node:path';
import { isObject, membersOf } from '../../functions/core/json.ts';
import { parseJsonDocument, readItems, readText } from '../faults/json-document.ts';
import { tablePaths } from '../lexer/sql-text.ts';

/** A source, by the name of its folder, with the place in its table.json. */
export interface TablePlace {
  name: string;
  table?: unknown;
  shards?: unknown;
}

/** The sources whose table.json states a place, by name. Files and a directory that cannot be read are skipped. */
export function readTablePlaces(directory: string): TablePlace[] {
  return readItems(directory).flatMap(({ name }) => {
    const file = join(directory, name, 'table.json');
    const { value } = parseJsonDocument(file, readText(file) ?? '');
    const { table, shards: found } = membersOf(value);
    const shards = isObject(found) ? { prefix: found.prefix, format: found.format } : undefined;
    return table === undefined && shards === undefined ? [] : [{ name, table, shards }];
  });
}

/** The places of the sources that a query may name, regardless of the names of its dataset and project. */
export function namedPlaces<Place extends TablePlace>(sql: string, places: readonly Place[]) {
  const paths = places.length === 0 ? [] : tablePaths(sql);
  return places.filter((place) => paths.some(({ parts }) => isNamed(place, parts)));
}

/** A path may continue with the names of columns. */
function isNamed({ name, shards }: TablePlace, parts: readonly string[]): boolean {
  const own = name.split('.');
  const prefix = isObject(shards) && typeof shards.prefix === 'string' ? shards.prefix : undefined;
  return parts.some((table, index) => {
    if (own.length > 1 && parts[index - 1] !== own[0]) return false;
    return prefix === undefined ? table === own.at(-1) : table.startsWith(prefix);
  });
}
